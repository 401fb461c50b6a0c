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
import rootdk.attention.Softmax;
import rootdk.backend.Backend;
import rootdk.stats.Draws;

/** Softmax of 10⁶ numbers. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class SoftmaxOfAMillion {
    /** Which loops. */
    @Param("plain")
    public String backend;

    private Backend loops;
    private double[] logits;
    private double[] weights; // kept, as PyTorch keeps its memory from call to call

    /** Random logits. */
    @Setup
    public void setUp() {
        logits = Draws.of(1).gaussians(1_000_000);
        for (int i = 0; i < logits.length; i++) {
            logits[i] *= 4;
        }
        weights = new double[logits.length];
        loops = Inputs.backend(backend);
    }

    /** @return the weights */
    @Benchmark
    public double[] softmax() {
        Softmax.into(loops, logits, weights);
        return weights;
    }
}
