package rootdk.stats;

/**
 * The distribution of one component of q or k: a way to draw from it, and its exact moments. Immutable, and a {@link Statistic}, so
 * {@code Sampling.values(1, 1000, Distribution.laplace())} draws from it.
 *
 * <p>All have mean 0 and variance 1 as they are made, those of infinite variance excepted ({@link #cauchy}, and {@link #studentT}
 * with ν ≤ 2), which are in their usual form. {@link #scaled} and {@link #shifted} give others:
 * {@code Distribution.laplace().scaled(2).shifted(1)} has mean 1 and variance 4.
 *
 * <p><strong>The same numbers everywhere.</strong> Draws are sums, products, quotients and square roots of {@link Draws}' uniform,
 * normal and exponential draws; where a logarithm or a power is needed it is that of {@link StrictMath}.
 */
public final class Distribution implements Statistic {
    private final String name;
    private final Statistic standard;
    private final double factor;
    private final double offset;
    private final double mean;
    private final double variance;
    private final double kurtosis;

    private Distribution(String name, Statistic standard, double factor, double offset, double mean, double variance, double kurtosis) {
        this.name = name;
        this.standard = standard;
        this.factor = factor;
        this.offset = offset;
        this.mean = mean;
        this.variance = variance;
        this.kurtosis = kurtosis;
    }

    /** With mean 0 and variance 1. */
    private static Distribution standard(String name, Statistic standard, double kurtosis) {
        return new Distribution(name, standard, 1, 0, 0, 1, kurtosis);
    }

    /**
     * The normal distribution: kurtosis 3.
     *
     * @return the distribution, with mean 0 and variance 1
     */
    public static Distribution gaussian() {
        return standard("Gaussian", Draws::gaussian, 3);
    }

    /**
     * The uniform distribution on [−√3, √3]: kurtosis 9/5.
     *
     * @return the distribution, with mean 0 and variance 1
     */
    public static Distribution uniform() {
        double half = Math.sqrt(3);
        return standard("uniform", d -> half * (2 * d.uniform() - 1), 1.8);
    }

    /**
     * −1 or 1, each with probability ½: kurtosis 1, the least there is.
     *
     * @return the distribution, with mean 0 and variance 1
     */
    public static Distribution rademacher() {
        return standard("Rademacher", Draws::rademacher, 1);
    }

    /**
     * The Laplace distribution, with density e^{−√2·|x|}/√2: kurtosis 6.
     *
     * @return the distribution, with mean 0 and variance 1
     */
    public static Distribution laplace() {
        double scale = Math.sqrt(0.5);
        return standard("Laplace", d -> scale * d.rademacher() * d.exponential(), 6);
    }

    /**
     * The exponential distribution moved to mean 0, with density e^{−(x+1)} for x ≥ −1: skewness 2, kurtosis 9. It stands here for
     * the skewed ones, since it has no parameter to choose and its moments are whole numbers.
     *
     * @return the distribution, with mean 0 and variance 1
     */
    public static Distribution exponential() {
        return standard("exponential", d -> d.exponential() - 1, 9);
    }

