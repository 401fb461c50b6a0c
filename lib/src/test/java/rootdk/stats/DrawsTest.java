package rootdk.stats;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;

class DrawsTest {
    /**
     * Written down on Java 17; the same on Java 25. Values are rounded to 6 significant digits, so this allows a last-bit
     * difference of Math.exp, but no other decision of the ziggurat. A change here changes every number that a chapter prints.
     */
    @Test
    void theSameNumbersOnEveryJava() throws NoSuchAlgorithmException {
        MessageDigest sha = MessageDigest.getInstance("SHA-256");
        MathContext sixDigits = new MathContext(6);
        for (double x : Sampling.values(42, 100_000, Draws::gaussian)) {
            sha.update((new BigDecimal(x).round(sixDigits).stripTrailingZeros() + "\n").getBytes(StandardCharsets.US_ASCII));
        }
        assertEquals("9af7ac35b310be26d1554df02606b408df1a7e82f4d81157654eb84a8ea49b0c", HexFormat.of().formatHex(sha.digest()));
    }

    /** Mean 0, variance 1, skewness 0, kurtosis 3: within 4 standard errors, which are 1, √2, √6 and √24 over √n for a normal. */
    @Test
    void gaussianMoments() {
        int n = 1_000_000;
        Moments m = Sampling.moments(8, n, Draws::gaussian);
        assertEquals(0, m.mean(), 4 / Math.sqrt(n));
        assertEquals(1, m.variance(), 4 * Math.sqrt(2.0 / n));
        assertEquals(0, m.skewness(), 4 * Math.sqrt(6.0 / n));
        assertEquals(3, m.kurtosis(), 4 * Math.sqrt(24.0 / n));
    }

    /** The largest distance between the sample's distribution function and Φ; above 1.95/√n once in 1000 samples. */
    @Test
    void gaussianDistribution() {
        double[] x = Sampling.values(8, 1_000_000, Draws::gaussian);
        assertEquals(0, KolmogorovSmirnov.distanceToNormal(x), 1.95 / Math.sqrt(x.length));
    }

    /** P(|z| > 4) = 6.3·10⁻⁵, the tail that the ziggurat treats apart: a binomial count within 4 standard deviations. */
    @Test
    void gaussianTail() {
        long n = 10_000_000;
        double share = Sampling.moments(12, n, d -> Math.abs(d.gaussian()) > 4 ? 1 : 0).mean();
        double expected = 2 * Normal.upperTail(4);
        assertEquals(expected, share, 4 * Math.sqrt(expected / n));
    }

    @Test
    void uniformMoments() {
        int n = 200_000;
        Moments m = Sampling.moments(8, n, Draws::uniform);
        assertEquals(0.5, m.mean(), 4 * Math.sqrt(1 / 12.0 / n));
        assertEquals(1 / 12.0, m.variance(), 4 * m.varianceError());
        assertEquals(1.8, m.kurtosis(), 0.01);
        double[] x = Sampling.values(8, n, Draws::uniform);
        assertEquals(0, Arrays.stream(x).min().orElseThrow(), 20.0 / n);
        assertEquals(1, Arrays.stream(x).max().orElseThrow(), 20.0 / n);
    }

    @Test
    void rademacherIsPlusOrMinusOne() {
        int n = 100_000;
        double[] x = Sampling.values(8, n, Draws::rademacher);
        assertEquals(n, Arrays.stream(x).filter(v -> v == 1 || v == -1).count());
        assertEquals(0, Arrays.stream(x).average().orElseThrow(), 4 / Math.sqrt(n));
    }

