package rootdk.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import rootdk.backend.Backend;
import rootdk.stats.Moments;
import rootdk.stats.Sampling;

/** The moments of 10⁶ values of q·k with fresh q, k ~ N(0, I) of 64 components: 128 million normal numbers. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class QkMoments {
    /** Which loops. */
    @Param("plain")
    public String backend;

    private Backend loops;

    /** Finds the backend. */
    @Setup
    public void setUp() {
        loops = Inputs.backend(backend);
    }

    /** @return mean, variance, skewness and kurtosis */
    @Benchmark
    public Moments moments() {
        return Sampling.dotMoments(loops, 1, 1_000_000, 64);
    }
}
