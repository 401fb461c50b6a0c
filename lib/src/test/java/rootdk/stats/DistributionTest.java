package rootdk.stats;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class DistributionTest {
    private static final double INF = Double.POSITIVE_INFINITY;

    /** Bits of 10⁴ draws, written down on Java 17; the same on Java 25. A change here changes what chapters print. */
    @ParameterizedTest
    @MethodSource
    void theSameBitsOnEveryJava(Distribution x, String expected) throws NoSuchAlgorithmException {
        MessageDigest sha = MessageDigest.getInstance("SHA-256");
        for (double value : Sampling.values(42, 10_000, x)) {
            sha.update(ByteBuffer.allocate(8).putDouble(value).flip());
        }
        assertEquals(expected, HexFormat.of().formatHex(sha.digest(), 0, 8));
    }

    static Stream<Arguments> theSameBitsOnEveryJava() {
        return Stream.of(
                Arguments.of(Distribution.gaussian(), "e6a7a1ab5159fede"),
                Arguments.of(Distribution.uniform(), "9a61ddb4472c039b"),
                Arguments.of(Distribution.rademacher(), "251996049cd6765b"),
                Arguments.of(Distribution.laplace(), "ab24d022b15f4c7a"),
                Arguments.of(Distribution.exponential(), "9660359f4d972eef"),
                Arguments.of(Distribution.mixture(0.1, 5), "518c447193c50477"),
                Arguments.of(Distribution.studentT(5), "cc8b269292d68685"),
                Arguments.of(Distribution.studentT(0.7), "c58719a884ff7918"),
                Arguments.of(Distribution.cauchy(), "3441d84489724c13"),
                Arguments.of(Distribution.laplace().scaled(2).shifted(1), "8a677cddb0ed75f2"));
    }

    /** Those whose eighth moment exists, so that the error of a sample's kurtosis can itself be estimated. */
    static List<Distribution> lightTailed() {
        return List.of(Distribution.gaussian(), Distribution.uniform(), Distribution.rademacher(), Distribution.laplace(),
                Distribution.exponential(), Distribution.mixture(0.1, 3), Distribution.mixture(0.5, 0.1), Distribution.studentT(20),
                Distribution.laplace().scaled(3).shifted(-2));
    }

    /** Each within 4 standard errors; that of the kurtosis is the spread over 40 samples, less its bias, which is of order 1/n. */
    @ParameterizedTest
    @MethodSource("lightTailed")
    void samplesHaveTheExactMoments(Distribution x) {
        Moments all = new Moments();
        Moments kurtosis = new Moments();
        for (int seed = 0; seed < 40; seed++) {
            Moments m = Sampling.moments(seed, 20_000, x);
            all.merge(m);
            kurtosis.add(m.kurtosis());
        }
        assertEquals(x.mean(), all.mean(), 4 * all.meanError());
        assertEquals(x.variance(), all.variance(), 4 * all.varianceError() + 1e-5); // 1e-5: Rademacher's error is 0
        assertEquals(x.kurtosis(), kurtosis.mean(), 4 * kurtosis.meanError() + 0.001 * x.kurtosis());
    }

    /** Against closed forms, by the Kolmogorov–Smirnov distance of 10⁵ draws. */
    @ParameterizedTest
    @MethodSource
    void samplesFollowTheDistributionFunction(Distribution x, DoubleUnaryOperator cdf) {
        int n = 100_000;
        double p = KolmogorovSmirnov.pValue(KolmogorovSmirnov.distance(Sampling.values(77, n, x), cdf), n);
        assertTrue(p > 0.001, x + ": p = " + p);
    }

    static Stream<Arguments> samplesFollowTheDistributionFunction() {
        double root2 = Math.sqrt(2);
        double root3 = Math.sqrt(3);
        return Stream.of(
                arguments(Distribution.gaussian(), Normal::cdf),
                arguments(Distribution.uniform(), x -> (x / root3 + 1) / 2),
                arguments(Distribution.laplace(), x -> x < 0 ? Math.exp(root2 * x) / 2 : 1 - Math.exp(-root2 * x) / 2),
                arguments(Distribution.exponential(), x -> 1 - Math.exp(-(x + 1))),
                // share 0.2, ratio 3: the variance 0.8 + 0.2·9 = 2.6 is divided out
                arguments(Distribution.mixture(0.2, 3),
                        x -> 0.8 * Normal.cdf(x * Math.sqrt(2.6)) + 0.2 * Normal.cdf(x * Math.sqrt(2.6) / 3)),
                arguments(Distribution.cauchy(), x -> 0.5 + Math.atan(x) / Math.PI),
                arguments(Distribution.studentT(1), x -> 0.5 + Math.atan(x) / Math.PI),
                arguments(Distribution.studentT(2), x -> 0.5 + x / (2 * Math.sqrt(2 + x * x))),
                // t₃ = √3·x, with variance 3 divided out
                arguments(Distribution.studentT(3), x -> 0.5 + (x / (1 + x * x) + Math.atan(x)) / Math.PI),
                arguments(Distribution.laplace().scaled(2).shifted(1),
                        x -> x < 1 ? Math.exp((x - 1) / root2) / 2 : 1 - Math.exp(-(x - 1) / root2) / 2));
    }

    private static Arguments arguments(Distribution x, DoubleUnaryOperator cdf) {
        return Arguments.of(x, cdf);
    }

    /** Python with SciPy 1.17.1: [scipy.stats.t.cdf(x, nu) for x in (-10, -3, -1, 0.5, 2, 5)]; counts within 4 standard deviations. */
    @ParameterizedTest
    @CsvSource({
        "0.5, 0.10133867638566559, 0.1836540779929717, 0.30112161084132205, 0.6213409635352818, 0.7772425549084343, 0.8570042984205706",
        "1.5, 0.011829677556810778, 0.06677387712745664, 0.22556768363835517, 0.65971644466503, 0.8879058348219744, 0.9673121161894219",
        "2.5, 0.0022207478836537117, 0.036288047774515914, 0.20203051363913682, 0.6711510400651426, 0.9213042521210171, 0.9882744050145691",
        "7.3, 8.050127600740506e-06, 0.009490275511566748, 0.17464922822655723, 0.6841032365977792, 0.9580294803329484, 0.9993086128103432",
        "200.5, 1.1670556587224017e-19, 0.0015210820839504442, 0.15925791918056564, 0.6911883086883952, 0.9765750976867795, 0.9999993760253091"})
    void studentTOfAnyNuAgreesWithScipy(double nu, double c1, double c2, double c3, double c4, double c5, double c6) {
        double[] at = {-10, -3, -1, 0.5, 2, 5};
        double[] cdf = {c1, c2, c3, c4, c5, c6};
        double sd = nu > 2 ? Math.sqrt(nu / (nu - 2)) : 1;
        int n = 400_000;
        double[] t = Sampling.values(78, n, Distribution.studentT(nu));
        for (int i = 0; i < at.length; i++) {
            long count = 0;
            for (double x : t) {
                count += x * sd <= at[i] ? 1 : 0;
            }
            assertEquals(n * cdf[i], count, 4 * Math.sqrt(n * cdf[i] * (1 - cdf[i])) + 1, "at " + at[i]);
        }
    }

    @Test
    void momentsThatDoNotExist() {
        assertMoments(0, 1, 9, Distribution.studentT(5));
        assertMoments(0, 1, INF, Distribution.studentT(4));
        assertMoments(0, 1, INF, Distribution.studentT(2.1));
        assertMoments(0, INF, Double.NaN, Distribution.studentT(2));
        assertMoments(Double.NaN, Double.NaN, Double.NaN, Distribution.studentT(1));
        assertMoments(Double.NaN, Double.NaN, Double.NaN, Distribution.cauchy());
        assertMoments(Double.NaN, Double.NaN, Double.NaN, Distribution.cauchy().scaled(2).shifted(1));
    }

    /** Share 0.1, ratio 3: variance 0.9 + 0.9, fourth moment 3(0.9 + 8.1): κ = 27/1.8². */
    @Test
    void mixtureKurtosisByHand() {
        assertMoments(0, 1, 27 / (1.8 * 1.8), Distribution.mixture(0.1, 3));
        assertMoments(0, 1, 3, Distribution.mixture(0.3, 1));
        assertMoments(0, 1, 3, Distribution.mixture(0, 5));
        assertMoments(0, 1, 3, Distribution.mixture(1, 5));
        assertEquals(30, Distribution.mixture(0.1, 1e100).kurtosis(), 1e-12, "3/p, and no overflow");
    }

    private static void assertMoments(double mean, double variance, double kurtosis, Distribution x) {
        assertEquals(mean, x.mean());
        assertEquals(variance, x.variance());
        assertEquals(kurtosis, x.kurtosis(), 1e-14);
    }

    /** (2X + 1)·3 + 4 = 6X + 7. */
    @Test
    void scaledAndShifted() {
        Distribution x = Distribution.exponential().scaled(2).shifted(1).scaled(3).shifted(4);
        assertMoments(7, 36, 9, x);
        assertEquals(6 * Distribution.exponential().of(Draws.of(1)) + 7, x.of(Draws.of(1)));
        assertEquals("exponential·2.0 + 1.0·3.0 + 4.0", x.toString());
        assertEquals("t(2.5) − 1.5", Distribution.studentT(2.5).shifted(-1.5).toString());
        assertEquals("mixture(0.1, 3.0)", Distribution.mixture(0.1, 3).toString());
    }

    @Test
    void severalDrawsAreOneAfterTheOther() {
        Draws draws = Draws.of(5);
        Distribution x = Distribution.studentT(3);
        assertArrayEquals(new double[] {x.of(draws), x.of(draws), x.of(draws)}, x.of(Draws.of(5), 3));
        assertEquals(0, x.of(draws, 0).length);
    }

    /** P(|t| > x) ∝ x^{−ν} in the tail: for ν = 0.05, one draw in 10 passes 10²⁰ or so, and very few are infinite. */
    @Test
    void tinyNuReachesTheEndOfDouble() {
        double[] t = Sampling.values(3, 100_000, Distribution.studentT(0.05));
        double beyond200 = 0;
        double beyond100 = 0;
        for (double x : t) {
            assertTrue(!Double.isNaN(x));
            beyond200 += Math.abs(x) > 1e200 ? 1 : 0;
            beyond100 += Math.abs(x) > 1e100 ? 1 : 0;
        }
        double ratio = Math.pow(1e100, -0.05);
        assertEquals(ratio, beyond200 / beyond100, 4 * Math.sqrt(ratio / beyond100), "no draw is lost to underflow on the way");
    }

    @Test
    void badInput() {
        for (double bad : new double[] {0, -1, Double.NaN, INF}) {
            assertMessage("nu is " + bad + ": it must be finite and above 0", () -> Distribution.studentT(bad));
            assertMessage("ratio is " + bad + ": it must be finite and above 0", () -> Distribution.mixture(0.5, bad));
            assertMessage("factor is " + bad + ": it must be finite and above 0", () -> Distribution.laplace().scaled(bad));
        }
        for (double bad : new double[] {-0.1, 1.1, Double.NaN}) {
            assertMessage("share is " + bad + ": it must be in [0, 1]", () -> Distribution.mixture(bad, 2));
        }
        for (double bad : new double[] {-INF, INF, Double.NaN}) {
            assertMessage("offset is " + bad + ": it must be finite", () -> Distribution.laplace().shifted(bad));
        }
        assertMessage("draws is null", () -> Distribution.laplace().of(null));
        assertMessage("draws is null", () -> Distribution.laplace().of(null, 2));
        assertMessage("n is -1: it must be at least 0", () -> Distribution.laplace().of(Draws.of(1), -1));
    }

    private static void assertMessage(String message, org.junit.jupiter.api.function.Executable call) {
        assertEquals(message, assertThrows(RuntimeException.class, call).getMessage());
    }
}