    @Test
    void everythingDrawsFromTheOneStream() {
        Draws one = Draws.of(4);
        double[] z = one.gaussians(12);
        Draws same = Draws.of(4);
        double dot = 0;
        for (int i = 0; i < 4; i += 2) {
            dot += z[i] * z[i + 1];
        }
        assertEquals(dot, same.dot(2), "q₁ k₁ q₂ k₂");
        double[] q = Arrays.copyOfRange(z, 4, 6);
        assertArrayEquals(new double[] {Draws.dot(q, new double[] {z[6], z[7]}), Draws.dot(q, new double[] {z[8], z[9]}),
            Draws.dot(q, new double[] {z[10], z[11]})}, same.logits(2, 3));
        SimpleMatrix m = Draws.of(4).gaussianMatrix(3, 4);
        assertArrayEquals(z, m.getDDRM().getData(), "row by row");
    }

    /** Exponential: mean 1, variance 1, P(X > x) = e^{−x}; 7.57 is where the ziggurat's tail begins. */
    @Test
    void exponentialDistribution() {
        int n = 1_000_000;
        double[] x = Sampling.values(8, n, Draws::exponential);
        assertTrue(KolmogorovSmirnov.pValue(KolmogorovSmirnov.distance(x, v -> 1 - Math.exp(-v)), n) > 0.001);
        for (double at : new double[] {7, 8, 9}) {
            double expected = n * Math.exp(-at);
            assertEquals(expected, Arrays.stream(x).filter(v -> v > at).count(), 4 * Math.sqrt(expected));
        }
    }

    /** The five assumptions of the proof, one by one, with equal and unequal distributions. */
    @Test
    void dotProductsUnderAnyDistribution() {
        Distribution exponential = Distribution.exponential();
        Distribution wide = Distribution.laplace().scaled(2).shifted(0.5);
        for (Distribution x : new Distribution[] {Distribution.gaussian(), Distribution.uniform(), Distribution.rademacher(),
            Distribution.laplace(), exponential, Distribution.mixture(0.1, 3), Distribution.studentT(10)}) {
            assertMoments(0, 16, Sampling.moments(30, 50_000, d -> d.dot(x, 16)));
        }
        // dK (v_q v_k + m_q² v_k + m_k² v_q) with m = 0.5, v = 4 for wide and m = 3, v = 1 for the other
        assertMoments(5 * 1.5, 5 * (4 + 0.25 + 9 * 4), Sampling.moments(31, 200_000, d -> d.dot(wide, exponential.shifted(3), 5)));
        Draws draws = Draws.of(4);
        double[] x = {wide.of(draws), exponential.of(draws), wide.of(draws), exponential.of(draws)};
        assertEquals(x[0] * x[1] + x[2] * x[3], Draws.of(4).dot(wide, exponential, 2), "q₁ k₁ q₂ k₂");
        assertEquals(Draws.of(4).dot(7), Draws.of(4).dot(Distribution.gaussian(), 7), "the same draws as without a distribution");
    }

    /** Excess kurtosis (κ_q κ_k − 3)/dK: 33/16 for two Laplace vectors, −2/16 for two Rademacher ones; over 40 samples. */
    @Test
    void excessKurtosisIsTheComponentsOverTheirNumber() {
        for (Distribution x : new Distribution[] {Distribution.laplace(), Distribution.rademacher()}) {
            Moments kurtosis = new Moments();
            for (int seed = 0; seed < 40; seed++) {
                kurtosis.add(Sampling.moments(seed, 20_000, d -> d.dot(x, 16)).excessKurtosis());
            }
            assertEquals((x.kurtosis() * x.kurtosis() - 3) / 16, kurtosis.mean(), 4 * kurtosis.meanError() + 0.003);
        }
    }

    @Test
    void correlationMovesTheMeanAndWidensTheSpread() {
        for (double rho : new double[] {-1, -0.6, 0, 0.3, 1}) {
            assertMoments(rho * 16, 16 * (1 + rho * rho), Sampling.moments(33, 50_000, d -> d.dot(Distribution.gaussian(), rho, 16)));
            assertMoments(rho * 16, 16 * (1 + 4 * rho * rho), Sampling.moments(34, 50_000, d -> d.dot(Distribution.laplace(), rho, 16)));
        }
        // N(m, v) with m = 2, v = 9, both components: E = dK (m² + ρ v), Var = dK (v² (1 + ρ²) + 2 m² v (1 + ρ))
        Distribution x = Distribution.gaussian().scaled(3).shifted(2);
        assertMoments(3 * (4 + 0.5 * 9), 3 * (81 * 1.25 + 2 * 4 * 9 * 1.5), Sampling.moments(35, 100_000, d -> d.dot(x, 0.5, 3)));
    }

