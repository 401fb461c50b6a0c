package rootdk.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rootdk.training.Cases.assertClose;
import static rootdk.training.Cases.assertMessage;
import static rootdk.training.Cases.batch;
import static rootdk.training.Cases.data;
import static rootdk.training.Cases.model;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import rootdk.attention.Attention;
import rootdk.attention.Logits;
import rootdk.attention.QkNorm;
import rootdk.attention.Scale;
import rootdk.attention.Softmax;
import rootdk.backend.Backend;
import rootdk.stats.Draws;
import rootdk.stats.Moments;

class ModelTest {
    static Stream<Head> heads() {
        Head none = Head.of(7, 3);
        Head scaled = none.dividedBy(Scale.sqrt(3));
        return Stream.of(none, scaled, none.dividedBy(3), none.dividedBy(0.7), none.folded(Scale.sqrt(3)), none.cap(0.8), scaled.cap(2),
                scaled.qkNorm(), none.qkNorm().cap(1.5), scaled.learnDivisor(), none.qkNorm().cap(1).learnDivisor(0.01),
                scaled.learnDivisor(2).cap(1.2));
    }

    /** Every entry of every parameter, h = 10⁻⁵, whose own error is some 10⁻⁹. The parameters are those of a model that has moved. */
    @ParameterizedTest
    @MethodSource("heads")
    void gradientsAgainstCentralDifferences(Head head) {
        Model model = model(head, 1);
        Batch batch = batch(2);
        Draws draws = Draws.of(3);
        for (Parameter w : model.parameters()) {
            for (int i = 0; i < w.value.length; i++) {
                w.value[i] += 0.5 * draws.gaussian();
            }
        }
        model.forward(batch);
        boolean clamped = head.least > StrictMath.exp(head.learned ? model.parameter("log_tau").value[0] : 0);
        model.backward();
        for (Parameter w : model.parameters()) {
            double[] differences = new double[w.value.length];
            for (int i = 0; i < differences.length; i++) {
                double at = w.value[i];
                w.value[i] = at + 1e-5;
                double up = model.forward(batch);
                w.value[i] = at - 1e-5;
                differences[i] = (up - model.forward(batch)) / 2e-5;
                w.value[i] = at;
            }
            assertClose(differences, w.gradient, 1e-8, head + ": " + w);
            assertTrue(w.gradientNorm() > 1e-3 || w.name.equals("log_tau") && clamped, head + ": " + w + " has a gradient");
        }
    }

    /** The same loss from the attention package, one sequence at a time, and so are logits, weights, entropy and the largest logit. */
    @ParameterizedTest
    @MethodSource("heads")
    void forwardAgainstTheAttentionPackage(Head head) {
        Model model = model(head, 4);
        Batch batch = batch(5);
        double loss = model.forward(batch);
        double expected = 0;
        double entropy = 0;
        double largest = Double.NEGATIVE_INFINITY;
        Logits rule = Logits.dividedBy(head.learned ? Math.max(head.least, head.divisor) : head.divisor);
        for (int b = 0; b < 3; b++) {
            SimpleMatrix q = tokens(model, batch.queryTokens, b, 2).mult(model.parameter("W_q").value());
            SimpleMatrix x = tokens(model, batch.keyTokens, b, 5);
            SimpleMatrix k = x.mult(model.parameter("W_k").value());
            SimpleMatrix v = x.mult(model.parameter("W_v").value());
            if (head.qkNorm) {
                q = QkNorm.rms(q, 1e-6, 1).output();
                k = QkNorm.rms(k, 1e-6, 1).output();
            }
            Attention a = Attention.forward(q, k, v, head.cap < 1e300 ? rule.cap(head.cap) : rule);
            assertClose(data(a.weights()), data(model.weights(b)), 1e-14, "weights");
            assertClose(data(a.logits()), data(model.logits(b)), 1e-13, "logits");
            largest = Math.max(largest, a.logits().elementMax());
            SimpleMatrix z = a.output().mult(model.parameter("W_o").value());
            for (int i = 0; i < 2; i++) {
                expected -= Softmax.log(data(z.getRow(i)))[batch.labels[2 * b + i]] / 6;
                entropy += Softmax.entropy(data(a.weights().getRow(i))) / 6;
            }
        }
        assertEquals(expected, loss, 1e-14);
        assertEquals(entropy, model.entropy(), 1e-13);
        assertEquals(largest, model.maxLogit(), 1e-13);
    }

