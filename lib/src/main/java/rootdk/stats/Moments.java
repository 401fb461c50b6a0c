package rootdk.stats;

import java.util.Locale;

/**
 * Mean, variance, skewness and kurtosis of a stream of numbers, in one pass and constant memory, with standard errors. Two
 * streams' moments can be merged. Mutable; not thread-safe.
 *
 * <p>Kept are the count, the mean and the central sums M_p = Σ (x − mean)^p for p = 2, 3, 4, updated value by value and merged
 * pair by pair without any sum of raw powers, by the formulas of Pébay 2008, "Formulas for robust, one-pass parallel computation
 * of covariances and arbitrary-order statistical moments", Sandia report SAND2008-6212 (Welford 1962 and Chan, Golub &amp;
 * LeVeque 1982 for p = 2). All of it is measured from the first value, so an offset common to all values, however large, costs no
 * accuracy; and in a unit that is changed where fourth powers would leave the range of double, so values of 10⁻³⁰⁰ or 10³⁰⁰ have
 * a kurtosis too.
 *
 * <p>Rounding adds up to at most about n·10⁻¹⁶ of a sum for n values added one by one. {@link Sampling} merges blocks of 1024
 * instead, which leaves 10⁻¹⁰ for 10⁹ values: far below the sampling error, which is 3·10⁻⁵ then.
 *
 * <p>A NaN among the values makes everything but the count NaN; an infinity, or two values whose difference overflows, makes results
 * infinite or NaN. Too few values for a statistic give NaN: none for
 * the mean, fewer than 2 for the others; values that are all equal have no skewness and no kurtosis (NaN).
 */
public final class Moments {
    /** Distances from the mean of up to 2²⁰⁰ units have fourth powers, and those of down to 2⁻²⁰⁰ do too. */
    private static final double FAR = 0x1p200;
    private static final int BLOCK = 1024; // values of an array at a time, which stay in the nearest cache

    private long n;
    private double origin;
    private double perUnit = 1; // a power of two: mean and the sums are of (x − origin)·perUnit
    private double mean;
    private double m2;
    private double m3;
    private double m4;

    /** No values yet. */
    public Moments() { }

    /**
     * The moments of an array: of blocks of 1024 values, merged. Each block's mean is taken first, and then the sums of powers of the
     * distances from it, so this takes less than a third of the time of {@link #add}, and rounding adds up to less. O(n).
     *
     * @param x the values; not modified; may be empty
     * @return new moments
     */
    public static Moments of(double... x) {
        Checks.notNull("x", x);
        Moments moments = new Moments();
        for (int from = 0; from < x.length; from += BLOCK) {
            moments.merge(ofBlock(x, from, Math.min(x.length, from + BLOCK)));
        }
        return moments;
    }

    private static Moments ofBlock(double[] x, int from, int to) {
        double origin = x[from];
        double sum = 0;
        double squares = 0;
        for (int i = from; i < to; i++) {
            double distance = x[i] - origin;
            sum += distance;
            squares += distance * distance;
        }
        Moments block = new Moments();
        if (!(squares <= FAR * FAR && squares >= 1 / FAR / FAR)) { // other units, equal values, infinities and NaN
            for (int i = from; i < to; i++) {
                block.add(x[i]);
            }
            return block;
        }
        block.n = to - from;
        block.origin = origin;
        block.mean = sum / block.n;
        block.addPowers(x, from, to);
        return block;
    }

    private void addPowers(double[] x, int from, int to) {
        double zero = origin;
        double middle = mean;
        double p2 = 0;
        double p3 = 0;
        double p4 = 0;
        for (int i = from; i < to; i++) {
            double distance = x[i] - zero - middle;
            double square = distance * distance;
            p2 += square;
            p3 += square * distance;
            p4 += square * square;
        }
        m2 = p2;
        m3 = p3;
        m4 = p4;
    }

    /**
     * Adds one value. O(1).
     *
     * @param x the value
     */
    public void add(double x) {
        if (n == 0) {
            origin = x;
        }
        fit(x - origin);
        double before = n;
        n++;
        double delta = (x - origin) * perUnit - mean;
        double step = delta / n;
        double square = delta * step * before;
        mean += step;
        m4 += square * step * step * (before * before - before + 1) + 6 * step * step * m2 - 4 * step * m3;
        m3 += square * step * (before - 1) - 3 * step * m2;
        m2 += square;
    }

    /** Changes the unit if this distance from the origin is too many of them, or is the first and too small a part of one. */
    private void fit(double distance) {
        double units = Math.abs(distance * perUnit);
        if (units > FAR || units < 1 / FAR && m2 == 0 && distance != 0) {
            if (!Double.isInfinite(distance)) {
                changeUnit(Math.scalb(1.0, -Math.getExponent(distance)));
            }
        }
    }

