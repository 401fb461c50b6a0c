package rootdk.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KolmogorovSmirnovTest {
    /** F(x) = x, sample 0.1, 0.2, 0.9: the steps at 0.2 go from 1/3 to 2/3, which is 0.4667 above F. */
    @Test
    void byHand() {
        double[] x = {0.9, 0.1, 0.2};
        assertEquals(2 / 3.0 - 0.2, KolmogorovSmirnov.distance(x, u -> u), 1e-15);
        assertEquals(0.9, x[0], "the sample is not sorted in place");
        assertEquals(0.8, KolmogorovSmirnov.distance(new double[] {0.8}, u -> u), "below the first value");
        assertEquals(0.7, KolmogorovSmirnov.distance(new double[] {0.3, 0.3, 0.3}, u -> u), "ties");
        assertEquals(0.5, KolmogorovSmirnov.distance(new double[] {0.5, 0.5}, u -> u), "and from below");
        assertEquals(1 / 6.0, KolmogorovSmirnov.distance(new double[] {1 / 6.0, 0.5, 5 / 6.0}, u -> u), 1e-15, "the least there is");
    }

    /** Python with SciPy 1.17.1: scipy.stats.kstest([0.1, -0.4, 1.2, 0.7, -2.2, 0.05], 'norm').statistic. */
    @Test
    void agreesWithScipy() {
        assertEquals(0.18660547250503917, KolmogorovSmirnov.distanceToNormal(0.1, -0.4, 1.2, 0.7, -2.2, 0.05), 1e-15);
    }

    @Test
    void infinitiesAreAtTheEnds() {
        assertEquals(0.5, KolmogorovSmirnov.distanceToNormal(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY));
        assertEquals(1, KolmogorovSmirnov.distanceToNormal(Double.POSITIVE_INFINITY));
    }

    /** Python with SciPy 1.17.1: scipy.stats.kstwo.sf(distance, n), the exact probability. */
    @ParameterizedTest
    @CsvSource({"0.1, 10, 0.99963712, 0.003", "0.3, 10, 0.27053557479999946, 0.003", "0.5, 10, 0.00777741, 0.003",
        "0.02, 1000, 0.8108971656895577, 2.1e-5", "0.05, 1000, 0.013012074781090332, 2.1e-5", "0.06, 1000, 0.001428597887952891, 2.1e-5",
        "0.001, 1000000, 0.26982107442589376, 1e-7", "0.002, 1000000, 0.0006700277103670718, 1e-7",
        "0, 1000, 1, 0", "1, 1000, 0, 0"})
    void probabilityAgreesWithScipy(double distance, long n, double p, double tolerance) {
        assertEquals(p, KolmogorovSmirnov.pValue(distance, n), tolerance);
    }

    @Test
    void probabilityNeverRises() {
        double before = 1;
        for (int i = 0; i <= 1000; i++) {
            double p = KolmogorovSmirnov.pValue(i / 1000.0, 40);
            assertTrue(p >= 0 && p <= before, "D = " + i / 1000.0 + ": " + p);
            before = p;
        }
    }

    /** 400 samples from F itself: p is uniform on [0, 1], which the distance itself can judge; and another F is found out. */
    @Test
    void probabilityIsUniformUnderTheDistributionItself() {
        double[] p = new double[400];
        for (int i = 0; i < p.length; i++) {
            p[i] = KolmogorovSmirnov.pValue(KolmogorovSmirnov.distanceToNormal(Sampling.values(i, 500, Draws::gaussian)), 500);
        }
        assertTrue(KolmogorovSmirnov.pValue(KolmogorovSmirnov.distance(p, u -> u), p.length) > 0.01);
        double[] laplace = Sampling.values(1, 2000, Distribution.laplace());
        assertTrue(KolmogorovSmirnov.pValue(KolmogorovSmirnov.distanceToNormal(laplace), 2000) < 1e-4);
    }

    /**
     * q·k/√dₖ given q is N(0, ‖q‖²/dₖ): its distance from the normal distribution is sup_x |E Φ(x/r) − Φ(x)| over r = ‖q‖/√dₖ, here
     * 0.0171 for dₖ = 8. 400 000 draws show it within 1.36/√n = 0.0022.
     */
    @Test
    void dotProductsOfEightComponentsAreNotQuiteNormal() {
        int n = 400_000;
        double[] s = Sampling.values(8, n, d -> d.dot(8) / Math.sqrt(8));
        assertEquals(0.0171, KolmogorovSmirnov.distanceToNormal(s), 1.36 / Math.sqrt(n));
    }

    @Test
    void badInput() {
        assertMessage("x is empty: at least one number is needed", () -> KolmogorovSmirnov.distanceToNormal());
        assertMessage("x is null", () -> KolmogorovSmirnov.distanceToNormal((double[]) null));
        assertMessage("x[0] is NaN, which has no place in an order: remove it first",
                () -> KolmogorovSmirnov.distanceToNormal(Double.NaN));
        assertMessage("cdf is null", () -> KolmogorovSmirnov.distance(new double[1], null));
        assertMessage("cdf(2.0) is 2.0: it must be in [0, 1]", () -> KolmogorovSmirnov.distance(new double[] {2}, u -> u));
        assertMessage("cdf(-2.0) is -2.0: it must be in [0, 1]", () -> KolmogorovSmirnov.distance(new double[] {-2}, u -> u));
        assertMessage("cdf(2.0) is NaN: it must be in [0, 1]", () -> KolmogorovSmirnov.distance(new double[] {2}, u -> Double.NaN));
        for (double bad : new double[] {-0.1, 1.1, Double.NaN}) {
            assertMessage("distance is " + bad + ": it must be in [0, 1]", () -> KolmogorovSmirnov.pValue(bad, 10));
        }
        assertMessage("n is 0: it must be at least 1", () -> KolmogorovSmirnov.pValue(0.1, 0));
    }

    private static void assertMessage(String message, org.junit.jupiter.api.function.Executable call) {
        assertEquals(message, assertThrows(RuntimeException.class, call).getMessage());
    }
}
