package rootdk.attention;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rootdk.attention.Cases.assertClose;
import static rootdk.attention.Cases.assertMessage;
import static rootdk.attention.Cases.centralDifferences;
import static rootdk.attention.Cases.data;
import static rootdk.attention.Cases.matrix;

import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import rootdk.stats.Draws;

class QkNormTest {
    @Test
    void byHand() {
        SimpleMatrix x = matrix(new double[] {3, 4}, new double[] {0, 0});
        assertArrayEquals(new double[] {6, 8, 0, 0}, data(QkNorm.l2(x, 10).output()), 1e-15);
        assertArrayEquals(new double[] {0.6, 1.6, 0, 0}, data(QkNorm.l2(x, 1, 2).output()), 1e-15);
        // mean square 25/2, and with ε = 3.5 it is 16
        assertArrayEquals(new double[] {3 / Math.sqrt(12.5), 4 / Math.sqrt(12.5), 0, 0}, data(QkNorm.rms(x, 0, 1).output()), 1e-15);
        assertArrayEquals(new double[] {3 / 4.0, 2, 0, 0}, data(QkNorm.rms(x, 3.5, 1, 2).output()), 1e-15);
    }

    /** ℓ2, gain 10, dY = (1, 0): dX = (10/5)(1 − 0.6·0.6, −0.6·0.8), dGain = 0.6. */
    @Test
    void backwardByHand() {
        QkNorm.Gradients g = QkNorm.l2(matrix(new double[] {3, 4}), 10).backward(matrix(new double[] {1, 0}));
        assertArrayEquals(new double[] {2 * 0.64, 2 * -0.48}, data(g.dX()), 1e-15);
        assertArrayEquals(new double[] {0.6}, g.dGain(), 1e-16);
        assertEquals("Gradients: dX 1 × 2, dGain 1", g.toString());
    }

    private interface Norm {
        QkNorm of(SimpleMatrix x, double... gain);
    }

    /** L = Σ dY ∘ y against central differences, h = 1e-5, whose own error is about 10⁻⁹ where the rows have length near 1. */
    @Test
    void gradientsAgainstCentralDifferences() {
        Draws draws = Draws.of(1);
        for (int d = 1; d <= 6; d++) {
            SimpleMatrix x = draws.gaussianMatrix(3, d).scale(2);
            SimpleMatrix up = draws.gaussianMatrix(3, d);
            for (Norm norm : new Norm[] {QkNorm::l2, (z, gain) -> QkNorm.rms(z, 0.5, gain)}) {
                for (int gains : new int[] {1, d}) {
                    double[] gain = draws.gaussians(gains);
                    QkNorm.Gradients g = norm.of(x, gain).backward(up);
                    assertClose("dX", centralDifferences(x, 1e-5, z -> norm.of(z, gain).output().elementMult(up).elementSum()),
                            g.dX(), 1e-7);
                    SimpleMatrix dGain = centralDifferences(new SimpleMatrix(1, gains, true, gain), 1e-5,
                            z -> norm.of(x, data(z)).output().elementMult(up).elementSum());
                    assertArrayEquals(data(dGain), g.dGain(), 1e-8);
                }
            }
        }
    }

    @Test
    void boundsOnTheLogits() {
        Draws draws = Draws.of(2);
        SimpleMatrix q = draws.gaussianMatrix(50, 16).scale(100);
        SimpleMatrix k = draws.gaussianMatrix(50, 16);
        SimpleMatrix l2 = QkNorm.l2(q, 5).output().mult(QkNorm.l2(k, 1).output().transpose());
        SimpleMatrix rms = QkNorm.rms(q, 0, 1.5).output().mult(QkNorm.rms(k, 0, 1.5).output().transpose()).divide(Scale.sqrt(16));
        assertTrue(l2.elementMaxAbs() <= 5 + 1e-14 && l2.elementMaxAbs() > 2, "|g cos| ≤ g");
        assertTrue(rms.elementMaxAbs() <= 1.5 * 1.5 * 4 + 1e-14 && rms.elementMaxAbs() > 4, "g² √d_k");
    }

    @Test
    void lengthIsAllThatChangesWithTheScale() {
        SimpleMatrix x = matrix(new double[] {3, 4});
        for (double scale : new double[] {1e300, 1e-300, 1e-310, 0x1p-1074, 0x1p1021}) {
            double tolerance = scale < 1e-307 ? 1e-4 : 1e-15; // a subnormal row has few digits itself
            assertArrayEquals(new double[] {0.6, 0.8}, data(QkNorm.l2(x.scale(scale), 1).output()), tolerance, "scale " + scale);
        }
        double small = QkNorm.rms(x.scale(1e-300), 1e-6, 1).output().get(0);
        assertEquals(3e-297, small, 1e-311, "ε = 10⁻⁶ is √ε = 10⁻³ here");
    }

    @Test
    void zeroAndNanRows() {
        SimpleMatrix up = matrix(new double[] {1, 2}, new double[] {1, 2}, new double[] {1, 2});
        QkNorm n = QkNorm.l2(matrix(new double[] {0, 0}, new double[] {Double.NaN, 1}, new double[] {0, 2}), 1);
        assertArrayEquals(new double[] {0, 0, Double.NaN, Double.NaN, 0, 1}, data(n.output()));
        assertArrayEquals(new double[] {0, 0, Double.NaN, Double.NaN, 0.5, 0}, data(n.backward(up).dX()));
        assertArrayEquals(new double[] {2},
                QkNorm.l2(matrix(new double[] {0, 0}, new double[] {0, 2}), 1).backward(up.rows(0, 2)).dGain());
        assertTrue(Double.isNaN(QkNorm.l2(matrix(new double[] {Double.POSITIVE_INFINITY, 1}), 1).output().get(0)));
    }

    @Test
    void argumentsAreNeitherChangedNorKept() {
        SimpleMatrix x = matrix(new double[] {3, 4});
        double[] gain = {1, 2};
        QkNorm n = QkNorm.l2(x, gain);
        SimpleMatrix up = matrix(new double[] {1, 1});
        double[] before = data(n.backward(up).dX());
        assertArrayEquals(new double[] {3, 4}, data(x));
        x.fill(9);
        gain[0] = 9;
        assertArrayEquals(before, data(n.backward(up).dX()));
    }

    @Test
    void badInput() {
        SimpleMatrix x = new SimpleMatrix(2, 3);
        assertMessage("gain has 2 entries, X has 3 columns: it must have 1, for all columns, or d_k", () -> QkNorm.l2(x, 1, 2));
        assertMessage("gain has 0 entries, X has 3 columns: it must have 1, for all columns, or d_k", () -> QkNorm.l2(x));
        assertMessage("gain is null: it must be 1 number, or one for each of the d_k columns of X", () -> QkNorm.l2(x, (double[]) null));
        assertMessage("epsilon is -1.0: it must be finite and at least 0", () -> QkNorm.rms(x, -1, 1));
        assertMessage("epsilon is NaN: it must be finite and at least 0", () -> QkNorm.rms(x, Double.NaN, 1));
        assertMessage("epsilon is Infinity: it must be finite and at least 0", () -> QkNorm.rms(x, 1 / 0.0, 1));
        assertMessage("X is null: it must be a matrix", () -> QkNorm.rms(null, 0, 1));
        assertMessage("dY is 3 × 2: it must be 2 × 3 (n × d_k, the shape of output)",
                () -> QkNorm.l2(x, 1).backward(new SimpleMatrix(3, 2)));
    }
}
