package rootdk.attention;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import rootdk.backend.Backend;
import rootdk.backend.Precise;
import rootdk.stats.Draws;

class SoftmaxTest {
    private static final double INF = Double.POSITIVE_INFINITY;
    private static final double NAN = Double.NaN;

    /** e⁰ : e^ln2 : e^ln5 = 1 : 2 : 5. */
    @Test
    void byHand() {
        double[] logits = {0, StrictMath.log(2), StrictMath.log(5)};
        assertArrayEquals(new double[] {1 / 8.0, 2 / 8.0, 5 / 8.0}, Softmax.of(logits), 1e-16);
        assertArrayEquals(new double[] {0, StrictMath.log(2), StrictMath.log(5)}, logits, "the argument is not changed");
    }

    /**
     * Python with mpmath 1.4.1: mp.dps = 50; s = [mpf(0.3), mpf(-2), mpf(1.7), mpf(0.9)]; e = [exp(x) for x in s];
     * p = [x/sum(e) for x in e]; log: [log(x) for x in p]; entropy: -sum(x*log(x) for x in p); N_eff: 1/sum(x*x for x in p).
     */
    @Test
    void agreesWithMpmath() {
        double[] s = {0.3, -2, 1.7, 0.9};
        double[] p = Softmax.of(s);
        assertArrayEquals(new double[] {0.1433162131266792, 0.014368717814811763, 0.5811759027196138, 0.2611391663388952}, p, 2e-16);
        assertArrayEquals(new double[] {-1.942701809398796, -4.242701809398796, -0.5427018093987961, -1.342701809398796},
                Softmax.log(s), 1e-15);
        assertEquals(1.0054200967620666, Softmax.entropy(p), 4e-16);
        assertEquals(2.343538947319385, Softmax.effectiveCount(p), 2e-15);
        assertEquals(0.41793631682680177, Softmax.jacobianNorm(p), 2e-16);
    }

