package rootdk.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import rootdk.attention.TiledAttention;

/** Attention forward with 16,384 queries and keys, d_k = d_v = 64, in a heap of 64 MB: Q, K, V and the output are 34 MB of it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(jvmArgsAppend = "-Xmx64m")
@Warmup(iterations = 1)
@Measurement(iterations = 2)
public class LongAttention {
    /** Which loops. */
    @Param("plain")
    public String backend;

    private Inputs inputs;

    /** Random inputs. */
    @Setup
    public void setUp() {
        inputs = new Inputs(16_384, backend);
    }

    /** @return the attention */
    @Benchmark
    public TiledAttention forward() {
        return inputs.forward();
    }
}
