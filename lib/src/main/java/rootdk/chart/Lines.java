package rootdk.chart;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.DoubleFunction;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Curves, points and bands over two number axes, each linear or logarithmic.
 *
 * <p>Every method changes the figure and returns it. Arrays are copied. Series are drawn bands first, then lines, then points.
 * Series of different sort may share a name: they then share colour and legend entry, as a line and its band, or measured
 * points and the theory behind them. NaN in y is a gap in a line and a point left out; NaN elsewhere and ±∞ are refused.
 */
public final class Lines extends XYPlot<Lines> {

    private final List<Trace> traces = new ArrayList<>();

    private Lines(String title) {
        super(title);
    }

    /**
     * Begins a figure.
     *
     * @param title one plain sentence or phrase; empty for none
     * @return a figure without series
     */
    public static Lines titled(String title) {
        return new Lines(title);
    }

    @Override
    Lines self() {
        return this;
    }

    /**
     * Makes the horizontal axis logarithmic: ticks at powers of ten, or of two where the data stands at powers of two.
     *
     * @return this figure
     * @throws IllegalArgumentException if an x given before is not positive
     */
    public Lines logX() {
        logX = true;
        recheck();
        return this;
    }

    /**
     * Makes the vertical axis logarithmic, with ticks at powers of ten.
     *
     * @return this figure
     * @throws IllegalArgumentException if a y given before is not positive
     */
    public Lines logY() {
        logY = true;
        recheck();
        return this;
    }

    /**
     * Adds a solid line through (x[i], y[i]) in the order given.
     *
     * @param name for legend and description
     * @param x n positions
     * @param y n values; NaN is a gap
     * @return this figure
     * @throws IllegalArgumentException if sizes differ, there is no value, a value has no place on its axis, or another line
     *     has this name
     */
    public Lines line(String name, double[] x, double[] y) {
        return add(Kind.LINE, name, x, y, null);
    }

    /**
     * Adds a solid line through (x[i], f(x[i])).
     *
     * @param name for legend and description
     * @param x n positions
     * @param f computed once at each position, in their order
     * @return this figure
     * @throws IllegalArgumentException as for {@link #line(String, double[], double[])}
     */
    public Lines line(String name, double[] x, DoubleUnaryOperator f) {
        return line(name, x, values("line", name, x, f));
    }

    /**
     * Adds a dashed line: theory, beside measured points.
     *
     * @param name for legend and description
     * @param x n positions
     * @param y n values; NaN is a gap
     * @return this figure
     * @throws IllegalArgumentException as for {@link #line(String, double[], double[])}
     */
    public Lines dashed(String name, double[] x, double[] y) {
        return add(Kind.DASHED, name, x, y, null);
    }

    /**
     * Adds a dashed line through (x[i], f(x[i])).
     *
     * @param name for legend and description
     * @param x n positions
     * @param f computed once at each position, in their order
     * @return this figure
     * @throws IllegalArgumentException as for {@link #line(String, double[], double[])}
     */
    public Lines dashed(String name, double[] x, DoubleUnaryOperator f) {
        return dashed(name, x, values("dashed line", name, x, f));
    }

    /**
     * Adds points that no line joins.
     *
     * @param name for legend and description
     * @param x n positions
     * @param y n values; NaN leaves the point out
     * @return this figure
     * @throws IllegalArgumentException as for {@link #line(String, double[], double[])}
     */
    public Lines points(String name, double[] x, double[] y) {
        return add(Kind.POINTS, name, x, y, null);
    }

    /**
     * Adds the points (x[i], f(x[i])).
     *
     * @param name for legend and description
     * @param x n positions
     * @param f computed once at each position, in their order
     * @return this figure
     * @throws IllegalArgumentException as for {@link #line(String, double[], double[])}
     */
    public Lines points(String name, double[] x, DoubleUnaryOperator f) {
        return points(name, x, values("points", name, x, f));
    }

    /**
     * Adds points with error bars from y − error to y + error.
     *
     * @param name for legend and description
     * @param x n positions
     * @param y n values; NaN leaves the point out
     * @param errors n lengths, at least 0; a bar that reaches 0 on a logarithmic axis ends at the axis
     * @return this figure
     * @throws IllegalArgumentException as for {@link #line(String, double[], double[])}, or if an error is negative or not finite
     */
    public Lines points(String name, double[] x, double[] y, double[] errors) {
        return add(Kind.POINTS, name, x, y, copy("points '" + name + "': errors", errors));
    }

    /**
     * Adds a translucent band between two curves.
     *
     * @param name a line's name to take its colour, or its own
     * @param x n positions, ascending
     * @param lo n lower values
     * @param hi n upper values, hi[i] ≥ lo[i]
     * @return this figure
     * @throws IllegalArgumentException as for {@link #line(String, double[], double[])}, for NaN, or if lo[i] exceeds hi[i]
     */
    public Lines band(String name, double[] x, double[] lo, double[] hi) {
        return add(Kind.BAND, name, x, lo, copy("band '" + name + "': hi", hi));
    }

    private static double[] values(String sort, String name, double[] x, DoubleUnaryOperator f) {
        Objects.requireNonNull(x, sort + " '" + name + "': x is null");
        Objects.requireNonNull(f, sort + " '" + name + "': the function is null");
        return Arrays.stream(x).map(f).toArray();
    }

