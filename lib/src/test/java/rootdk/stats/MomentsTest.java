package rootdk.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MomentsTest {
    /** Mean 3; deviations −2, −1, 3: M₂ = 14, M₃ = 18, M₄ = 98. */
    @Test
    void byHand() {
        Moments m = Moments.of(1, 2, 6);
        assertEquals(3, m.count());
        assertEquals(3, m.mean(), 1e-15);
        assertEquals(7, m.variance(), 1e-14);
        assertEquals(Math.sqrt(7), m.standardDeviation(), 1e-15);
        assertEquals(18 / 3.0 / Math.pow(14 / 3.0, 1.5), m.skewness(), 1e-15);
        assertEquals(98 / 3.0 / (14 / 3.0 * 14 / 3.0), m.kurtosis(), 1e-15);
        assertEquals(m.kurtosis() - 3, m.excessKurtosis(), 1e-15);
        assertEquals(Math.sqrt(7 / 3.0), m.meanError(), 1e-15);
        assertEquals(7 * Math.sqrt(0.5 / 3), m.varianceError(), 1e-14);
    }

    /** Python with SciPy 1.17.1: x = numpy.array([2.,3,5,7,11,13,17]); mean, var(x, ddof=1), skew(x), kurtosis(x, fisher=False). */
    @Test
    void agreesWithScipy() {
        Moments m = Moments.of(2, 3, 5, 7, 11, 13, 17);
        assertEquals(8.285714285714286, m.mean(), 1e-14);
        assertEquals(30.90476190476191, m.variance(), 1e-13);
        assertEquals(0.36977128981317564, m.skewness(), 1e-15);
        assertEquals(1.7866208769684775, m.kurtosis(), 1e-14);
    }

    /** Against sums of powers in 60 digits. An offset of 10⁹ costs textbook formulas 18 of their 16 digits. */
    @ParameterizedTest
    @ValueSource(doubles = {0, 1e9, -1e15})
    void agreesWithBigDecimalAtAnyOffset(double offset) {
        Draws draws = Draws.of(3);
        double[] x = new double[5000];
        Moments left = new Moments();
        Moments right = new Moments();
        for (int i = 0; i < x.length; i++) {
            double z = draws.gaussian();
            x[i] = offset + z * z; // skewed, so that the third moment is tested too
            (i < 1234 ? left : right).add(x[i]);
        }
        left.merge(right);
        for (Moments m : new Moments[] {Moments.of(x), left}) {
            double[] exact = exactMoments(x);
            assertEquals(x.length, m.count());
            assertEquals(exact[0], m.mean(), 2e-16 * Math.abs(exact[0]) + 1e-14);
            assertEquals(exact[1], m.variance(), 1e-13 * exact[1]);
            assertEquals(exact[2], m.skewness(), 1e-12);
            assertEquals(exact[3], m.kurtosis(), 1e-11);
        }
    }

    private static double[] exactMoments(double[] x) {
        MathContext digits = new MathContext(60);
        BigDecimal n = BigDecimal.valueOf(x.length);
        BigDecimal mean = Arrays.stream(x).mapToObj(BigDecimal::new).reduce(BigDecimal.ZERO, BigDecimal::add).divide(n, digits);
        double[] central = new double[5];
        for (int p = 2; p <= 4; p++) {
            BigDecimal sum = BigDecimal.ZERO;
            for (double value : x) {
                sum = sum.add(new BigDecimal(value).subtract(mean).pow(p, digits), digits);
            }
            central[p] = sum.divide(n, digits).doubleValue();
        }
        double n1 = x.length;
        return new double[] {mean.doubleValue(), central[2] * n1 / (n1 - 1), central[3] / Math.pow(central[2], 1.5),
            central[4] / (central[2] * central[2])};
    }

    @Test
    void mergingAnyPartsIsAddingAll() {
        double[] x = Draws.of(5).gaussians(1000);
        Moments whole = Moments.of(x);
        for (int cut : new int[] {0, 1, 2, 500, 999, 1000}) {
            Moments left = Moments.of(Arrays.copyOfRange(x, 0, cut));
            Moments right = Moments.of(Arrays.copyOfRange(x, cut, 1000));
            String rightBefore = right.toString();
            left.merge(right);
            assertEquals(rightBefore, right.toString(), "the argument is not changed");
            assertEquals(1000, left.count());
            assertEquals(whole.mean(), left.mean(), 1e-15);
            assertEquals(whole.variance(), left.variance(), 1e-14);
            assertEquals(whole.skewness(), left.skewness(), 1e-14);
            assertEquals(whole.kurtosis(), left.kurtosis(), 1e-13);
        }
    }

    @Test
    void mergedWithItselfEveryValueCountsTwice() {
        Moments m = Moments.of(1, 2, 6);
        m.merge(m);
        Moments twice = Moments.of(1, 2, 6, 1, 2, 6);
        assertEquals(twice.variance(), m.variance(), 1e-14);
        assertEquals(twice.skewness(), m.skewness(), 1e-15);
        assertEquals(twice.kurtosis(), m.kurtosis(), 1e-14);
    }

    /** x·2^e has 2^e times the standard deviation and the same skewness and kurtosis, whether added or merged. */
    @ParameterizedTest
    @ValueSource(ints = {-1000, -700, -260, -201, -199, 199, 201, 260, 700, 1000})
    void valuesOfAnySizeHaveAKurtosis(int exponent) {
        double[] x = Sampling.values(3, 1000, Distribution.exponential());
        Moments usual = Moments.of(x);
        double[] scaled = Arrays.stream(x).map(v -> Math.scalb(v, exponent)).toArray();
        Moments merged = Moments.of(Arrays.copyOf(scaled, 300));
        merged.merge(Moments.of(Arrays.copyOfRange(scaled, 300, 1000)));
        for (Moments m : new Moments[] {Moments.of(scaled), merged}) {
            double tiny = Math.scalb(1e-15, exponent);
            assertEquals(Math.scalb(usual.mean(), exponent), m.mean(), tiny);
            assertEquals(Math.scalb(usual.standardDeviation(), exponent), m.standardDeviation(), tiny);
            assertEquals(Math.scalb(usual.meanError(), exponent), m.meanError(), tiny);
            double variance = Math.scalb(usual.variance(), 2 * exponent); // 0 or ∞ where it leaves the range of double
            assertEquals(variance, m.variance(), 1e-13 * variance + Double.MIN_VALUE);
            assertEquals(usual.skewness(), m.skewness(), 1e-13);
            assertEquals(usual.kurtosis(), m.kurtosis(), 1e-12);
        }
    }

    /** Small values, then large ones 10¹⁵⁰ or 10⁶⁰⁰ times their size, and the other way round: the small ones no longer count. */
    @ParameterizedTest
    @ValueSource(doubles = {1e-150, 1e-300})
    void theUnitFollowsTheLargest(double small) {
        double large = 1 / small;
        Moments expected = Moments.of(0, 0, 0, 1, 2, 6);
        Moments smallOnes = Moments.of(small, 2 * small, 6 * small);
        Moments largeOnes = Moments.of(large, 2 * large, 6 * large);
        Moments up = Moments.of(small, 2 * small, 6 * small, large, 2 * large, 6 * large);
        Moments down = Moments.of(large, 2 * large, 6 * large, small, 2 * small, 6 * small);
        Moments mergedUp = Moments.of(small, 2 * small, 6 * small);
        mergedUp.merge(largeOnes);
        Moments mergedDown = Moments.of(large, 2 * large, 6 * large);
        mergedDown.merge(smallOnes);
        Moments singles = Moments.of(small);
        for (double x : new double[] {2 * small, 6 * small, large, 2 * large, 6 * large}) {
            singles.merge(Moments.of(x));
        }
        for (Moments m : new Moments[] {up, down, mergedUp, mergedDown, singles}) {
            assertEquals(1.5 * large, m.mean(), 1e-15 * large);
            assertEquals(expected.standardDeviation() * large, m.standardDeviation(), 1e-15 * large);
            assertEquals(expected.skewness(), m.skewness(), 1e-14);
            assertEquals(expected.kurtosis(), m.kurtosis(), 1e-14);
        }
        assertEquals(Moments.of(1, 2, 6).kurtosis(), smallOnes.kurtosis(), 1e-14, "the argument of a merge is not changed");
        assertEquals(Moments.of(1, 2, 6).kurtosis(), largeOnes.kurtosis(), 1e-14);
    }

    /** Equal values have no spread to take a unit from; merged with small or large ones they must not spoil theirs. */
    @ParameterizedTest
    @ValueSource(doubles = {1e-300, 1e-100, 1, 1e100, 1e300})
    void equalValuesMergeWithThoseOfAnySize(double size) {
        double kurtosis = Moments.of(0, 0, 1, 2, 6).kurtosis();
        Moments left = Moments.of(0, 0);
        left.merge(Moments.of(size, 2 * size, 6 * size));
        Moments right = Moments.of(size, 2 * size, 6 * size);
        right.merge(Moments.of(0, 0));
        assertEquals(kurtosis, left.kurtosis(), 1e-14);
        assertEquals(kurtosis, right.kurtosis(), 1e-14);
        assertEquals(1.8 * size, right.mean(), 1e-15 * size);
    }

    /** A difference beyond the largest double is ∞ and leaves nothing to compute; an ordinary infinity likewise. */
    @Test
    void overflow() {
        Moments m = Moments.of(-1.5e308, 1.5e308);
        assertEquals(2, m.count());
        assertTrue(!Double.isFinite(m.mean()) && Double.isNaN(m.kurtosis()));
        assertTrue(!Double.isFinite(Moments.of(1, Double.POSITIVE_INFINITY, 2).variance()));
    }

    /**
     * 10⁹ values as Sampling adds them, 10⁶ blocks merged one after the other: since all blocks are equal, so is every rounding, which
     * is worse than chance. The moments stay those of one block.
     */
    @ParameterizedTest
    @ValueSource(doubles = {0, 0.1, -1e9})
    void aBillionValuesDoNotDrift(double offset) {
        Moments block = new Moments();
        for (int i = 0; i < 1000; i++) {
            block.add(offset + i * i % 997 / 7.0);
        }
        Moments all = new Moments();
        for (int i = 0; i < 1_000_000; i++) {
            all.merge(block);
        }
        assertEquals(1_000_000_000, all.count());
        assertEquals(block.mean(), all.mean(), 1e-13 * block.standardDeviation() + 2e-16 * Math.abs(offset));
        assertEquals(1, all.variance() * (1e9 - 1) / 1e9 / (block.variance() * 999 / 1000), 1e-10);
        assertEquals(block.skewness(), all.skewness(), 1e-10);
        assertEquals(block.kurtosis(), all.kurtosis(), 1e-10 * block.kurtosis());
    }

    @Test
    void badInput() {
        assertEquals("x is null", assertThrows(NullPointerException.class, () -> Moments.of((double[]) null)).getMessage());
        assertEquals("other is null", assertThrows(NullPointerException.class, () -> new Moments().merge(null)).getMessage());
    }

    @Test
    void twoValuesAreEnough() {
        Moments m = Moments.of(1, 3);
        assertEquals(2, m.variance());
        assertEquals(Math.sqrt(2), m.standardDeviation());
        assertEquals(1, m.meanError());
        assertEquals(0, m.skewness());
        assertEquals(1, m.kurtosis());
        assertEquals(0, m.varianceError(), "two values are always 1 from their mean: kurtosis 1");
    }

    @Test
    void tooFewOrEqualValues() {
        Moments none = new Moments();
        assertTrue(Double.isNaN(none.mean()) && Double.isNaN(none.variance()) && Double.isNaN(none.kurtosis()));
        Moments one = Moments.of(4);
        assertEquals(4, one.mean());
        assertTrue(Double.isNaN(one.variance()) && Double.isNaN(one.skewness()) && Double.isNaN(one.kurtosis()));
        assertTrue(Double.isNaN(one.meanError()) && Double.isNaN(one.varianceError()));
        Moments equal = Moments.of(4, 4, 4);
        assertEquals(0, equal.variance());
        assertEquals(0, equal.varianceError());
        assertTrue(Double.isNaN(equal.skewness()) && Double.isNaN(equal.kurtosis()));
    }

    @Test
    void nanSpreadsToAllButTheCount() {
        for (Moments m : new Moments[] {Moments.of(Double.NaN, 1, 2), Moments.of(1, Double.NaN, 2), Moments.of(1, 2, Double.NaN)}) {
            assertEquals(3, m.count());
            assertTrue(Double.isNaN(m.mean()) && Double.isNaN(m.variance()) && Double.isNaN(m.kurtosis()));
            Moments merged = Moments.of(1, 2);
            merged.merge(m);
            assertTrue(Double.isNaN(merged.mean()) && Double.isNaN(merged.varianceError()));
        }
    }

    /** 400 samples of 500 values: the spread of their means and variances is what one sample's standard errors say. */
    @Test
    void standardErrorsAreTheSpreadOverRepetitions() {
        Moments means = new Moments();
        Moments variances = new Moments();
        Moments meanErrors = new Moments();
        Moments varianceErrors = new Moments();
        Draws draws = Draws.of(11);
        for (int i = 0; i < 400; i++) {
            Moments m = new Moments();
            for (int j = 0; j < 500; j++) {
                m.add(draws.dot(4));
            }
            means.add(m.mean());
            variances.add(m.variance());
            meanErrors.add(m.meanError());
            varianceErrors.add(m.varianceError());
        }
        // A standard deviation from 400 values is good to about 1/√800 = 3.5 %; 4 of those.
        assertEquals(means.standardDeviation(), meanErrors.mean(), 0.14 * meanErrors.mean());
        assertEquals(variances.standardDeviation(), varianceErrors.mean(), 0.14 * varianceErrors.mean());
    }

    @Test
    void printsWithErrors() {
        assertEquals("n = 3, mean = 3.00000 ± 1.5, variance = 7.00000 ± 2.9, kurtosis = 1.50000", Moments.of(1, 2, 6).toString());
    }
}