    private static void assertMoments(double mean, double variance, Moments m) {
        assertEquals(mean, m.mean(), 4 * m.meanError());
        assertEquals(variance, m.variance(), 4 * m.varianceError());
    }

    @Test
    void longDrawsStopAtAnInterrupt() {
        Draws draws = Draws.of(1);
        Thread.currentThread().interrupt();
        try {
            assertMessage("interrupted", () -> draws.maximum(Long.MAX_VALUE));
            assertMessage("interrupted", () -> draws.logits(1, 1_000_000));
            assertTrue(Thread.currentThread().isInterrupted(), "the flag is left set");
        } finally {
            Thread.interrupted();
        }
    }

    /** Keys of one row share q: the row's variance given q is ‖q‖², so its squares vary as ‖q‖⁴ does. */
    @Test
    void logitsOfARowShareTheirQuery() {
        Moments[] m = Sampling.moments(3, 100_000, 2, d -> {
            double[] s = d.logits(8, 2);
            return new double[] {s[0] * s[1], s[0] * s[0] * s[1] * s[1]};
        });
        assertEquals(0, m[0].mean(), 4 * m[0].meanError(), "uncorrelated");
        assertEquals(8 * 8 + 2 * 8, m[1].mean(), 4 * m[1].meanError(), "E‖q‖⁴ = d² + 2d, not the d² of independence");
    }

    @Test
    void badInput() {
        Draws draws = Draws.of(1);
        assertMessage("n is -1: it must be at least 0", () -> draws.gaussians(-1));
        assertMessage("dK is 0: it must be at least 1", () -> draws.dot(0));
        assertMessage("dK is 0: it must be at least 1", () -> draws.logits(0, 1));
        assertMessage("n is 0: it must be at least 1", () -> draws.logits(1, 0));
        assertMessage("rows is 0: it must be at least 1", () -> draws.gaussianMatrix(0, 1));
        assertMessage("columns is 0: it must be at least 1", () -> draws.gaussianMatrix(1, 0));
        assertMessage("k has 2 components, q has 1: both must be d_k", () -> Draws.dot(new double[1], new double[2]));
        assertMessage("q is null", () -> Draws.dot(null, new double[2]));
        assertMessage("k is null", () -> Draws.dot(new double[2], null));
        Distribution x = Distribution.laplace();
        assertMessage("dK is 0: it must be at least 1", () -> draws.dot(x, 0));
        assertMessage("dK is 0: it must be at least 1", () -> draws.dot(x, 0.5, 0));
        assertMessage("q is null", () -> draws.dot((Distribution) null, 4));
        assertMessage("k is null", () -> draws.dot(x, null, 4));
        assertMessage("x is null", () -> draws.dot((Distribution) null, 0.5, 4));
        for (double rho : new double[] {-1.1, 1.1, Double.NaN}) {
            assertMessage("rho is " + rho + ": a correlation is in [-1, 1]", () -> draws.dot(x, rho, 4));
        }
        assertMessage("t(2.0) has no finite variance, so there is no correlation: choose another distribution",
                () -> draws.dot(Distribution.studentT(2), 0.5, 4));
        assertMessage("Cauchy has no finite variance, so there is no correlation: choose another distribution",
                () -> draws.dot(Distribution.cauchy(), 0, 4));
    }

    private static void assertMessage(String message, org.junit.jupiter.api.function.Executable call) {
        assertEquals(message, assertThrows(RuntimeException.class, call).getMessage());
    }
}
