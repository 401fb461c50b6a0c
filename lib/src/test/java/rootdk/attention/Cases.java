package rootdk.attention;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.function.Function;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.function.Executable;
import rootdk.stats.Draws;

/** A random attention, and what the tests of this package compare with. */
final class Cases {
    final int nQ;
    final int nK;
    final SimpleMatrix Q;
    final SimpleMatrix K;
    final SimpleMatrix V;
    final SimpleMatrix dOutput;
    final SimpleMatrix B;
    final boolean[][] mask;
    final double divisor;
    final double cap;
    final double sink;
    final int steps; // bit 0 cap, 1 bias, 2 mask, 3 causal, 4 sink

    Cases(int nQ, int nK, int dK, int dV, int steps, long seed) {
        Draws draws = Draws.of(seed);
        this.nQ = nQ;
        this.nK = nK;
        this.steps = steps;
        Q = draws.gaussianMatrix(nQ, dK);
        K = draws.gaussianMatrix(nK, dK);
        V = draws.gaussianMatrix(nK, dV);
        dOutput = draws.gaussianMatrix(nQ, dV);
        B = draws.gaussianMatrix(nQ, nK);
        mask = new boolean[nQ][nK];
        for (boolean[] row : mask) {
            for (int j = 0; j < nK; j++) {
                row[j] = draws.uniform() < 0.6;
            }
        }
        if (has(1) && draws.uniform() < 0.5) {
            B.set(0, 0, Double.NEGATIVE_INFINITY);
        }
        divisor = 0.5 + 2 * draws.uniform();
        cap = 0.5 + 2 * draws.uniform();
        sink = draws.gaussian();
    }

    boolean has(int step) {
        return (steps >> step & 1) == 1;
    }

    Logits rule() {
        return rule(B, sink);
    }

    Logits rule(SimpleMatrix bias, double z) {
        Logits rule = Logits.dividedBy(divisor);
        rule = has(0) ? rule.cap(cap) : rule;
        rule = has(1) ? rule.bias(bias) : rule;
        rule = has(2) ? rule.mask(mask) : rule;
        rule = has(3) ? rule.causal() : rule;
        return has(4) ? rule.sink(z) : rule;
    }

    boolean masked(int i, int j) {
        return has(1) && B.get(i, j) == Double.NEGATIVE_INFINITY || has(2) && !mask[i][j] || has(3) && j - (nK - 1) > i - (nQ - 1);
    }

    /** The weights by their definition, one number at a time and without a maximum: slow, and enough for small logits. */
    SimpleMatrix weightsByDefinition() {
        SimpleMatrix p = new SimpleMatrix(nQ, nK);
        for (int i = 0; i < nQ; i++) {
            double sum = has(4) ? Math.exp(sink) : 0;
            for (int j = 0; j < nK; j++) {
                if (!masked(i, j)) {
                    double u = Q.getRow(i).dot(K.getRow(j)) / divisor;
                    u = has(0) ? cap * Math.tanh(u / cap) : u;
                    p.set(i, j, Math.exp(u + (has(1) ? B.get(i, j) : 0)));
                    sum += p.get(i, j);
                }
            }
            for (int j = 0; j < nK; j++) {
                p.set(i, j, masked(i, j) ? 0 : p.get(i, j) / sum);
            }
        }
        return p;
    }

    double loss(SimpleMatrix output) {
        return output.elementMult(dOutput).elementSum();
    }

    /** (L(x + h) − L(x − h)) / 2h for each entry of x; entries that are not finite are left alone and count as 0. */
    static SimpleMatrix centralDifferences(SimpleMatrix x, double h, Function<SimpleMatrix, Double> loss) {
        SimpleMatrix out = new SimpleMatrix(x.getNumRows(), x.getNumCols());
        for (int i = 0; i < x.getNumElements(); i++) {
            if (Double.isFinite(x.get(i))) {
                SimpleMatrix up = x.copy();
                SimpleMatrix down = x.copy();
                up.set(i, x.get(i) + h);
                down.set(i, x.get(i) - h);
                out.set(i, (loss.apply(up) - loss.apply(down)) / (2 * h));
            }
        }
        return out;
    }

    static SimpleMatrix matrix(double[]... rows) {
        return new SimpleMatrix(rows);
    }

    static double[] data(SimpleMatrix m) {
        return m.getDDRM().getData();
    }

    static void assertClose(String name, SimpleMatrix expected, SimpleMatrix actual, double tolerance) {
        assertEquals(expected.getNumRows(), actual.getNumRows(), name);
        assertEquals(expected.getNumCols(), actual.getNumCols(), name);
        for (int i = 0; i < expected.getNumRows(); i++) {
            for (int j = 0; j < expected.getNumCols(); j++) {
                assertEquals(expected.get(i, j), actual.get(i, j), tolerance, name + ", row " + i + ", column " + j);
            }
        }
    }

    static void assertMessage(String message, Executable call) {
        assertEquals(message, assertThrows(RuntimeException.class, call).getMessage());
    }
}
