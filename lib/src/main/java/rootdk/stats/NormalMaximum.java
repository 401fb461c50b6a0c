package rootdk.stats;

/**
 * The largest of n independent normal draws with mean 0 and variance 1: its mean, and two formulas near it. {@link Draws#maximum}
 * draws it.
 */
public final class NormalMaximum {
    private static final double FROM = -10;
    private static final double TO = 20;
    private static final double STEP = 1.0 / 64;

    private NormalMaximum() { }

    /**
     * E[max] = ∫ x·n·φ(x)·Φ(x)^{n−1} dx, by the trapezoidal rule from −10 to 20 in steps of 1/64, which for so smooth an integrand
     * has 13 right digits. O(1).
     *
     * @param n at least 1
     * @return the mean: 0 for n = 1, 1/√π for n = 2, 3.2414 for n = 1000
     * @throws IllegalArgumentException if n is below 1
     */
    public static double expected(long n) {
        Checks.atLeast(1, "n", n);
        double sum = 0;
        for (double x = FROM; x <= TO; x += STEP) {
            // ln Φ(x), each side from the tail that keeps its digits
            double logCdf = x < 0 ? StrictMath.log(Normal.cdf(x)) : StrictMath.log1p(-Normal.upperTail(x));
            sum += x * Normal.density(x) * StrictMath.exp((n - 1) * logCdf);
        }
        return n * sum * STEP;
    }

    /**
     * √(2 ln n), which {@link #expected} never exceeds and approaches slowly: 3.717 for n = 1000.
     *
     * @param n at least 1
     * @return the bound
     * @throws IllegalArgumentException if n is below 1
     */
    public static double bound(long n) {
        return Math.sqrt(2 * StrictMath.log(Checks.atLeast(1, "n", n)));
    }

    /**
     * b_n = √(2 ln n) − (ln ln n + ln 4π)/(2√(2 ln n)), the place around which the maximum spreads: (max − b_n)·√(2 ln n) tends to
     * the Gumbel distribution, whose mean is γ = 0.5772. So {@link #expected} is near b_n + γ/√(2 ln n), and above b_n.
     *
     * @param n at least 2
     * @return b_n: 3.116 for n = 1000
     * @throws IllegalArgumentException if n is below 2
     */
    public static double location(long n) {
        double bound = bound(Checks.atLeast(2, "n", n));
        return bound - (StrictMath.log(StrictMath.log(n)) + StrictMath.log(4 * Math.PI)) / (2 * bound);
    }
}
