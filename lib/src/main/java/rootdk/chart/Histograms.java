package rootdk.chart;

import java.awt.Color;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.DoubleUnaryOperator;
import rootdk.stats.Histogram;
import rootdk.stats.Moments;

/**
 * Histograms of one or more samples on common bins, each scaled to area 1, with density curves over them.
 *
 * <p>Every method changes the figure and returns it. Arrays are copied.
 */
public final class Histograms extends XYPlot<Histograms> {

    private static final int CURVE_POINTS = 241;

    private record Sample(String name, double[] values) {}

    private record Curve(String name, DoubleUnaryOperator density) {}

    private final List<Sample> samples = new ArrayList<>();
    private final List<Curve> curves = new ArrayList<>();
    private double from = Double.NaN;
    private double to = Double.NaN;
    private int bins = 40;

    private Histograms(String title) {
        super(title);
    }

    /**
     * Begins a figure.
     *
     * @param title one plain sentence or phrase; empty for none
     * @return a figure without samples
     */
    public static Histograms titled(String title) {
        return new Histograms(title).y("density");
    }

    @Override
    Histograms self() {
        return this;
    }

    /**
     * Sets the bins; without, there are 40 over the range of all samples. Values outside are not drawn, but count: the area
     * drawn is then less than 1, and a density curve still fits.
     *
     * @param from left edge of the first bin
     * @param to right edge of the last bin, greater than {@code from}
     * @param n number of bins of equal width, at least 1
     * @return this figure
     * @throws IllegalArgumentException if the range is empty or not finite, or n is less than 1
     */
    public Histograms bins(double from, double to, int n) {
        range("bin", from, to, false);
        if (n < 1) {
            throw new IllegalArgumentException("bins: n is " + n + ", it must be at least 1");
        }
        this.from = from;
        this.to = to;
        bins = n;
        return this;
    }

    /**
     * Adds a sample. Cost: a copy now, one pass when drawn.
     *
     * @param name for legend and description
     * @param values at least one; not modified
     * @return this figure
     * @throws IllegalArgumentException if there is no value, one is NaN or infinite, or another sample has this name
     */
    public Histograms sample(String name, double[] values) {
        requireName(name);
        String series = "sample '" + name + "'";
        if (samples.stream().anyMatch(s -> s.name.equals(name))) {
            throw new IllegalArgumentException(series + " is there already: give every series of a figure its own name");
        }
        double[] copy = copy(series, values);
        for (int i = 0; i < copy.length; i++) {
            requireDrawable(series, "value[" + i + "]", copy[i], false);
        }
        samples.add(new Sample(name, copy));
        return this;
    }

    /**
     * Adds a density curve, dashed: black, or in the colour of the sample of the same name.
     *
     * @param name for legend and description, possibly a sample's
     * @param density called at 241 points of the range drawn; must be finite there
     * @return this figure
     * @throws IllegalArgumentException if another curve has this name
     */
    public Histograms density(String name, DoubleUnaryOperator density) {
        requireName(name);
        if (curves.stream().anyMatch(c -> c.name.equals(name))) {
            throw new IllegalArgumentException(
                    "density '" + name + "' is there already: give every series of a figure its own name");
        }
        curves.add(new Curve(name, Objects.requireNonNull(density, "density '" + name + "' is null")));
        return this;
    }

    @Override
    void requireContent() {
        if (samples.isEmpty()) {
            throw new IllegalStateException("figure '" + title + "' has no sample: add one with .sample(name, values)");
        }
    }

    /** A single curve of its own name is black; several are told apart by colour. */
    @Override
    Color color(String name, int i, int n) {
        boolean own = samples.stream().noneMatch(s -> s.name.equals(name));
        long others = curves.stream().filter(c -> samples.stream().noneMatch(s -> s.name.equals(c.name))).count();
        return own && others == 1 ? Theme.INK : super.color(name, i, own || others != 1 ? n : (int) (n - others));
    }

