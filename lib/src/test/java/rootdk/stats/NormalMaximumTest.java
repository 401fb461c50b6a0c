package rootdk.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NormalMaximumTest {
    /** Python with mpmath 1.4.1: mp.dps = 40; quad(lambda x: x*n*npdf(x)*exp((n-1)*log1p(-erfc(x/sqrt(2))/2)), [-12] + half steps to 20). */
    @ParameterizedTest
    @CsvSource({"1, 0", "3, 0.84628437532163443042", "5, 1.1629644736405196128", "10, 1.538752730835172856", "100, 2.5075936364416843725",
        "1000, 3.2414357691334408614", "1000000, 4.8628974861964627212", "1000000000, 6.0876845844459586505",
        "9223372036854775807, 9.0664922764063418946"})
    void agreesWithMpmath(long n, double expected) {
        assertEquals(expected, NormalMaximum.expected(n), 1e-13);
    }

    @Test
    void theLargerOfTwoIsOneOverRootPi() {
        assertEquals(1 / Math.sqrt(Math.PI), NormalMaximum.expected(2), 1e-15);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 10, 1000})
    void samplesHaveThatMean(int n) {
        Moments m = Sampling.moments(19, 20_000, d -> d.maximum(n));
        assertEquals(NormalMaximum.expected(n), m.mean(), 4 * m.meanError());
    }

    /** The distribution function of the maximum is Φⁿ; more than 4096 draws, so that the loop polls for an interrupt. */
    @Test
    void samplesFollowThePowerOfTheNormal() {
        double[] x = Sampling.values(20, 2000, d -> d.maximum(5000));
        double distance = KolmogorovSmirnov.distance(x, v -> Math.pow(Normal.cdf(v), 5000));
        assertTrue(KolmogorovSmirnov.pValue(distance, 2000) > 0.001);
        Draws same = Draws.of(21);
        double largest = Double.NEGATIVE_INFINITY;
        for (double z : same.gaussians(5000)) {
            largest = Math.max(largest, z);
        }
        assertEquals(largest, Draws.of(21).maximum(5000));
    }

    @Test
    void theMeanIsBetweenTheLocationAndTheBound() {
        assertEquals(3.71692, NormalMaximum.bound(1000), 5e-6);
        assertEquals(3.11647, NormalMaximum.location(1000), 5e-6);
        assertEquals(0, NormalMaximum.bound(1));
        for (long n = 2; n < 1L << 62; n *= 2) {
            double mean = NormalMaximum.expected(n);
            assertTrue(mean <= NormalMaximum.bound(n), "n = " + n);
            assertTrue(mean > NormalMaximum.location(n), "n = " + n);
            assertEquals(0.5772 / NormalMaximum.bound(n), mean - NormalMaximum.location(n), 0.5 / Math.pow(NormalMaximum.bound(n), 2));
        }
    }

    @Test
    void badInput() {
        assertMessage("n is 0: it must be at least 1", () -> NormalMaximum.expected(0));
        assertMessage("n is 0: it must be at least 1", () -> NormalMaximum.bound(0));
        assertMessage("n is 1: it must be at least 2", () -> NormalMaximum.location(1));
        assertMessage("n is 0: it must be at least 1", () -> Draws.of(1).maximum(0));
    }

    private static void assertMessage(String message, org.junit.jupiter.api.function.Executable call) {
        assertEquals(message, assertThrows(RuntimeException.class, call).getMessage());
    }
}
