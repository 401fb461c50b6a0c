package rootdk.stats;

/**
 * The normal distribution: density φ, distribution function Φ and upper tail Q = 1 − Φ.
 *
 * <p>Both tails are accurate relatively, not only absolutely: Q(10) = 7.62·10⁻²⁴ has as many right digits as Φ(0). Near the middle
 * Φ(x) = ½ + φ(x)·(x + x³/3 + x⁵/(3·5) + …), whose terms are all of one sign (Abramowitz &amp; Stegun 1964, "Handbook of
 * Mathematical Functions", 26.2.11); in the tail Q(x) = φ(x)/(x + 1/(x + 2/(x + 3/(x + …)))) (26.2.14). The tests compare with
 * mpmath at 50 digits.
 */
public final class Normal {
    private static final double SQRT_TWO_PI = 2.5066282746310002;
    /** From here on the tail is a continued fraction. */
    private static final double TAIL = 1.5;
    /** Terms of the continued fraction that give full accuracy at x = TAIL; fewer are needed beyond. */
    private static final int TERMS = 200;

    private Normal() { }

    /**
     * φ(x) = e^{−x²/2}/√(2π), the density with mean 0 and variance 1.
     *
     * @param x any number
     * @return the density; 0 for ±∞, NaN for NaN
     */
    public static double density(double x) {
        if (Double.isInfinite(x)) {
            return 0;
        }
        // The rounding of x² would cost x²/2 units in the last place: e^{−x²/2} = e^{−h²/2}·e^{−(x−h)(x+h)/2} with h² exact.
        double h = (float) x;
        if (Double.isInfinite(h)) {
            return 0;
        }
        return StrictMath.exp(-h * h / 2) * StrictMath.exp(-(x - h) * (x + h) / 2) / SQRT_TWO_PI;
    }

    /**
     * φ((x − mean)/sd)/sd, the density with the given mean and standard deviation.
     *
     * @param x any number
     * @param mean any finite number
     * @param sd the standard deviation, finite and above 0
     * @return the density; 0 for ±∞, NaN for NaN
     * @throws IllegalArgumentException if mean is not finite, or sd is not finite and above 0
     */
    public static double density(double x, double mean, double sd) {
        Checks.finite("mean", mean);
        Checks.positive("sd", sd);
        return density((x - mean) / sd) / sd;
    }

    /**
     * Φ(x) = P(Z ≤ x) for Z normal with mean 0 and variance 1.
     *
     * @param x any number
     * @return the probability, in [0, 1]; 0 for −∞, 1 for +∞, NaN for NaN
     */
    public static double cdf(double x) {
        return upperTail(-x);
    }

    /**
     * Q(x) = P(Z &gt; x) for Z normal with mean 0 and variance 1. P(|Z| &gt; 3) is {@code 2 * upperTail(3)}.
     *
     * @param x any number
     * @return the probability, in [0, 1]; 1 for −∞, 0 for +∞, NaN for NaN
     */
    public static double upperTail(double x) {
        if (Double.isNaN(x)) {
            return x;
        }
        if (x < -TAIL) {
            return 1 - upperTail(-x);
        }
        if (x > TAIL) {
            double density = density(x);
            if (density == 0) {
                return 0;
            }
            double fraction = x;
            for (int i = TERMS; i >= 1; i--) {
                fraction = x + i / fraction;
            }
            return density / fraction;
        }
        double term = x;
        double sum = x;
        for (int i = 3; Math.abs(term) > 1e-17 * Math.abs(sum); i += 2) {
            term *= x * x / i;
            sum += term;
        }
        return 0.5 - density(x) * sum;
    }
}
