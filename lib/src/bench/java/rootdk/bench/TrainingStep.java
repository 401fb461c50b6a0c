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
import rootdk.attention.Scale;
import rootdk.backend.Backend;
import rootdk.stats.Draws;
import rootdk.training.Batch;
import rootdk.training.Head;
import rootdk.training.Model;
import rootdk.training.Optimizer;
import rootdk.training.Task;

/** A training step: 32 sequences of 16 tokens that ask and 16 to attend to, d = d_k = 64, 10 classes, Adam; always the same batch. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class TrainingStep {
    /** Which loops. */
    @Param("plain")
    public String backend;

    private Batch batch;
    private Model model;
    private Optimizer.Steps steps;

    /** A model at its start. */
    @Setup
    public void setUp() {
        Task task = new Random();
        batch = new Batch(task, 32).draw(Draws.of(1));
        model = new Model(Head.of(64, 64).dividedBy(Scale.sqrt(64)), task, 32, 1, Inputs.backend(backend));
        steps = Optimizer.adam(1e-3).on(model);
    }

    /** @return the loss */
    @Benchmark
    public double step() {
        double loss = model.forward(batch);
        model.backward();
        steps.next();
        return loss;
    }

    /** Symbols and labels at random: nothing to learn, but the work is that of any task. */
    private record Random() implements Task {
        @Override
        public int nK() {
            return 16;
        }

        @Override
        public int nQ() {
            return 16;
        }

        @Override
        public int symbols() {
            return 32;
        }

        @Override
        public int classes() {
            return 10;
        }

        @Override
        public void draw(Draws draws, int[] tokens, int[] labels) {
            for (int i = 0; i < tokens.length; i++) {
                tokens[i] = (int) (symbols() * draws.uniform());
            }
            for (int i = 0; i < labels.length; i++) {
                labels[i] = (int) (classes() * draws.uniform());
            }
        }
    }
}
