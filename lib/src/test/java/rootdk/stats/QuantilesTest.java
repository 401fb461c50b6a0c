package rootdk.stats;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class QuantilesTest {
    /** Python with NumPy 2.4.6: numpy.quantile([17, 3, 5, 2, 11, 13, 7], [0, .1, .25, .5, .9, 1]). */
    @Test
    void agreesWithNumpy() {
        double[] x = {17, 3, 5, 2, 11, 13, 7};
        assertArrayEquals(new double[] {2, 2.6, 4, 7, 14.6, 17}, Quantiles.of(x, 0, 0.1, 0.25, 0.5, 0.9, 1), 1e-14);
        assertEquals(17, x[0], "the sample is not sorted in place");
    }

    @Test
    void oneValueAndInfinities() {
        assertArrayEquals(new double[] {4, 4}, Quantiles.of(new double[] {4}, 0.3, 1));
        double inf = Double.POSITIVE_INFINITY;
        assertArrayEquals(new double[] {1, inf}, Quantiles.of(new double[] {inf, 0, inf, 1, 2, inf}, 0.2, 0.7));
    }

    /** Quantiles of the normal: Φ⁻¹(p) within 4 standard errors √(p(1−p)/n)/φ. */
    @Test
    void quantilesOfNormalDraws() {
        int n = 200_000;
        double[] z = Quantiles.of(Sampling.values(4, n, Draws::gaussian), 0.025, 0.5, 0.975);
        double[] expected = {-1.959963984540054, 0, 1.959963984540054};
        double[] p = {0.025, 0.5, 0.975};
        for (int i = 0; i < 3; i++) {
            assertEquals(expected[i], z[i], 4 * Math.sqrt(p[i] * (1 - p[i]) / n) / Normal.density(expected[i]));
        }
    }

    @Test
    void badInput() {
        assertMessage("x is empty: at least one number is needed", () -> Quantiles.of(new double[0], 0.5));
        assertMessage("x[0] is NaN, which has no place in an order: remove it first", () -> Quantiles.of(new double[] {Double.NaN}, 0.5));
        assertMessage("probabilities[1] is 1.5: it must be in [0, 1]", () -> Quantiles.of(new double[] {1, 2}, 0.5, 1.5));
        assertMessage("probabilities[0] is NaN: it must be in [0, 1]", () -> Quantiles.of(new double[] {1, 2}, Double.NaN));
        assertMessage("probabilities is null", () -> Quantiles.of(new double[] {1, 2}, (double[]) null));
    }

    private static void assertMessage(String message, org.junit.jupiter.api.function.Executable call) {
        assertEquals(message, assertThrows(RuntimeException.class, call).getMessage());
    }
}