    private Histogram histogram(Sample s) {
        double lo = from;
        double hi = to;
        if (Double.isNaN(lo)) {
            lo = Double.POSITIVE_INFINITY;
            hi = Double.NEGATIVE_INFINITY;
            for (Sample any : samples) {
                for (double v : any.values) {
                    lo = Math.min(lo, v);
                    hi = Math.max(hi, v);
                }
            }
            if (Axis.same(lo, hi)) {
                double half = Math.abs(lo) < 1e6 ? 0.5 : Math.abs(lo) / 2;
                lo -= half;
                hi += half;
            }
            if (Double.isInfinite(hi - lo)) {
                throw new IllegalArgumentException("the samples' range " + lo + " to " + hi
                        + " is too wide: set .bins without the outliers, or plot a multiple of the values");
            }
        }
        return Histogram.of(s.values, lo, hi, bins);
    }

    @Override
    List<Trace> traces() {
        List<Trace> traces = new ArrayList<>();
        double[] edges = null;
        for (Sample s : samples) {
            Histogram h = histogram(s);
            edges = h.edges();
            traces.add(outline(s.name, edges, h.density()));
        }
        double lo = xRange == null ? edges[0] : xRange[0];
        double hi = xRange == null ? edges[bins] : xRange[1];
        for (Curve c : curves) {
            double[] x = new double[CURVE_POINTS];
            double[] y = new double[CURVE_POINTS];
            for (int i = 0; i < CURVE_POINTS; i++) {
                x[i] = lo + (hi - lo) * i / (CURVE_POINTS - 1);
                y[i] = c.density.applyAsDouble(x[i]);
                if (Double.isNaN(y[i]) || Double.isInfinite(y[i])) {
                    throw new IllegalStateException(String.format(Locale.ROOT,
                            "density '%s' is %s at x = %s: set .xRange or .bins so that it is finite", c.name, y[i], x[i]));
                }
            }
            traces.add(new Trace(Kind.DASHED, c.name, x, y, null));
        }
        return traces;
    }

    /** The histogram's skyline, from the axis up and down to it again. */
    private static Trace outline(String name, double[] edges, double[] heights) {
        int n = heights.length;
        double[] x = new double[2 * n + 2];
        double[] y = new double[2 * n + 2];
        for (int i = 0; i <= n; i++) {
            x[2 * i] = x[2 * i + 1] = edges[i];
            y[2 * i] = i == 0 ? 0 : heights[i - 1];
            y[2 * i + 1] = i == n ? 0 : heights[i];
        }
        return new Trace(Kind.AREA, name, x, y, null);
    }

    @Override
    List<String> clauses() {
        List<String> clauses = new ArrayList<>();
        List<Trace> traces = traces();
        clauses.add(head(samples.size() == 1 ? "Histogram" : "Histograms", title));
        clauses.addAll(axesClauses(traces));
        double[] edges = histogram(samples.get(0)).edges();
        clauses.add(bins + " bins of width " + Numbers.shortest((edges[bins] - edges[0]) / bins) + ".");
        for (Sample s : samples) {
            Histogram h = histogram(s);
            Moments m = Moments.of(s.values);
            long outside = h.below() + h.above();
            // A mean that is 0 but for noise is 0: three digits of noise say nothing.
            String mean = Math.abs(m.mean()) < 5e-4 * m.standardDeviation() ? "0"
                    : Numbers.shortest(m.mean(), Numbers.digits(m.mean(), m.mean() + m.standardDeviation()));
            clauses.add(s.name + ": " + Numbers.fixed(s.values.length, 0) + " values, mean " + mean
                    + (s.values.length < 2 ? "" : ", standard deviation " + Numbers.shortest(m.standardDeviation()))
                    + (outside == 0 ? "" : ", " + Numbers.fixed(outside, 0) + " outside the bins") + ".");
        }
        for (Trace t : traces) {
            if (t.kind() == Kind.DASHED) {
                int top = 0;
                for (int i = 0; i < t.y().length; i++) {
                    top = t.y()[i] > t.y()[top] ? i : top;
                }
                clauses.add("Density " + t.name() + " (dashed): greatest " + Numbers.shortest(t.y()[top]) + " at x = "
                        + Numbers.shortest(t.x()[top]) + ".");
            }
        }
        return clauses;
    }
}