    private static SimpleMatrix tokens(Model model, int[] symbols, int sequence, int n) {
        SimpleMatrix table = model.parameter("E").value();
        SimpleMatrix x = new SimpleMatrix(n, 7);
        for (int i = 0; i < n; i++) {
            int at = 2 * (sequence * n + i);
            x.setRow(i, 0, data(table.getRow(symbols[at]).plus(table.getRow(symbols[at + 1]))));
        }
        return x;
    }

    /** With one key the weight is 1 whatever the logit, and no gradient reaches queries and keys. */
    @Test
    void oneKey() {
        Model model = new Model(Head.of(4, 3), Task.recall(2, 2, 1, 1), 5, 1);
        model.forward(new Batch(Task.recall(2, 2, 1, 1), 5).draw(Draws.of(1)));
        model.backward();
        assertArrayEquals(new double[] {1}, data(model.weights(4)));
        assertEquals(0, model.entropy(), 1e-15);
        assertEquals(0, model.parameter("W_q").gradientNorm());
        assertTrue(model.parameter("W_v").gradientNorm() > 0);
    }

    /** Components of q and k have variance 1 and scores variance dK, over seeds; the loss is near ln(classes). */
    @Test
    void start() {
        Task task = Task.recall(8, 8, 8, 8);
        Moments scores = new Moments();
        for (int seed = 0; seed < 200; seed++) {
            Model model = new Model(Head.of(64, 16), task, 1, seed);
            assertEquals(Math.log(8), model.forward(new Batch(task, 1).draw(Draws.of(seed))), 0.2);
            scores.add(model.logits(0).get(3, 5));
        }
        // x has 64 components whose mean square varies by √(2/64), so q·k is a little heavier-tailed than the standard error assumes.
        assertEquals(16, scores.variance(), 4 * scores.varianceError());
        assertEquals(0, scores.mean(), 4 * scores.meanError());
    }

    @Test
    void foldedIsTheSameFunctionAtTheStart() {
        Model scaled = model(Head.of(7, 3).dividedBy(Scale.sqrt(3)), 1);
        Model folded = model(Head.of(7, 3).folded(Scale.sqrt(3)), 1);
        assertEquals(scaled.forward(batch(2)), folded.forward(batch(2)), 1e-15);
        scaled.backward();
        folded.backward();
        assertEquals(Scale.sqrt(3) * scaled.parameter("W_q").gradientNorm(), folded.parameter("W_q").gradientNorm(), 1e-15);
        assertEquals(scaled.parameter("W_k").gradientNorm(), folded.parameter("W_k").gradientNorm(), 1e-16);
    }

    @Test
    void seedsMatterAndRepeat() {
        double[] one = model(Head.of(7, 3), 1).parameter("W_q").value;
        assertArrayEquals(one, model(Head.of(7, 3).cap(2).dividedBy(9), 1).parameter("W_q").value);
        assertNotEquals(one[0], model(Head.of(7, 3), 2).parameter("W_q").value[0]);
        assertArrayEquals(model(Head.of(7, 3), 1).parameter("W_v").value, model(Head.of(7, 30), 1).parameter("W_v").value);
    }

    /** Shapes that leave a rest in every kernel. */
    @Test
    void bothBackendsGiveTheSameBits() {
        Backend vector = Backend.vector().orElseThrow(() -> new AssertionError("the tests run with the Vector API"));
        Task task = Task.recall(11, 5, 9, 7);
        Batch batch = new Batch(task, 4).draw(Draws.of(1));
        Model one = new Model(Head.of(37, 19), task, 4, 1);
        Model other = new Model(Head.of(37, 19), task, 4, 1, vector);
        assertEquals(one.forward(batch), other.forward(batch));
        one.backward();
        other.backward();
        for (int i = 0; i < one.parameters().size(); i++) {
            assertArrayEquals(one.parameters().get(i).gradient, other.parameters().get(i).gradient);
        }
    }

    /** After QK-Clip the same batch has the threshold as its largest logit; below it nothing changes. */
    @Test
    void qkClip() {
        Model model = model(Head.of(7, 3), 1);
        model.forward(batch(2));
        double largest = model.maxLogit();
        double[] before = model.parameter("W_q").value.clone();
        assertFalse(model.qkClip(largest));
        assertArrayEquals(before, model.parameter("W_q").value);
        assertTrue(model.qkClip(largest / 4));
        assertEquals(before[0] / 2, model.parameter("W_q").value[0], 1e-15);
        model.forward(batch(2));
        assertEquals(largest / 4, model.maxLogit(), 1e-14);
    }