    /**
     * A mixture of two normal distributions with mean 0: a share of the draws, the outliers, has {@code ratio} times the standard
     * deviation of the others. With p the share and r the ratio, the kurtosis is 3·(1 − p + p·r⁴)/(1 − p + p·r²)²: 3 for r = 1,
     * and up to 3/p for large r.
     *
     * @param share the share of outliers p, in [0, 1]
     * @param ratio their standard deviation over that of the others, finite and above 0
     * @return the distribution, with mean 0 and variance 1
     * @throws IllegalArgumentException if an argument is not as said
     */
    public static Distribution mixture(double share, double ratio) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share is " + share + ": it must be in [0, 1]");
        }
        Checks.positive("ratio", ratio);
        double square = 1 - share + share * ratio * ratio;
        double inner = 1 / Math.sqrt(square);
        double outer = ratio / Math.sqrt(square);
        double kurtosis = 3 * (1 - share) / square / square + 3 * share * outer * outer * outer * outer;
        return standard("mixture(" + share + ", " + ratio + ")",
                d -> (d.uniform() < share ? outer : inner) * d.gaussian(), kurtosis);
    }

    /**
     * Student's t distribution with ν degrees of freedom. For ν &gt; 2 it is divided by its standard deviation √(ν/(ν − 2)) and so
     * has variance 1; for ν ≤ 2 there is none to divide by, and it is as defined, with density ∝ (1 + x²/ν)^{−(ν+1)/2}.
     * <ul>
     * <li>ν &gt; 4: kurtosis 3 + 6/(ν − 4);
     * <li>2 &lt; ν ≤ 4: variance 1, kurtosis infinite, so that a sample's variance converges slowly and its
     * {@link Moments#varianceError} is meaningless;
     * <li>1 &lt; ν ≤ 2: mean 0, variance infinite;
     * <li>ν ≤ 1: no mean. Below about ν = 0.02 a few draws in a million exceed the range of double and are infinite.
     * </ul>
     *
     * <p>Drawn as Z/√(χ²/ν) with χ² twice a gamma variable of shape ν/2 (Marsaglia &amp; Tsang 2000, "A simple method for
     * generating gamma variables", ACM Transactions on Mathematical Software 26(3), 363–372).
     *
     * @param nu the degrees of freedom ν, finite and above 0, whole or not
     * @return the distribution
     * @throws IllegalArgumentException if nu is not finite and above 0
     */
    public static Distribution studentT(double nu) {
        Checks.positive("nu", nu);
        double shape = nu / 2;
        double scale = nu > 2 ? Math.sqrt(shape - 1) : Math.sqrt(shape);
        Statistic t = d -> scale * d.gaussian() / rootOfGamma(d, shape);
        double mean = nu > 1 ? 0 : Double.NaN;
        double variance = nu > 2 ? 1 : nu > 1 ? Double.POSITIVE_INFINITY : Double.NaN;
        double kurtosis = nu > 4 ? 3 + 6 / (nu - 4) : nu > 2 ? Double.POSITIVE_INFINITY : Double.NaN;
        return new Distribution("t(" + nu + ")", t, 1, 0, mean, variance, kurtosis);
    }

    /** √G for G gamma-distributed with the given shape. The root of a small one is formed first: G itself could underflow. */
    private static double rootOfGamma(Draws draws, double shape) {
        if (shape < 1) { // G(shape) = G(shape + 1)·U^{1/shape} in law
            return rootOfGamma(draws, shape + 1) * StrictMath.pow(1 - draws.uniform(), 0.5 / shape);
        }
        double d = shape - 1 / 3.0;
        double c = 1 / Math.sqrt(9 * d);
        while (true) {
            double x = draws.gaussian();
            double root = 1 + c * x;
            if (root <= 0) {
                continue;
            }
            double v = root * root * root;
            double u = 1 - draws.uniform();
            if (u < 1 - 0.0331 * x * x * x * x || StrictMath.log(u) < x * x / 2 + d * (1 - v + StrictMath.log(v))) {
                return Math.sqrt(d * v);
            }
        }
    }

    /**
     * The Cauchy distribution, with density 1/(π(1 + x²)): no mean and no variance. A mean of n draws is spread as one draw is.
     *
     * @return the distribution, not standardised
     */
    public static Distribution cauchy() {
        return new Distribution("Cauchy", d -> d.gaussian() / d.gaussian(), 1, 0, Double.NaN, Double.NaN, Double.NaN);
    }

    /**
     * The distribution of {@code factor}·X. Its mean and its standard deviation are those of X times the factor.
     *
     * @param factor finite and above 0
     * @return a new distribution
     * @throws IllegalArgumentException if the factor is not finite and above 0
     */
    public Distribution scaled(double factor) {
        Checks.positive("factor", factor);
        return new Distribution(name + "·" + factor, standard, factor * this.factor, factor * offset, factor * mean,
                factor * factor * variance, kurtosis);
    }

    /**
     * The distribution of X + {@code offset}.
     *
     * @param offset finite
     * @return a new distribution
     * @throws IllegalArgumentException if the offset is not finite
     */
    public Distribution shifted(double offset) {
        Checks.finite("offset", offset);
        return new Distribution(name + (offset < 0 ? " − " + -offset : " + " + offset), standard, factor, this.offset + offset,
                mean + offset, variance, kurtosis);
    }

    /**
     * One draw.
     *
     * @param draws where to take random numbers from
     * @return the draw
     */
    @Override
    public double of(Draws draws) {
        return factor * standard.of(Checks.notNull("draws", draws)) + offset;
    }

    /**
     * n independent draws.
     *
     * @param draws where to take random numbers from
     * @param n at least 0
     * @return a new array
     * @throws IllegalArgumentException if n is negative
     */
    public double[] of(Draws draws, int n) {
        Checks.notNull("draws", draws);
        double[] x = new double[Checks.atLeast(0, "n", n)];
        for (int i = 0; i < n; i++) {
            x[i] = of(draws);
        }
        return x;
    }

    /**
     * E[X].
     *
     * @return the mean; NaN where there is none
     */
    public double mean() {
        return mean;
    }

    /**
     * E[(X − E[X])²].
     *
     * @return the variance; ∞ where the integral diverges, NaN where there is no mean
     */
    public double variance() {
        return variance;
    }

    /**
     * E[(X − E[X])⁴]/Var², 3 for a normal distribution.
     *
     * @return the kurtosis; ∞ where the fourth moment is infinite, NaN where the variance is
     */
    public double kurtosis() {
        return kurtosis;
    }

    /** The name with its parameters, for tables and legends: {@code t(5.0)}, {@code Laplace·2.0 + 1.0}. */
    @Override
    public String toString() {
        return name;
    }
}
