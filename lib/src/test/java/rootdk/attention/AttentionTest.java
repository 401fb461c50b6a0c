package rootdk.attention;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import rootdk.stats.Draws;

class AttentionTest {
    // Every size differs, and d_k = 7 is no square: a swapped transpose or a wrong divisor shows.
    private final Draws draws = Draws.of(7);
    private final SimpleMatrix Q = draws.gaussianMatrix(4, 7);
    private final SimpleMatrix K = draws.gaussianMatrix(5, 7);
    private final SimpleMatrix V = draws.gaussianMatrix(5, 3);
    private final SimpleMatrix dOutput = draws.gaussianMatrix(4, 3);

    @Test
    void workedExample() {
        Attention a = Attention.forward(matrix(new double[][] {{1, 0.5, -0.5, 1}}),
                matrix(new double[][] {{0.5, 1, 0, -1}, {1, 0.5, 0.5, 0}, {-1, 0, 1, 0.5}}),
                matrix(new double[][] {{1, 0}, {0, 1}, {1, 1}}), Scale.sqrt(4));
        assertArrayEquals(new double[] {0, 1, -1}, a.scores().getDDRM().getData());
        assertArrayEquals(new double[] {0, 0.5, -0.5}, a.logits().getDDRM().getData());
        double[] p = Softmax.of(0, 0.5, -0.5);
        assertArrayEquals(p, a.weights().getDDRM().getData());
        assertArrayEquals(new double[] {p[0] + p[2], p[1] + p[2]}, a.output().getDDRM().getData(), 1e-16);
    }