    private Lines add(Kind kind, String name, double[] x, double[] y, double[] extra) {
        requireName(name);
        String series = series(kind, name);
        for (Trace t : traces) {
            if (t.kind() == kind && t.name().equals(name)) {
                throw new IllegalArgumentException(series + " is there already: give every series of a figure its own name");
            }
        }
        String yName = kind == Kind.BAND ? "lo" : "y";
        Trace t = new Trace(kind, name, copy(series + ": x", x), copy(series + ": " + yName, y), extra);
        requireSame(series, "x", x.length, yName, y.length);
        if (extra != null) {
            requireSame(series, "x", x.length, kind == Kind.BAND ? "hi" : "errors", extra.length);
        }
        check(t);
        traces.add(t);
        return this;
    }

    private static String series(Kind kind, String name) {
        return switch (kind) {
            case BAND -> "band '";
            case POINTS -> "points '";
            case DASHED -> "dashed line '";
            default -> "line '";
        } + name + "'";
    }

    private void recheck() {
        if (xRange != null) {
            range("x", xRange[0], xRange[1], logX);
        }
        if (yRange != null) {
            range("y", yRange[0], yRange[1], logY);
        }
        traces.forEach(this::check);
        for (Reference r : references) {
            requireDrawable("line '" + r.label() + "'", r.vertical() ? "x" : "y", r.value(), r.vertical() ? logX : logY);
        }
    }

    private void check(Trace t) {
        String series = series(t.kind(), t.name());
        boolean any = false;
        for (int i = 0; i < t.x().length; i++) {
            requireDrawable(series, "x[" + i + "]", t.x()[i], logX);
            if (t.kind() == Kind.BAND) {
                requireDrawable(series, "lo[" + i + "]", t.y()[i], logY);
                requireDrawable(series, "hi[" + i + "]", t.extra()[i], logY);
                if (t.y()[i] > t.extra()[i]) {
                    throw new IllegalArgumentException(series + ": lo[" + i + "] = " + t.y()[i] + " exceeds hi[" + i + "] = "
                            + t.extra()[i] + ": give the lower edge first");
                }
            } else if (!Double.isNaN(t.y()[i])) {
                requireDrawable(series, "y[" + i + "]", t.y()[i], logY);
                any = true;
            }
            if (t.kind() == Kind.POINTS && t.extra() != null && !(t.extra()[i] >= 0 && t.extra()[i] < Double.MAX_VALUE)) {
                throw new IllegalArgumentException(
                        series + ": errors[" + i + "] is " + t.extra()[i] + ": an error bar is a finite length, at least 0");
            }
        }
        if (!any && t.kind() != Kind.BAND) {
            throw new IllegalArgumentException(series + " has only NaN: leave it out");
        }
    }

    @Override
    void requireContent() {
        if (traces.isEmpty()) {
            throw new IllegalStateException("figure '" + title + "' has no series: add one with .line(name, x, y)");
        }
    }

    @Override
    List<Trace> traces() {
        return traces;
    }

    @Override
    List<String> clauses() {
        List<String> clauses = new ArrayList<>();
        boolean points = traces.stream().allMatch(t -> t.kind() == Kind.POINTS);
        clauses.add(head(points ? "Scatter chart" : "Line chart", title));
        clauses.addAll(axesClauses(traces));
        traces.forEach(t -> clauses.add(clause(t)));
        return clauses;
    }

    private String clause(Trace t) {
        int[] shown = IntStream.range(0, t.x().length).filter(i -> !Double.isNaN(t.y()[i]) && inside(t.x()[i])).toArray();
        if (shown.length == 0) {
            return t.name() + " has no point within the x range.";
        }
        int first = shown[0];
        int last = shown[shown.length - 1];
        DoubleStream heights = IntStream.of(shown).mapToDouble(i -> t.y()[i]);
        if (t.kind() == Kind.BAND) {
            heights = DoubleStream.concat(heights, IntStream.of(shown).mapToDouble(i -> t.extra()[i]));
        }
        int digits = Numbers.digits(heights.toArray());
        int xDigits = Numbers.digits(IntStream.of(shown).mapToDouble(i -> t.x()[i]).toArray());
        DoubleFunction<String> num = v -> Numbers.shortest(v, digits);
        IntFunction<String> at = i -> " at x = " + Numbers.shortest(t.x()[i], xDigits);
        if (t.kind() == Kind.BAND) {
            IntFunction<String> edges = i -> num.apply(t.y()[i]) + " to " + num.apply(t.extra()[i]) + at.apply(i);
            return t.name() + " (band): " + edges.apply(first) + ", " + edges.apply(last) + ".";
        }
        boolean rises = true;
        boolean falls = true;
        int low = shown[0];
        int high = shown[0];
        for (int k = 1; k < shown.length; k++) {
            double step = t.y()[shown[k]] - t.y()[shown[k - 1]];
            rises &= step >= 0;
            falls &= step <= 0;
            low = t.y()[shown[k]] < t.y()[low] ? shown[k] : low;
            high = t.y()[shown[k]] > t.y()[high] ? shown[k] : high;
        }
        String sort = switch (t.kind()) {
            case DASHED -> " (dashed)";
            case POINTS -> " (" + shown.length + (shown.length == 1 ? " point)" : " points)");
            default -> "";
        };
        String from = num.apply(t.y()[first]);
        String to = num.apply(t.y()[last]);
        if ((rises || falls) && from.equals(to)) {
            return t.name() + sort + " is " + from + ".";
        }
        if (rises || falls) {
            return t.name() + sort + (rises ? " rises from " : " falls from ") + from + " to " + to + ".";
        }
        String extremes = (low == first || low == last ? "" : ", least " + num.apply(t.y()[low]) + at.apply(low))
                + (high == first || high == last ? "" : ", greatest " + num.apply(t.y()[high]) + at.apply(high));
        return t.name() + sort + " goes from " + from + " to " + to + extremes + ".";
    }
}