    /** The three rows of the worked example, to the digits a reader would write. */
    @Test
    void workedExample() {
        assertArrayEquals(new double[] {0.2447, 0.6652, 0.0900}, Softmax.of(0, 1, -1), 5e-5);
        assertArrayEquals(new double[] {0.3072, 0.5065, 0.1863}, Softmax.of(0, 0.5, -0.5), 5e-5);
        assertArrayEquals(new double[] {0.0180, 0.9817, 0.0003}, Softmax.of(0, 4, -4), 5e-5);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 5, -5, 800, -800, 1e15, Double.MAX_VALUE / 2})
    void aCommonShiftChangesNothing(double shift) {
        // 2⁻³ steps survive every shift here but the last two, where all logits round to the same number.
        double[] weights = Softmax.of(shift, shift + 0.125, shift - 0.25);
        double[] expected = shift > 1e16 ? new double[] {1 / 3.0, 1 / 3.0, 1 / 3.0} : Softmax.of(0, 0.125, -0.25);
        assertArrayEquals(expected, weights, 1e-16);
    }

    /**
     * Against 35 digits, logits of every magnitude: s_i − max is rounded for most of them, by up to 2⁻⁴⁴. Errors in units of the last
     * place; without what makes up for the rounding they are in the hundreds.
     */
    @Property(seed = "1", tries = 400)
    void agreesWithManyDigits(@ForAll @IntRange(min = 1, max = 8) int n, @ForAll @IntRange(min = -300, max = 300) int magnitude,
            @ForAll boolean spread, @ForAll long seed) {
        Draws draws = Draws.of(seed);
        double[] s = draws.gaussians(n);
        double center = draws.gaussian() * Math.pow(10, magnitude);
        for (int i = 0; i < n; i++) { // all at one magnitude, or near a center of it with differences of up to hundreds
            s[i] = spread ? center + s[i] * Math.exp(6 * draws.uniform()) : s[i] * Math.pow(10, magnitude);
        }
        double temperature = draws.uniform() < 0.5 ? 1 : Math.exp(draws.gaussian());
        BigDecimal[] p = exact(s, temperature);
        double[] actual = Softmax.atTemperature(temperature, s);
        double[] fast = fastOrNull(temperature, s);
        for (int i = 0; i < n; i++) {
            double ulps = Precise.ulps(p[i], actual[i]);
            assertTrue(ulps <= 4, "weight " + i + " of " + Arrays.toString(s) + " is off by " + ulps + " ulp");
            if (fast != null) {
                double d = Math.min(800, Arrays.stream(s).max().orElseThrow() - s[i]);
                ulps = Precise.ulps(p[i], fast[i]);
                assertTrue(ulps <= d + 6, "fast weight " + i + " of " + Arrays.toString(s) + " is off by " + ulps + " ulp");
            }
        }
    }

    /** The fast one has no temperature. */
    private static double[] fastOrNull(double temperature, double[] s) {
        return temperature == 1 ? Softmax.of(Backend.plain(), s) : null;
    }

    private static BigDecimal[] exact(double[] s, double temperature) {
        BigDecimal max = new BigDecimal(Arrays.stream(s).max().orElseThrow());
        BigDecimal[] e = new BigDecimal[s.length];
        BigDecimal sum = BigDecimal.ZERO;
        for (int i = 0; i < s.length; i++) {
            BigDecimal x = new BigDecimal(s[i]).subtract(max).divide(new BigDecimal(temperature), MathContext.DECIMAL128);
            e[i] = x.doubleValue() < -800 ? BigDecimal.ZERO : Precise.exp(x);
            sum = sum.add(e[i], MathContext.DECIMAL128);
        }
        for (int i = 0; i < s.length; i++) {
            e[i] = e[i].divide(sum, MathContext.DECIMAL128);
        }
        return e;
    }

    /** The log of a weight near 1 is −Σ of the others, here e^−700.1: 700.1 is rounded, its difference from 0.3 once more. */
    @Test
    void logOfAWeightNearOneFarFromTheOther() {
        BigDecimal x = new BigDecimal(-700.1).subtract(new BigDecimal(0.3));
        assertTrue(Precise.ulps(Precise.exp(x).negate(), Softmax.log(0.3, -700.1)[0]) <= 2);
    }

    /** Lengths around the 192 columns: both backends, the same bits, and the exact softmax to rounding. */
    @Test
    void fastSoftmax() {
        for (int n : new int[] {1, 2, 191, 192, 193, 1000, 5000}) {
            assertFastSoftmax(Draws.of(n).gaussians(n), 1e-14);
        }
    }

    private static void assertFastSoftmax(double[] s, double tolerance) {
        double[] before = s.clone();
        double[] p = Softmax.of(Backend.plain(), s);
        assertArrayEquals(before, s, "the argument is not changed");
        assertArrayEquals(p, Softmax.of(Backend.vector().orElseThrow(), s));
        double[] expected = Softmax.of(s);
        for (int i = 0; i < s.length; i++) {
            assertEquals(expected[i], p[i], tolerance * expected[i]);
        }
        Softmax.into(Backend.vector().orElseThrow(), s, s);
        assertArrayEquals(p, s, "in place");
    }

    /** Blocks whose maxima rise, or fall; a first one that is masked; lengths around the end of a block; in place too. */
    @Test
    void fastSoftmaxOfManyBlocks() {
        for (int n : new int[] {12_287, 12_288, 12_289, 50_000}) {
            double[] rising = Draws.of(7).gaussians(n);
            for (int i = 0; i < n; i++) {
                rising[i] += i / 500.0;
            }
            double[] falling = new double[n];
            double[] masked = rising.clone();
            for (int i = 0; i < n; i++) {
                falling[i] = rising[n - 1 - i];
                masked[i] = i < 2 * n / 5 ? -INF : rising[i];
            }
            for (double[] s : new double[][] {rising, falling, masked}) {
                assertFastSoftmax(s, 1e-13);
            }
        }
    }

    @Test
    void fastSoftmaxOfManyBlocksWithSpecialLogits() {
        int n = 40_000;
        for (Backend backend : new Backend[] {Backend.plain(), Backend.vector().orElseThrow()}) {
            for (int at : new int[] {0, 12_288, n - 1}) {
                for (double special : new double[] {NAN, INF}) {
                    double[] s = Draws.of(8).gaussians(n);
                    s[at] = special;
                    assertTrue(Arrays.stream(Softmax.of(backend, s)).allMatch(Double::isNaN), special + " at " + at);
                }
            }
            double[] masked = new double[n];
            Arrays.fill(masked, -INF);
            assertArrayEquals(new double[n], Softmax.of(backend, masked));
        }
    }

    @Test
    void fastSoftmaxInPlace() {
        double[] expected = Softmax.of(Backend.plain(), 1, 3, 2);
        double[] s = {1, 3, 2};
        Softmax.into(Backend.plain(), s, s);
        assertArrayEquals(expected, s);
        double[] p = {7, 7};
        Softmax.into(Backend.plain(), new double[] {-INF, -INF}, p);
        assertArrayEquals(new double[] {0, 0}, p);
        assertMessage("p has 2 places for the weights of 3 logits: make it as long as logits",
                () -> Softmax.into(Backend.plain(), s, p));
        assertMessage("logits is empty: at least one number is needed", () -> Softmax.into(Backend.plain(), new double[0], p));
        assertMessage("p is empty: at least one number is needed", () -> Softmax.into(Backend.plain(), s, new double[0]));
    }

    @Test
    void fastSoftmaxOfSpecialLogits() {
        for (Backend backend : new Backend[] {Backend.plain(), Backend.vector().orElseThrow()}) {
            assertArrayEquals(new double[] {0.5, 0, 0.5}, Softmax.of(backend, 3, -INF, 3));
            assertArrayEquals(new double[] {0, 0}, Softmax.of(backend, -INF, -INF));
            assertArrayEquals(new double[] {NAN, NAN}, Softmax.of(backend, 1, NAN));
            assertArrayEquals(new double[] {NAN, NAN}, Softmax.of(backend, -INF, NAN));
            assertArrayEquals(new double[] {NAN, NAN}, Softmax.of(backend, NAN, -INF));
            assertArrayEquals(new double[] {NAN, NAN}, Softmax.of(backend, 0, INF));
            assertArrayEquals(new double[] {1, 0}, Softmax.of(backend, 1e308, -1e308));
            assertMessage("logits is empty: at least one number is needed", () -> Softmax.of(backend));
        }
        assertMessage("backend is null: it must be Backend.plain() or what is in Backend.vector()", () -> Softmax.of((Backend) null, 1));
    }

    @Test
    void masksAndOverflow() {
        assertArrayEquals(new double[] {0.5, 0, 0.5}, Softmax.of(3, -INF, 3));
        assertArrayEquals(new double[] {0, 0}, Softmax.of(-INF, -INF), "a fully masked row attends to nothing");
        assertArrayEquals(new double[] {NAN, NAN}, Softmax.of(1, NAN));
        assertArrayEquals(new double[] {NAN, NAN}, Softmax.of(-INF, NAN));
        assertArrayEquals(new double[] {NAN, NAN}, Softmax.of(0, INF));
        assertArrayEquals(new double[] {1, 0}, Softmax.of(1e308, -1e308));
        assertArrayEquals(new double[] {1}, Softmax.of(-12));

        assertArrayEquals(new double[] {0, -INF}, Softmax.log(3, -INF));
        assertArrayEquals(new double[] {-INF, -INF}, Softmax.log(-INF, -INF));
        assertArrayEquals(new double[] {NAN, NAN}, Softmax.log(-INF, NAN));
        assertArrayEquals(new double[] {NAN, NAN}, Softmax.log(NAN, -INF));
        assertArrayEquals(new double[] {NAN, NAN}, Softmax.log(NAN, INF));
        assertArrayEquals(new double[] {NAN, NAN}, Softmax.log(0, INF));
    }

    @Test
    void temperature() {
        double[] s = {8, -4, 1, 3};
        double[] scaled = Arrays.stream(s).map(x -> x / Scale.sqrt(64)).toArray();
        assertArrayEquals(Softmax.of(scaled), Softmax.atTemperature(Scale.sqrt(64), s), 1e-16);
        assertArrayEquals(new double[] {1, 0, 0, 0}, Softmax.atTemperature(1e-300, s), "cold: one-hot, and no overflow");
        assertArrayEquals(new double[] {0.25, 0.25, 0.25, 0.25}, Softmax.atTemperature(1e18, s), 1e-16, "hot: uniform");
    }

    @Test
    void rowsAreIndependent() {
        SimpleMatrix weights = Softmax.rows(new SimpleMatrix(new double[][] {{0, 1, -1}, {-INF, -INF, -INF}, {0, NAN, 0}}));
        assertArrayEquals(Softmax.of(0, 1, -1), weights.getRow(0).getDDRM().getData());
        assertArrayEquals(new double[] {0, 0, 0}, weights.getRow(1).getDDRM().getData());
        assertArrayEquals(new double[] {NAN, NAN, NAN}, weights.getRow(2).getDDRM().getData());
    }

    @Test
    void jacobianByHand() {
        SimpleMatrix j = Softmax.jacobian(0.5, 0.25, 0.25);
        assertArrayEquals(new double[] {0.25, -0.125, -0.125, -0.125, 0.1875, -0.0625, -0.125, -0.0625, 0.1875},
                j.getDDRM().getData(), 0);
    }

    /** ∂p_i/∂s_j by central differences; their error is of order h² + ε/h, here below 10⁻¹⁰. */
    @Test
    void jacobianAgainstCentralDifferences() {
        double[] s = {0.3, -2, 1.7, 0.9, 0};
        SimpleMatrix j = Softmax.jacobian(Softmax.of(s));
        double h = 1e-5;
        for (int column = 0; column < s.length; column++) {
            double[] up = s.clone();
            double[] down = s.clone();
            up[column] += h;
            down[column] -= h;
            double[] high = Softmax.of(up);
            double[] low = Softmax.of(down);
            for (int row = 0; row < s.length; row++) {
                assertEquals((high[row] - low[row]) / (2 * h), j.get(row, column), 1e-10);
            }
        }
    }

    @Test
    void jacobianTimesAndNormAgreeWithTheMatrix() {
        Draws draws = Draws.of(1);
        for (int n = 1; n <= 40; n++) {
            double[] p = Softmax.of(draws.gaussians(n));
            double[] v = draws.gaussians(n);
            SimpleMatrix j = Softmax.jacobian(p);
            assertArrayEquals(j.mult(new SimpleMatrix(n, 1, true, v)).getDDRM().getData(), Softmax.jacobianTimes(p, v), 1e-15);
            assertEquals(j.normF(), Softmax.jacobianNorm(p), 1e-15);
        }
    }

    @Test
    void knownNorms() {
        assertEquals(0.5, Softmax.jacobianNorm(0.5, 0.5), 1e-16);
        assertEquals(Math.sqrt(7) / 8, Softmax.jacobianNorm(Softmax.of(new double[8])), 1e-16, "uniform: √(N−1)/N");
        assertEquals(0, Softmax.jacobianNorm(0, 1, 0));
        assertEquals(0, Softmax.jacobianNorm(1));
    }

    /**
     * Logits (gap, 0, 1, −2): 1 − max p is far below the rounding error of max p, and must be right all the same. Python with
     * mpmath 1.4.1, mp.dps = 700: p as above; sqrt(sum(p[i]**2*((1-p[i])**2 + sum(p[j]**2 for j != i)))), -sum(x*log(x) for x in p).
     */
    @ParameterizedTest
    @CsvSource({"40, 2.6893283779654978e-17, 6.608344371240489e-16", "300, 3.2589563208708074e-130, 5.958996141084887e-128",
        "700, 6.241454062750704e-304, 2.661065553426864e-301"})
    void nearOneHot(double gap, double norm, double entropy) {
        double[] p = Softmax.of(gap, 0, 1, -2);
        assertEquals(1, p[0], "1 − p[0] is 0 in doubles");
        assertEquals(norm, Softmax.jacobianNorm(p), 1e-14 * norm);
        assertEquals(entropy, Softmax.entropy(p), 1e-13 * entropy);
        double c = p[1] + p[2] + p[3];
        assertEquals(c, Softmax.jacobian(p).get(0, 0), 1e-15 * c);
        double[] jv = Softmax.jacobianTimes(p, new double[] {1, 0, 0, 0});
        assertEquals(c, jv[0], 1e-15 * c);
        assertEquals(-p[1], jv[1], 1e-15 * c);
    }

    /** log1p(e⁻⁴⁰) = e⁻⁴⁰ to 17 digits; e⁻⁴⁰ = 4.248354255291589e-18 (Python: repr(float(mpmath.exp(-40)))). */
    @Test
    void logOfAWeightNearOne() {
        assertArrayEquals(new double[] {-4.248354255291589e-18, -40}, Softmax.log(40, 0), 1e-32);
    }

    @Test
    void entropyAndEffectiveCount() {
        assertEquals(0, Softmax.entropy(0, 1, 0));
        assertEquals(StrictMath.log(2), Softmax.entropy(0.5, 0, 0.5), 1e-16);
        assertEquals(StrictMath.log(1000), Softmax.entropy(Softmax.of(new double[1000])), 1000 * 1e-16 * StrictMath.log(1000));
        assertEquals(1, Softmax.effectiveCount(0, 1, 0));
        assertEquals(1000, Softmax.effectiveCount(Softmax.of(new double[1000])), 1e-10);
    }

    @Test
    void theAllZeroRowOfAMaskedRowGivesZeros() {
        double[] none = Softmax.of(-INF, -INF);
        assertEquals(0, Softmax.jacobian(none).normF());
        assertEquals(0, Softmax.jacobianNorm(none));
        assertArrayEquals(new double[] {0, 0}, Softmax.jacobianTimes(none, new double[] {1, 2}));
        assertEquals(0, Softmax.entropy(none));
        assertEquals(0, Softmax.effectiveCount(none));
    }

    @Test
    void nanWeightsGiveNan() {
        double[] p = Softmax.of(NAN, 1);
        assertTrue(Double.isNaN(Softmax.jacobianNorm(p)));
        assertTrue(Double.isNaN(Softmax.entropy(p)));
        assertTrue(Double.isNaN(Softmax.effectiveCount(p)));
        assertTrue(Double.isNaN(Softmax.jacobian(p).get(0, 1)));
        assertTrue(Double.isNaN(Softmax.jacobianTimes(p, new double[] {1, 2})[1]));
    }

    @Test
    void badInput() {
        assertMessage("logits is empty: at least one number is needed", () -> Softmax.of());
        assertMessage("logits is null: it must be an array of numbers", () -> Softmax.of((double[]) null));
        assertMessage("logits is empty: at least one number is needed", () -> Softmax.log());
        assertMessage("temperature is 0.0: it must be finite and above 0", () -> Softmax.atTemperature(0, 1, 2));
        assertMessage("temperature is NaN: it must be finite and above 0", () -> Softmax.atTemperature(NAN, 1, 2));
        assertMessage("temperature is Infinity: it must be finite and above 0", () -> Softmax.atTemperature(INF, 1, 2));
        assertMessage("v has 1 entries, p has 2: both must be N", () -> Softmax.jacobianTimes(new double[] {0.5, 0.5}, new double[1]));
        assertMessage("p[1] is -0.5: a weight is not negative", () -> Softmax.entropy(1.5, -0.5));
        assertMessage("p sums to 0.9820000: weights sum to 1. Pass them unrounded, as Softmax.of returns them",
                () -> Softmax.jacobianNorm(0.018, 0.964, 0));
        assertMessage("p is empty: at least one number is needed", () -> Softmax.effectiveCount());
        assertMessage("logits is null: it must be a matrix", () -> Softmax.rows(null));
        assertMessage("logits is empty (0 × 3): it must have at least one row and one column", () -> Softmax.rows(new SimpleMatrix(0, 3)));
        assertMessage("logits is a float matrix (FMatrixRMaj): it must hold doubles. Make it with new SimpleMatrix(double[][]), "
                + "for example new SimpleMatrix(new double[][] {{0, 1}, {-1, 0}})",
                () -> Softmax.rows(new SimpleMatrix(2, 2, true, 0, 1, -1, 0)));
    }

    @Test
    void scale() {
        assertEquals(8, Scale.sqrt(64));
        assertEquals(Math.sqrt(7), Scale.sqrt(7));
        assertMessage("dK is 0: a query and a key have at least 1 component", () -> Scale.sqrt(0));
    }

    private static void assertMessage(String message, org.junit.jupiter.api.function.Executable call) {
        assertEquals(message, assertThrows(RuntimeException.class, call).getMessage());
    }

    @Test
    void aRowOfNanHasAJacobianOfNan() {
        assertTrue(Double.isNaN(Softmax.jacobianNorm(Softmax.of(Double.NaN))));
        assertTrue(Double.isNaN(Softmax.jacobianNorm(Double.NaN, 0)));
        assertTrue(Double.isNaN(Softmax.jacobianNorm(Double.NaN, Double.NaN)));
    }
}
