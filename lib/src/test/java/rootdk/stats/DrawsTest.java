package rootdk.stats;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
        Arrays.sort(x);
        double distance = 0;
        for (int i = 0; i < x.length; i++) {
            double cdf = Normal.cdf(x[i]);
            distance = Math.max(distance, Math.max(cdf - (double) i / x.length, (i + 1.0) / x.length - cdf));
        }
        assertEquals(0, distance, 1.95 / Math.sqrt(x.length));
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
    }

    private static void assertMessage(String message, org.junit.jupiter.api.function.Executable call) {
        assertEquals(message, assertThrows(RuntimeException.class, call).getMessage());
    }
}
