package rootdk.stats;

import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;

/**
 * How far a sample is from a distribution: the Kolmogorov–Smirnov distance D = sup_x |F_n(x) − F(x)| between the sample's
 * distribution function F_n and a given continuous one F.
 *
 * <p>D of n draws from F itself is not 0 but about 0.87/√n, and above 1.36/√n once in 20 samples. A sample can show a difference
 * of distributions only if that is larger: one of 0.002 needs some 10⁶ draws.
 */
public final class KolmogorovSmirnov {
    private KolmogorovSmirnov() { }

    /**
     * The distance of a sample from a distribution. O(n log n).
     *
     * @param x the sample, at least one number, none of them NaN; not modified
     * @param cdf the distribution function F, continuous and with values in [0, 1]
     * @return D, in [1/(2n), 1]
     * @throws IllegalArgumentException if the sample is empty or has a NaN, or F(x) is outside [0, 1] for a value of it
     */
    public static double distance(double[] x, DoubleUnaryOperator cdf) {
        double[] sorted = Checks.sample("x", x).clone();
        Checks.notNull("cdf", cdf);
        Arrays.sort(sorted);
        double n = sorted.length;
        double distance = 0;
        for (int i = 0; i < sorted.length; i++) {
            double f = cdf.applyAsDouble(sorted[i]);
            if (!(f >= 0 && f <= 1)) {
                throw new IllegalArgumentException("cdf(" + sorted[i] + ") is " + f + ": it must be in [0, 1]");
            }
            distance = Math.max(distance, Math.max(f - i / n, (i + 1) / n - f));
        }
        return distance;
    }

    /**
     * The distance of a sample from the normal distribution with mean 0 and variance 1; the sample is not standardised first.
     * O(n log n).
     *
     * @param x the sample, at least one number, none of them NaN; not modified
     * @return D, in [1/(2n), 1]
     * @throws IllegalArgumentException if the sample is empty or has a NaN
     */
    public static double distanceToNormal(double... x) {
        return distance(x, Normal::cdf);
    }

    /**
     * The probability that n independent draws from F itself are as far from it as D or farther: small values speak against F.
     * It is the limit Q(t) = 2·Σ_{k≥1} (−1)^{k−1} e^{−2k²t²} of Kolmogorov, taken at t = √n·D + 1/(6√n) + (√n·D − 1)/(4n), as proposed
     * by Vrbik 2020, "Deriving CDF of Kolmogorov-Smirnov Test Statistic", Applied Mathematics 11, 227–246: right to ±0.003 for
     * n = 10, ±0.0003 for n = 50 and ±2·10⁻⁵ for n = 1000, erring towards the larger probability where it is small. It holds for an
     * F that was not fitted to the sample.
     *
     * @param distance D, in [0, 1]
     * @param n the number of draws, at least 1
     * @return the probability, in [0, 1]
     * @throws IllegalArgumentException if an argument is not as said
     */
    public static double pValue(double distance, long n) {
        if (!(distance >= 0 && distance <= 1)) {
            throw new IllegalArgumentException("distance is " + distance + ": it must be in [0, 1]");
        }
        double root = Math.sqrt(Checks.atLeast(1, "n", n));
        double t = root * distance;
        t += 1 / (6 * root) + (t - 1) / (4.0 * n);
        if (t < 0.2) { // 1 − Q is below 10⁻¹² there, and the series converges slowly
            return 1;
        }
        double sum = 0;
        for (int k = 1; k <= 20; k++) {
            double term = StrictMath.exp(-2.0 * k * k * t * t);
            sum += k % 2 == 1 ? term : -term;
        }
        return Math.min(1, 2 * sum);
    }
}