    @Test
    void divergedModelsGiveNanAndNoException() {
        for (double poison : new double[] {Double.NaN, Double.POSITIVE_INFINITY, 1e300}) {
            Model model = model(Head.of(7, 3), 1);
            Arrays.fill(model.parameter("W_q").value, poison);
            Arrays.fill(model.parameter("W_k").value, -poison);
            assertTrue(Double.isNaN(model.forward(batch(2))), "W_q of " + poison);
            assertTrue(Double.isNaN(model.entropy()));
            model.backward();
            assertTrue(Double.isNaN(model.gradientNorm()));
            assertFalse(model.qkClip(1), "no factor helps");
        }
    }

    @Test
    void parametersAreOfOneModel() {
        Model model = model(Head.of(7, 3).qkNorm().learnDivisor(), 1);
        assertEquals(List.of("E 11 × 7", "W_q 7 × 3", "W_k 7 × 3", "W_v 7 × 7", "W_o 7 × 4", "b 1 × 4", "g_q 1 × 3", "g_k 1 × 3",
                "log_tau 1 × 1"), model.parameters().stream().map(Parameter::toString).toList());
        Parameter b = model.parameter("b");
        b.value().set(0, 9);
        assertEquals(0, b.value().get(0), "value() is a copy");
        b.set(new SimpleMatrix(new double[][] {{1, 2, 3, 4}}));
        assertArrayEquals(new double[] {1, 2, 3, 4}, b.value);
        model.forward(batch(1));
        model.backward();
        double squares = model.parameters().stream().mapToDouble(w -> w.gradientNorm() * w.gradientNorm()).sum();
        assertEquals(Math.sqrt(squares), model.gradientNorm(), 1e-15);
        assertEquals(b.gradientNorm(), b.gradient().normF(), 1e-16);
    }

    @Test
    void names() {
        assertEquals("d_model 7, d_k 3, divisor 1.0", Head.of(7, 3).toString());
        assertEquals("d_model 7, d_k 3, W_q folded by 2.0, QK-norm, learned divisor from 4.0, at least 0.01, cap 50.0",
                Head.of(7, 3).cap(50).learnDivisor(0.01).qkNorm().folded(2).dividedBy(4).toString());
        assertEquals("model (d_model 7, d_k 3, divisor 1.0; 3 sequences of recall (5 of 6 keys, 4 values, 2 queries))",
                model(Head.of(7, 3), 1).toString());
    }

    @Test
    void badInput() {
        Head head = Head.of(7, 3);
        assertMessage("dModel is 0: it must be at least 1", () -> Head.of(0, 3));
        assertMessage("dK is -1: it must be at least 1", () -> Head.of(3, -1));
        assertMessage("divisor is 0.0: it must be finite and above 0", () -> head.dividedBy(0));
        assertMessage("c is NaN: it must be finite and above 0", () -> head.folded(Double.NaN));
        assertMessage("cap is Infinity: it must be finite and above 0", () -> head.cap(1 / 0.0));
        assertMessage("least is -1.0: it must be finite and above 0", () -> head.learnDivisor(-1));
        assertMessage("size is 0: it must be at least 1", () -> new Model(head, Task.recall(2, 2, 2, 2), 0, 1));
        assertMessage("head is null", () -> new Model(null, Task.recall(2, 2, 2, 2), 1, 1));
        assertMessage("backend is null", () -> new Model(head, Task.recall(2, 2, 2, 2), 1, 1, null));
        Model model = model(head, 1);
        assertMessage("there is no batch yet: call forward first", model::backward);
        assertMessage("there is no batch yet: call forward first", () -> model.logits(0));
        assertMessage("there is no batch yet: call forward first", model::entropy);
        assertMessage("there is no parameter W_Q: this model has E, W_q, W_k, W_v, W_o, b", () -> model.parameter("W_Q"));
        assertMessage("batch has 2 sequences of recall (5 of 6 keys, 4 values, 2 queries): this model was made for 3 sequences of "
                + "recall (5 of 6 keys, 4 values, 2 queries)", () -> model.forward(new Batch(Task.recall(6, 4, 5, 2), 2)));
        model.forward(batch(1));
        assertMessage("sequence is 3: the batch has 3, from 0 to 2", () -> model.weights(3));
        assertMessage("threshold is 0.0: it must be finite and above 0", () -> model.qkClip(0));
        assertMessage("QK-Clip rescales W_q and W_k by the largest logit, which QK-norm undoes and a cap hides: the head is "
                + "d_model 7, d_k 3, divisor 1.0, cap 2.0", () -> model(head.cap(2), 1).qkClip(1));
        assertMessage("matrix is 2 × 3, W_q is 7 × 3: both must have one shape",
                () -> model.parameter("W_q").set(new SimpleMatrix(2, 3)));
    }
}