    private void changeUnit(double newPerUnit) {
        double f = newPerUnit / perUnit;
        perUnit = newPerUnit;
        // Factor by factor: f can be large, but then all of these are 0, and 0·f·f stays 0 where f·f would overflow.
        mean = mean * f;
        m2 = m2 * f * f;
        m3 = m3 * f * f * f;
        m4 = m4 * f * f * f * f;
    }

    /**
     * Adds all values of another stream, as if they had been added one by one; equal to that up to rounding. O(1).
     *
     * @param other the moments to add; not modified, unless it is this object, whose values then count twice
     */
    public void merge(Moments other) {
        Checks.notNull("other", other);
        if (other.n == 0) {
            return;
        }
        if (n == 0) {
            origin = other.origin;
        }
        if (m2 == 0 || other.m2 != 0 && other.perUnit < perUnit) {
            changeUnit(other.perUnit);
        }
        fit(other.origin - origin);
        double f = perUnit / other.perUnit;
        double otherM2 = other.m2 * f * f;
        double otherM3 = other.m3 * f * f * f;
        double a = n;
        double b = other.n;
        double sum = a + b;
        double delta = (other.origin - origin) * perUnit + other.mean * f - mean;
        double step = delta / sum;
        double square = delta * step * a * b;
        double m4b = other.m4 * f * f * f * f + square * step * step * (a * a - a * b + b * b)
                + 6 * step * step * (a * a * otherM2 + b * b * m2) + 4 * step * (a * otherM3 - b * m3);
        double m3b = otherM3 + square * step * (a - b) + 3 * step * (a * otherM2 - b * m2);
        m4 += m4b;
        m3 += m3b;
        m2 += otherM2 + square;
        mean += step * b;
        n += other.n;
    }

    /**
     * The number of values.
     *
     * @return n
     */
    public long count() {
        return n;
    }

    /**
     * The mean Σx/n.
     *
     * @return the mean; NaN without values
     */
    public double mean() {
        return n == 0 ? Double.NaN : origin + mean / perUnit;
    }

    /**
     * The unbiased sample variance M₂/(n − 1).
     *
     * @return the variance; NaN for fewer than 2 values
     */
    public double variance() {
        return n < 2 ? Double.NaN : m2 / (n - 1) / perUnit / perUnit;
    }

    /**
     * √{@link #variance}.
     *
     * @return the standard deviation; NaN for fewer than 2 values
     */
    public double standardDeviation() {
        return n < 2 ? Double.NaN : Math.sqrt(m2 / (n - 1)) / perUnit; // may exist where its square does not
    }

    /**
     * The skewness of the sample, (M₃/n) / (M₂/n)^{3/2}, without a correction for bias.
     *
     * @return the skewness; 0 for a symmetric distribution, up to √(6/n) or so; NaN for fewer than 2 values or equal ones
     */
    public double skewness() {
        double variance = m2 / n;
        return n < 2 ? Double.NaN : m3 / n / (variance * Math.sqrt(variance));
    }

    /**
     * The kurtosis of the sample, m₄/m₂² with m_p = M_p/n, without a correction for bias (which is of order 1/n).
     *
     * @return the kurtosis; 3 for a normal distribution, up to √(24/n) or so; NaN for fewer than 2 values or equal ones
     */
    public double kurtosis() {
        return n < 2 ? Double.NaN : m4 / m2 * (n / m2);
    }

    /**
     * {@link #kurtosis} − 3.
     *
     * @return the excess kurtosis, 0 for a normal distribution
     */
    public double excessKurtosis() {
        return kurtosis() - 3;
    }

    /**
     * The standard error of {@link #mean}, √(variance/n).
     *
     * @return the standard error; NaN for fewer than 2 values
     */
    public double meanError() {
        return n < 2 ? Double.NaN : Math.sqrt(m2 / (n - 1) / n) / perUnit;
    }

    /**
     * The standard error of {@link #variance}, variance·√((κ − 1)/n) with κ the {@link #kurtosis}: √2·variance/√n for a normal
     * distribution. Exact to first order in 1/n, and meaningless where the fourth moment is infinite, as for Student's t with 4
     * degrees of freedom or fewer: the sample's kurtosis is finite all the same, and grows with n.
     *
     * @return the standard error; 0 for equal values; NaN for fewer than 2 values
     */
    public double varianceError() {
        if (n < 2) {
            return Double.NaN;
        }
        return m2 == 0 ? 0 : variance() * Math.sqrt(Math.max(0, kurtosis() - 1) / n);
    }

    /** Count, mean ± its standard error, variance ± its standard error, kurtosis, to 6 significant digits. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "n = %d, mean = %.6g ± %.2g, variance = %.6g ± %.2g, kurtosis = %.6g",
                n, mean(), meanError(), variance(), varianceError(), kurtosis());
    }
}
