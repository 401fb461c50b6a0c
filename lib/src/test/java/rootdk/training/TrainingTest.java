package rootdk.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rootdk.training.Cases.assertMessage;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import rootdk.attention.Scale;
import rootdk.stats.Draws;

class TrainingTest {
    private static final Task RECALL = Task.recall(8, 8, 8, 8);

    /** Chance is ln 8 = 2.08. Attention starts broad, near ln 8, and ends sharp. */
    @Test
    void recallIsLearned() {
        Run run = Training.of(RECALL, Head.of(32, 16).dividedBy(Scale.sqrt(16)), Optimizer.adam(0.01)).batch(16).steps(200).run(1);
        assertEquals(Math.log(8), run.losses()[0], 0.1);
        assertTrue(run.finalLoss() < 0.05, run.toString());
        assertTrue(run.entropies()[0] > 1.3 && run.entropies()[199] < 0.5, run.entropies()[0] + " to " + run.entropies()[199]);
        assertTrue(run.maxLogits()[199] > 2 * run.maxLogits()[0], run.maxLogits()[0] + " to " + run.maxLogits()[199]);
    }

    /** Chance is ln 2 = 0.69. The head must stay broad over 3 votes, entropy ln 3 = 1.1. */
    @Test
    void majorityIsLearned() {
        Run run = Training.of(Task.majority(4, 2, 3), Head.of(32, 16).dividedBy(Scale.sqrt(16)), Optimizer.adam(0.01)).batch(32).steps(200)
                .run(1);
        assertEquals(Math.log(2), run.losses()[0], 0.1);
        assertTrue(run.finalLoss() < 0.1, run.toString());
        assertEquals(Math.log(3), run.entropies()[199], 0.15);
    }

    private record Pair(String name, Optimizer folded, Optimizer scaled) {
        @Override
        public String toString() {
            return name;
        }
    }

    /**
     * Folding √dK into W_q, W' = W / √dK, multiplies its gradient by √dK. So in units of W a step of SGD is dK times as large, a step that
     * does not depend on the gradient's size √dK times, and Adafactor's, relative to W, the same. dK = 48, as √16 and √64 are exact.
     */
    static List<Pair> correspondence() {
        Optimizer adam = Optimizer.adam(0.003, 0.9, 0.999, 0);
        Optimizer sgd = Optimizer.sgd(0.02, 0.9);
        Optimizer muon = Optimizer.muon(0.003);
        Optimizer adafactor = Optimizer.adafactor(0.01);
        return List.of(
                new Pair("SGD", sgd, sgd.rateOf("W_q", 48)),
                new Pair("Adam", adam, adam.rateOf("W_q", Scale.sqrt(48))),
                new Pair("Muon", muon, muon.rateOf("W_q", Scale.sqrt(48))),
                new Pair("Adafactor", adafactor, adafactor));
    }

    @ParameterizedTest
    @MethodSource("correspondence")
    void foldingIsALearningRateOfItsOwn(Pair pair) {
        Training training = Training.of(RECALL, Head.of(20, 48), pair.folded).batch(8).steps(40);
        double[] folded = training.head(Head.of(20, 48).folded(Scale.sqrt(48))).run(1).losses();
        double[] scaled = training.head(Head.of(20, 48).dividedBy(Scale.sqrt(48))).optimizer(pair.scaled).run(1).losses();
        assertTrue(folded[39] < 0.95 * folded[0], "it trains: " + folded[0] + " to " + folded[39]);
        Cases.assertClose(scaled, folded, 1e-13, "loss");
    }

    /** Without the factor, and with Adam's ε, the two part. */
    @Test
    void foldingWithoutTheFactorIsAnotherTraining() {
        for (Pair pair : correspondence().subList(0, 3)) {
            assertTrue(difference(pair.folded, pair.folded) > 1e-3, pair.name);
        }
        Optimizer adam = Optimizer.adam(0.003);
        double epsilon = difference(adam, adam.rateOf("W_q", Scale.sqrt(48)));
        assertTrue(epsilon > 1e-8 && epsilon < 1e-2, "ε = 10⁻⁸ moves the loss by " + epsilon);
    }

    private static double difference(Optimizer one, Optimizer other) {
        Training training = Training.of(RECALL, Head.of(20, 48), one).batch(8).steps(40);
        double[] folded = training.head(Head.of(20, 48).folded(Scale.sqrt(48))).run(1).losses();
        double[] scaled = training.head(Head.of(20, 48).dividedBy(Scale.sqrt(48))).optimizer(other).run(1).losses();
        double largest = 0;
        for (int t = 0; t < folded.length; t++) {
            largest = Math.max(largest, Math.abs(folded[t] - scaled[t]));
        }
        return largest;
    }

    /** All bits of all parameters after 20 steps; the same on JDK 17 and 25, with C1, C2 and the interpreter. */
    @Test
    void sameBitsEverywhere() throws Exception {
        MessageDigest sha = MessageDigest.getInstance("SHA-256");
        Head head = Head.of(12, 5).dividedBy(Scale.sqrt(5));
        for (Head each : List.of(head, head.qkNorm().learnDivisor(), head.cap(3))) {
            for (Optimizer optimizer : List.of(Optimizer.sgd(0.3, 0.9).clip(1), Optimizer.adam(0.01).warmUp(5), Optimizer.adafactor(0.01),
                    Optimizer.muon(0.01))) {
                Training training = Training.of(Task.recall(9, 4, 7, 3), each, optimizer).batch(4).steps(20);
                Model model = training.model(1);
                training.train(model, 1);
                for (Parameter w : model.parameters()) {
                    for (double value : w.value) {
                        sha.update(ByteBuffer.allocate(8).putDouble(0, value));
                    }
                }
            }
        }
        assertEquals("1904479d7c149e77", HexFormat.of().formatHex(sha.digest(), 0, 8));
    }

