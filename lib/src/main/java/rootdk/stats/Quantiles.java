package rootdk.stats;

import java.util.Arrays;

/** Quantiles of a sample. */
public final class Quantiles {
    private Quantiles() { }

    /**
     * The quantiles of a sample by linear interpolation between its order statistics: for probability p, the value at place
     * p·(n − 1) of the sorted sample, counted from 0. This is definition 7 of Hyndman &amp; Fan 1996, "Sample Quantiles in
     * Statistical Packages", The American Statistician 50(4), 361–365; the default of R and NumPy. O(n log n).
     *
     * @param x the sample, at least one number, none of them NaN; not modified
     * @param probabilities numbers in [0, 1]: 0 is the minimum, ½ the median, 1 the maximum; not modified
     * @return a new array with one quantile for each probability
     * @throws IllegalArgumentException if the sample is empty or has a NaN, or a probability is outside [0, 1]
     */
    public static double[] of(double[] x, double... probabilities) {
        double[] sorted = Checks.sample("x", x).clone();
        Arrays.sort(sorted);
        double[] quantiles = new double[Checks.notNull("probabilities", probabilities).length];
        for (int i = 0; i < quantiles.length; i++) {
            double p = probabilities[i];
            if (!(p >= 0 && p <= 1)) {
                throw new IllegalArgumentException("probabilities[" + i + "] is " + p + ": it must be in [0, 1]");
            }
            double place = p * (sorted.length - 1);
            int left = (int) place;
            double part = place - left;
            double low = sorted[left];
            double high = part == 0 ? low : sorted[left + 1];
            quantiles[i] = low == high ? low : low * (1 - part) + high * part; // equal infinities stay as they are
        }
        return quantiles;
    }
}
