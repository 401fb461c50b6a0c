package rootdk.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NormalTest {
    /** Python with mpmath 1.4.1: mp.dps = 50; repr(float(erfc(mpf(x)/sqrt(mpf(2)))/2)), repr(float(npdf(mpf(x)))). */
    @ParameterizedTest
    @CsvSource({
        "-38.4, 1.0, 2.535e-321",
        "-8, 0.9999999999999993, 5.052271083536892e-15",
        "-1, 0.8413447460685429, 0.24197072451914334",
        "-0.3, 0.6179114221889527, 0.3813878154605241",
        "0, 0.5, 0.3989422804014327",
        "0.001, 0.49960105778608893, 0.39894208093034234",
        "0.5, 0.3085375387259869, 0.35206532676429947",
        "1, 0.15865525393145705, 0.24197072451914334",
                "1.5, 0.06680720126885807, 0.12951759566589172",
        "1.51, 0.0655217120889165, 0.12758295057214186",
        "2, 0.02275013194817921, 0.05399096651318805",
        "3, 0.0013498980316300946, 0.0044318484119380075",
        "5.3, 5.790134039964594e-08, 3.171349216715978e-07",
        "10, 7.619853024160525e-24, 7.694598626706419e-23",
        "20, 2.7536241186062337e-89, 5.520948362159764e-88",
        "29.7, 3.839307400444862e-194, 1.1415640795179444e-192",
        "37, 5.725571222524577e-300, 2.1200065515246056e-298"})
    void agreesWithMpmath(double x, double upperTail, double density) {
        assertEquals(upperTail, Normal.upperTail(x), 2e-15 * upperTail);
        assertEquals(upperTail, Normal.cdf(-x), 2e-15 * upperTail);
        assertEquals(density, Normal.density(x), 1e-15 * density + Double.MIN_VALUE);
    }

    @Test
    void bothBranchesMeet() {
        assertEquals(Normal.upperTail(1.5), Normal.upperTail(Math.nextUp(1.5)), 2e-16);
    }

    /** Φ is the integral of φ: Simpson's rule on [−1, 2.5] in 1000 steps, good to about 10⁻¹³. */
    @Test
    void theDensityIsTheDerivative() {
        int steps = 1000;
        double h = 3.5 / steps;
        double sum = 0;
        for (int i = 0; i <= steps; i++) {
            sum += Normal.density(-1 + i * h) * (i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2);
        }
        assertEquals(sum * h / 3, Normal.cdf(2.5) - Normal.cdf(-1), 1e-12);
    }

    @Test
    void otherMeanAndDeviation() {
        assertEquals(Normal.density(1.5) / 8, Normal.density(15, 3, 8), 1e-17);
    }

    @Test
    void limits() {
        double inf = Double.POSITIVE_INFINITY;
        assertEquals(0, Normal.upperTail(inf));
        assertEquals(1, Normal.upperTail(-inf));
        assertEquals(1, Normal.cdf(inf));
        assertEquals(0, Normal.cdf(-inf));
        assertEquals(0, Normal.density(inf));
        assertEquals(0, Normal.density(-1e300));
        assertTrue(Double.isNaN(Normal.cdf(Double.NaN)));
        assertTrue(Double.isNaN(Normal.density(Double.NaN)));
    }

    @Test
    void badInput() {
        for (double sd : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertEquals("sd is " + sd + ": it must be finite and above 0",
                    assertThrows(IllegalArgumentException.class, () -> Normal.density(0, 0, sd)).getMessage());
        }
        assertEquals("mean is NaN: it must be finite",
                assertThrows(IllegalArgumentException.class, () -> Normal.density(0, Double.NaN, 1)).getMessage());
    }
}