    @Test
    void runRepeatsAndTrainContinues() {
        Training training = Training.of(RECALL, Head.of(12, 5), Optimizer.adam(0.01)).batch(4).steps(10);
        assertArrayEquals(training.run(3).losses(), training.run(3).losses());
        Model model = training.model(3);
        Run run = training.train(model, 3);
        assertArrayEquals(run.losses(), training.run(3).losses());
        assertEquals(model.parameter("W_q").gradientNorm(), run.gradientNorms("W_q")[9]);
        assertEquals(model.entropy(), run.entropies()[9]);
        assertNotEquals(training.run(4).losses()[0], training.train(model, 4).losses()[0], "the same batches, from where it was");
        assertArrayEquals(training.train(training.model(3), 4).losses(), training.train(training.model(3), 4).losses());
    }

    /** Rate 10⁶: the loss is NaN or ∞ at some step, and undefined from there on. No exception. */
    @Test
    void divergenceIsAResult() {
        Run run = Training.of(RECALL, Head.of(12, 5), Optimizer.sgd(1e6, 0)).batch(4).steps(50).run(1);
        assertTrue(run.diverged());
        assertEquals(Double.POSITIVE_INFINITY, run.finalLoss());
        assertTrue(Double.isFinite(run.losses()[0]));
        assertTrue(Double.isNaN(run.losses()[49]) && Double.isNaN(run.maxLogits()[49]) && Double.isNaN(run.gradientNorms("b")[49]));
        assertEquals("50 steps, loss 2.079 and then diverged", run.toString().replaceAll("2\\.\\d+", "2.079"));
    }

    @Test
    void finalLossIsTheMeanOfTheLastTenth() {
        double[] losses = new double[25];
        losses[23] = 1;
        losses[24] = 3;
        Run run = new Run(losses, losses, losses, losses, Map.of("b", losses), 0);
        assertEquals(2, run.finalLoss());
        assertEquals("25 steps, loss 0.000 to 2.000", run.toString());
        assertFalse(run.diverged());
        assertMessage("there is no parameter W_q: this model had b", () -> run.gradientNorms("W_q"));
    }

    /** A head whose logits grow, and each of three ways to hold them. */
    @Test
    void qkNormCapAndQkClipHoldTheLogits() {
        Head head = Head.of(16, 16).dividedBy(Scale.sqrt(16));
        Training training = Training.of(RECALL, head, Optimizer.muon(0.1)).batch(8).steps(60);
        Run free = training.run(1);
        assertTrue(largest(free) > 50, "unbounded: " + largest(free));
        assertEquals(0, free.clips());
        assertTrue(largest(training.head(head.cap(20)).run(1)) <= 20);
        Model normed = training.head(head.qkNorm()).model(1);
        training.head(head.qkNorm()).train(normed, 1);
        normed.forward(new Batch(RECALL, 8).draw(Draws.of(5)));
        double bound = 4 * normed.parameter("g_q").value().elementMult(normed.parameter("g_k").value()).elementMaxAbs();
        assertTrue(normed.maxLogit() <= bound && bound < 50, "√d_k max|g_q g_k| = " + bound + ", logit " + normed.maxLogit());
        Run clipped = training.qkClip(20).run(1);
        assertTrue(largest(clipped) < 40, "clipped after each step, on the step's batch: " + largest(clipped));
        assertTrue(clipped.clips() > 10);
    }

    private static double largest(Run run) {
        double largest = 0;
        for (double logit : run.maxLogits()) {
            largest = Math.max(largest, logit);
        }
        return largest;
    }

    @Test
    void interruptStopsBetweenSteps() {
        Training training = Training.of(RECALL, Head.of(12, 5), Optimizer.adam(0.01)).batch(4).steps(10);
        Thread.currentThread().interrupt();
        assertEquals("training was interrupted after 0 of 10 steps",
                assertThrows(CancellationException.class, () -> training.run(1)).getMessage());
        assertTrue(Thread.interrupted(), "the flag stays set");
    }

    @Test
    void namesAndBadInput() {
        Training training = Training.of(RECALL, Head.of(12, 5), Optimizer.adam(0.01));
        assertEquals("recall (8 of 8 keys, 8 values, 8 queries); d_model 12, d_k 5, divisor 1.0; Adam, rate 0.5; 7 steps of 4 sequences; "
                + "QK-Clip at 100.0", training.rate(0.5).steps(7).batch(4).qkClip(100).toString());
        assertMessage("task is null", () -> Training.of(null, Head.of(1, 1), Optimizer.adam(1)));
        assertMessage("steps is 0: it must be at least 1", () -> training.steps(0));
        assertMessage("batch is 0: it must be at least 1", () -> training.batch(0));
        assertMessage("threshold is -1.0: it must be finite and above 0", () -> training.qkClip(-1));
        assertMessage("backend is null", () -> training.backend(null));
        assertMessage("batch has 32 sequences of recall (8 of 8 keys, 8 values, 8 queries): this model was made for 4 sequences of "
                + "recall (8 of 8 keys, 8 values, 8 queries)", () -> training.train(training.batch(4).model(1), 1));
    }
}