    /** Products by EJML and softmax by its definition, without the maximum: slow, independent, and enough for small logits. */
    @Test
    void agreesWithTheDefinition() {
        Attention a = Attention.forward(Q, K, V, Scale.sqrt(7));
        SimpleMatrix scores = Q.mult(K.transpose());
        SimpleMatrix exps = scores.divide(Math.sqrt(7)).elementExp();
        SimpleMatrix weights = exps.copy();
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 5; j++) {
                weights.set(i, j, exps.get(i, j) / exps.getRow(i).elementSum());
            }
        }
        assertClose(scores, a.scores(), 1e-14);
        assertClose(scores.divide(Math.sqrt(7)), a.logits(), 1e-14);
        assertClose(weights, a.weights(), 1e-15);
        assertClose(weights.mult(V), a.output(), 1e-15);
    }

    /**
     * Forward and backward at 50 digits by Python with mpmath 1.4.1 (mp.dps = 50): P[i,j] = exp(S[i,j])/sum over j of it with
     * S = Q*K.T/sqrt(3), O = P*V; the gradients are central differences of sum(O[i,j]*G[i,j]) with h = 1e-15, good to 30 digits.
     */
    @Test
    void agreesWithMpmath() {
        Attention a = Attention.forward(matrix(new double[][] {{1, -2, 0.5}, {0.25, 1, 3}}),
                matrix(new double[][] {{0.5, 1, -1}, {2, -0.5, 0.25}, {-1, 1.5, 0.75}}),
                matrix(new double[][] {{1, 2}, {-1, 0.5}, {3, -2}}), Scale.sqrt(3));
        assertClose(matrix(new double[][] {{0.04838285726199632, 0.932683291804016, 0.018933850933987664},
            {0.03594241458285982, 0.16360623250517697, 0.8004513529119632}}), a.weights(), 2e-16);
        assertClose(matrix(new double[][] {{-0.8274988817400567, 0.5252396585580253}, {2.2736902408135724, -1.4472147604056183}}),
                a.output(), 1e-15);
        Attention.Gradients g = a.backward(matrix(new double[][] {{1, -0.5}, {0.25, 2}}));
        assertClose(matrix(new double[][] {{-0.21260417541669974, 0.15696172630978808, -0.01024279885984815},
            {1.0763529998798957, -0.6493381136937255, -0.3840838253252646}}), g.dQ(), 1e-15);
        assertClose(matrix(new double[][] {{0.06456649517707906, 0.07555866832445715, 0.4246089267225521},
            {-0.013455222737448128, 0.46274111607553653, 0.8286145072825031},
            {-0.051111272439630935, -0.5382997843999937, -1.2532234340050552}}), g.dK(), 1e-15);
        assertClose(matrix(new double[][] {{0.05736846090771128, 0.047693400534721486},
            {0.9735848499303102, -0.13912918089165408}, {0.21904668916197848, 1.5914357803569326}}), g.dV(), 1e-15);
    }

    private interface Loss {
        double of(SimpleMatrix changed);
    }

    /** L = Σ dOutput ∘ output; every gradient against (L(x+h) − L(x−h))/2h, whose own error is below 10⁻⁹ here. */
    @Test
    void gradientsAgainstCentralDifferences() {
        Attention a = Attention.forward(Q, K, V, Scale.sqrt(7));
        Attention.Gradients g = a.backward(dOutput);
        assertGradient(g.dQ(), Q, x -> loss(Attention.forward(x, K, V, Scale.sqrt(7)).output()));
        assertGradient(g.dK(), K, x -> loss(Attention.forward(Q, x, V, Scale.sqrt(7)).output()));
        assertGradient(g.dV(), V, x -> loss(Attention.forward(Q, K, x, Scale.sqrt(7)).output()));
        assertGradient(g.dWeights(), a.weights(), x -> loss(x.mult(V)));
        assertGradient(g.dLogits(), a.logits(), x -> loss(Softmax.rows(x).mult(V)));
        assertGradient(g.dScores(), a.scores(), x -> loss(Softmax.rows(x.divide(Math.sqrt(7))).mult(V)));
    }

    private double loss(SimpleMatrix output) {
        return output.elementMult(dOutput).elementSum();
    }

    private static void assertGradient(SimpleMatrix gradient, SimpleMatrix at, Loss loss) {
        double h = 1e-5;
        SimpleMatrix expected = new SimpleMatrix(at.getNumRows(), at.getNumCols());
        for (int i = 0; i < at.getNumRows(); i++) {
            for (int j = 0; j < at.getNumCols(); j++) {
                SimpleMatrix up = at.copy();
                SimpleMatrix down = at.copy();
                up.set(i, j, at.get(i, j) + h);
                down.set(i, j, at.get(i, j) - h);
                expected.set(i, j, (loss.of(up) - loss.of(down)) / (2 * h));
            }
        }
        assertClose(expected, gradient, 1e-9);
    }

    @Test
    void rowsOfTheWeightsSumToOneAndOfTheirGradientToZero() {
        Attention a = Attention.forward(Q, K, V, 1);
        Attention.Gradients g = a.backward(dOutput);
        for (int i = 0; i < 4; i++) {
            assertEquals(1, a.weights().getRow(i).elementSum(), 1e-15);
            assertEquals(0, g.dLogits().getRow(i).elementSum(), 1e-15);
        }
        assertClose(g.dLogits(), g.dScores(), 0);
    }

    @Test
    void argumentsAreNeitherChangedNorKept() {
        SimpleMatrix q = Q.copy();
        SimpleMatrix up = dOutput.copy();
        Attention a = Attention.forward(q, K, V, Scale.sqrt(7));
        Attention.Gradients before = a.backward(up);
        assertClose(Q, q, 0);
        assertClose(dOutput, up, 0);
        q.fill(99);
        assertClose(Q, a.Q(), 0);
        assertClose(before.dK(), a.backward(dOutput).dK(), 0);
    }

    @Test
    void aMaskedRowGivesZerosAndANanStaysInItsRow() {
        SimpleMatrix keys = matrix(new double[][] {{1}, {1}});
        Attention a = Attention.forward(matrix(new double[][] {{Double.NEGATIVE_INFINITY}, {Double.NaN}, {0}}), keys,
                matrix(new double[][] {{2}, {4}}), 1);
        assertArrayEquals(new double[] {0, 0, Double.NaN, Double.NaN, 0.5, 0.5}, a.weights().getDDRM().getData());
        assertArrayEquals(new double[] {0, Double.NaN, 3}, a.output().getDDRM().getData());
        SimpleMatrix dLogits = a.backward(matrix(new double[][] {{1}, {1}, {1}})).dLogits();
        assertArrayEquals(new double[] {0, 0, Double.NaN, Double.NaN, -0.5, 0.5}, dLogits.getDDRM().getData());
    }

    @Test
    void badInput() {
        assertMessage("K has 4 columns, Q has 3: both must be d_k", () -> forward(2, 3, 5, 4, 5, 2, 1));
        assertMessage("V has 6 rows, K has 5: both must be n_k", () -> forward(2, 3, 5, 3, 6, 2, 1));
        assertMessage("divisor is 0.0: it must be finite and above 0", () -> forward(2, 3, 5, 3, 5, 2, 0));
        assertMessage("divisor is -1.0: it must be finite and above 0", () -> forward(2, 3, 5, 3, 5, 2, -1));
        assertMessage("divisor is NaN: it must be finite and above 0", () -> forward(2, 3, 5, 3, 5, 2, Double.NaN));
        assertMessage("divisor is Infinity: it must be finite and above 0", () -> forward(2, 3, 5, 3, 5, 2, 1 / 0.0));
        assertMessage("K is empty (0 × 3): it must have at least one row and one column", () -> forward(2, 3, 0, 3, 0, 2, 1));
        assertMessage("Q is null: it must be a matrix", () -> Attention.forward(null, K, V, 1));
        assertMessage("dOutput is 3 × 4: it must be 4 × 3 (n_q × d_v, the shape of output)",
                () -> Attention.forward(Q, K, V, 1).backward(new SimpleMatrix(3, 4)));
        String message = assertThrows(IllegalArgumentException.class,
                () -> Attention.forward(Q, new SimpleMatrix(5, 7, true, new float[35]), V, 1)).getMessage();
        assertTrue(message.startsWith("K is a float matrix (FMatrixRMaj): it must hold doubles."), message);
        Attention a = Attention.forward(Q, K, V, 1);
        assertMessage("weights is 5 × 4: it must be 4 × 5 (n_q × n_k)",
                () -> new Attention(Q, K, V, a.rule(), a.scores(), a.logits(), a.weights().transpose(), a.output()));
    }

    @Test
    void printsShapesNotNumbers() {
        Attention a = Attention.forward(Q, K, V, 2);
        assertEquals("Attention: Q 4 × 7, K 5 × 7, V 5 × 3, divisor 2.0, output 4 × 3", a.toString());
        assertEquals("Gradients: dQ 4 × 7, dK 5 × 7, dV 5 × 3, dWeights, dLogits and dScores 4 × 5", a.backward(dOutput).toString());
    }

    private static Attention forward(int nQ, int dK, int nK, int keyColumns, int valueRows, int dV, double divisor) {
        return Attention.forward(new SimpleMatrix(nQ, dK), new SimpleMatrix(nK, keyColumns), new SimpleMatrix(valueRows, dV), divisor);
    }

    private static SimpleMatrix matrix(double[][] rows) {
        return new SimpleMatrix(rows);
    }

    private static void assertClose(SimpleMatrix expected, SimpleMatrix actual, double tolerance) {
        assertEquals(expected.getNumRows(), actual.getNumRows());
        assertEquals(expected.getNumCols(), actual.getNumCols());
        for (int i = 0; i < expected.getNumRows(); i++) {
            for (int j = 0; j < expected.getNumCols(); j++) {
                assertEquals(expected.get(i, j), actual.get(i, j), tolerance, "row " + i + ", column " + j);
            }
        }
    }

    private static void assertMessage(String message, org.junit.jupiter.api.function.Executable call) {
        assertEquals(message, assertThrows(RuntimeException.class, call).getMessage());
    }

    @Test
    void tooManyScoresForAnArrayAreRefused() {
        SimpleMatrix tall = new SimpleMatrix(65_536, 1);
        String message = assertThrows(IllegalArgumentException.class,
                () -> Attention.forward(tall, tall, tall, 1)).getMessage();
        assertTrue(message.contains("65536 × 65536"), message);
    }
}
