package rootdk.bench;

import java.util.concurrent.TimeUnit;
import org.ejml.simple.SimpleMatrix;
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
import rootdk.attention.TiledAttention;
import rootdk.stats.Draws;

/** Attention with 2048 queries and keys, d_k = d_v = 64: forward, and backward after one forward. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class AttentionAt2048 {
    private static final int N = 2048;

    /** Which loops. */
    @Param("plain")
    public String backend;

    private Inputs inputs;

    /** Random inputs. */
    @Setup
    public void setUp() {
        inputs = new Inputs(N, backend);
    }

    /** @return the attention */
    @Benchmark
    public TiledAttention forward() {
        return inputs.forward();
    }

    /** What only {@link #backward} needs. */
    @State(Scope.Benchmark)
    public static class Forwarded {
        private TiledAttention attention;
        private SimpleMatrix dOutput;

        /** @param benchmark whose inputs to go forward with */
        @Setup
        public void setUp(AttentionAt2048 benchmark) {
            attention = benchmark.forward();
            dOutput = Draws.of(2).gaussianMatrix(N, Inputs.D);
        }
    }

    /**
     * @param forwarded the forward pass
     * @return the gradients
     */
    @Benchmark
    public TiledAttention.Gradients backward(Forwarded forwarded) {
        return forwarded.attention.backward(forwarded.dOutput);
    }
}
