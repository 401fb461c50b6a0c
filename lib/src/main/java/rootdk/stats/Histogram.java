package rootdk.stats;

import java.util.Arrays;

/**
 * Counts of a sample in equal bins from {@code from} to {@code to}. A bin holds its left edge and not its right one; the last bin
 * holds both. Values outside, infinities among them, are counted in {@link #below} and {@link #above}. Immutable.
 */
public final class Histogram {
    private final double[] edges;
    private final long[] counts;
    private final long below;
    private final long above;

    private Histogram(double[] edges, long[] counts, long below, long above) {
        this.edges = edges;
        this.counts = counts;
        this.below = below;
        this.above = above;
    }

    /**
     * Sorts a sample into bins. O(n + bins).
     *
     * @param x the sample, at least one number, none of them NaN; not modified
     * @param from the left edge of the first bin, finite
     * @param to the right edge of the last bin, finite and above {@code from}
     * @param bins how many bins, at least 1
     * @return the histogram
     * @throws IllegalArgumentException if an argument is not as said
     */
    public static Histogram of(double[] x, double from, double to, int bins) {
        Checks.sample("x", x);
        Checks.atLeast(1, "bins", bins);
        if (!(from < to) || Double.isInfinite(to - from)) { // also when one of them is NaN or infinite
            throw new IllegalArgumentException("from is " + from + ", to is " + to + ": both must be finite, and from below to");
        }
        double width = (to - from) / bins;
        double[] edges = new double[bins + 1];
        for (int i = 0; i < bins; i++) {
            edges[i] = from + i * width;
        }
        edges[bins] = to;
        long[] counts = new long[bins];
        long below = 0;
        long above = 0;
        for (double value : x) {
            if (value < from) {
                below++;
            } else if (value > to) {
                above++;
            } else {
                int bin = (int) Math.min(bins - 1, (value - from) / width);
                // The quotient is rounded: settle values next to an edge by the edge itself.
                if (value < edges[bin]) {
                    bin--;
                } else if (bin < bins - 1 && value >= edges[bin + 1]) {
                    bin++;
                }
                counts[bin]++;
            }
        }
        return new Histogram(edges, counts, below, above);
    }

    /**
     * The edges of the bins.
     *
     * @return a new array of bins + 1 numbers, from {@code from} to {@code to}
     */
    public double[] edges() {
        return edges.clone();
    }

    /**
     * The middles of the bins.
     *
     * @return a new array, one number for each bin
     */
    public double[] centers() {
        double[] centers = new double[counts.length];
        for (int i = 0; i < centers.length; i++) {
            centers[i] = edges[i] + (edges[i + 1] - edges[i]) / 2;
        }
        return centers;
    }

    /**
     * How many values fell into each bin.
     *
     * @return a new array, one count for each bin
     */
    public long[] counts() {
        return counts.clone();
    }

    /**
     * The share of the whole sample in each bin per unit of x: count / (n · width). It lies on the sample's probability density,
     * and the bars' area is 1 less the share of values outside.
     *
     * @return a new array, one number for each bin
     */
    public double[] density() {
        double n = below + above + Arrays.stream(counts).sum();
        double[] density = new double[counts.length];
        for (int i = 0; i < density.length; i++) {
            density[i] = counts[i] / n / (edges[i + 1] - edges[i]);
        }
        return density;
    }

    /**
     * How many values are below the first bin.
     *
     * @return the count
     */
    public long below() {
        return below;
    }

    /**
     * How many values are above the last bin.
     *
     * @return the count
     */
    public long above() {
        return above;
    }
}
