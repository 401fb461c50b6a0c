package rootdk.chart;

import java.awt.Color;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.Locale;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategorySeries;

/**
 * Bars over named categories, one bar for each series in each category, with the value on each where they are few
 * and there is room.
 *
 * <p>Every method changes the figure and returns it. Arrays are copied. NaN is a missing bar; ±∞ is refused.
 */
public final class Bars extends Plot<Bars> {

    /** Up to so many bars, each has its value written on it. */
    private static final int LABELLED = 16;

    private static final double FILL = 0.66;

    private record Series(String name, double[] values, double[] errors) {}

    private final List<Series> series = new ArrayList<>();
    private List<String> categories = List.of();

    private Bars(String title) {
        super(title);
    }

    /**
     * Begins a figure.
     *
     * @param title one plain sentence or phrase; empty for none
     * @return a figure without series
     */
    public static Bars titled(String title) {
        return new Bars(title);
    }

    @Override
    Bars self() {
        return this;
    }

    /**
     * Names the categories, from left to right. May be called before or after the series. Long names are broken at blanks;
     * a name that still has no room is left out.
     *
     * @param names all different, as many as each series has values
     * @return this figure
     * @throws IllegalArgumentException if there are none, two are equal, or a series has another number of values
     */
    public Bars categories(String... names) {
        List<String> given = names("categories", names);
        if (names.length == 0) {
            throw new IllegalArgumentException("no categories: name at least one");
        }
        for (int i = 0; i < names.length; i++) {
            int first = given.indexOf(names[i]);
            if (first < i) {
                throw new IllegalArgumentException(
                        "categories " + first + " and " + i + " are both '" + names[i] + "': give each its own name");
            }
        }
        categories = given;
        series.forEach(s -> requireCategories(s.name, s.values.length));
        return this;
    }

    /**
     * Adds a series.
     *
     * @param name for legend and description
     * @param values one for each category; NaN is a missing bar
     * @return this figure
     * @throws IllegalArgumentException if the number of values is not that of the categories, a value is infinite or all are NaN, or
     *     another series has this name
     */
    public Bars series(String name, double... values) {
        return add(name, values, null);
    }

    /**
     * Adds a series with error bars from value − error to value + error.
     *
     * @param name for legend and description
     * @param values one for each category; NaN is a missing bar
     * @param errors as many lengths, at least 0
     * @return this figure
     * @throws IllegalArgumentException as for {@link #series(String, double...)}, or if an error is negative or not finite
     */
    public Bars series(String name, double[] values, double[] errors) {
        return add(name, values, copy("series '" + name + "': errors", errors));
    }

    /**
     * Fixes the range of the vertical axis. Bars stand on 0, so it must contain 0.
     *
     * @param from the lower end, at most 0
     * @param to the upper end, at least 0
     * @return this figure
     * @throws IllegalArgumentException if the range is empty, not finite, or without 0
     */
    public Bars yRange(double from, double to) {
        if (from > 0 || to < 0) {
            throw new IllegalArgumentException("y range " + from + " to " + to + ": bars stand on 0, so the range must contain 0");
        }
        yRange = range("y", from, to, false);
        return this;
    }

    private Bars add(String name, double[] values, double[] errors) {
        requireName(name);
        String what = "series '" + name + "'";
        if (series.stream().anyMatch(s -> s.name.equals(name))) {
            throw new IllegalArgumentException(what + " is there already: give every series of a figure its own name");
        }
        Series s = new Series(name, copy(what, values), errors);
        if (errors != null) {
            requireSame(what, "values", values.length, "errors", errors.length);
        }
        for (int i = 0; i < values.length; i++) {
            if (Double.isInfinite(values[i])) {
                throw new IllegalArgumentException(
                        what + ": value[" + i + "] is " + values[i] + ": put Double.NaN for a missing bar");
            }
            if (errors != null && !(errors[i] >= 0 && errors[i] < Double.MAX_VALUE)) {
                throw new IllegalArgumentException(
                        what + ": errors[" + i + "] is " + errors[i] + ": an error bar is a finite length, at least 0");
            }
        }
        if (Arrays.stream(values).allMatch(Double::isNaN)) {
            throw new IllegalArgumentException(what + " has only NaN: leave it out");
        }
        if (!categories.isEmpty()) {
            requireCategories(name, values.length);
        }
        series.add(s);
        return this;
    }

    private void requireCategories(String name, int values) {
        requireSame("series '" + name + "'", "categories", categories.size(), "the series", values);
    }

    @Override
    void requireContent() {
        if (series.isEmpty()) {
            throw new IllegalStateException("figure '" + title + "' has no series: add one with .series(name, values)");
        }
        if (categories.isEmpty()) {
            throw new IllegalStateException("figure '" + title + "' has no categories: name them with .categories(names)");
        }
    }

    @Override
    int[] naturalSize() {
        return new int[] {680, 380};
    }

    private static double low(Series s, int i) {
        return s.values[i] - (s.errors == null ? 0 : s.errors[i]);
    }

    private static double high(Series s, int i) {
        return s.values[i] + (s.errors == null ? 0 : s.errors[i]);
    }

    @Override
    double draw(Sketch g, Rectangle2D area, double lowest) {
        int n = categories.size();
        boolean labelled = n * series.size() <= LABELLED;
        List<Axis.Tick> ticks = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            // 90 px: about what stands at the left and right of the plot
            List<String> lines = Type.lines(categories.get(i), Theme.TICK, (area.getWidth() - 90) / n - 8);
            ticks.add(new Axis.Tick(i + 0.5, String.join("\n", lines)));
        }
        Axis x = Axis.of(0, n, ticks);
        Axis y = yAxis(labelled, Math.max(2, (int) (area.getHeight() / 75)));
        List<Frame.Entry> legend = new ArrayList<>();
        CategoryChart chart = new CategoryChart(1, 1);
        chart.getStyler().setAvailableSpaceFill(FILL).setErrorBarsColor(Theme.INK);
        for (Series s : series) {
            Color color = Theme.series(legend.size(), series.size(), false);
            legend.add(new Frame.Entry(s.name, color, Frame.Look.BAR));
            CategorySeries bars = chart.addSeries(s.name, categories, boxed(s.values), s.errors == null ? null : boxed(s.errors));
            bars.setFillColor(color);
        }
        Frame frame = new Frame(g, area, title, xLabel, yLabel, series.size() == 1 ? List.of() : legend, x, y, 0, lowest);
        frame.back(false);
        g.clipping(yRange != null);
        Painter.paint(chart, null, y, frame.plot, g);
        if (labelled) {
            labels(g, frame, n);
        }
        if (y.min < 0) {
            frame.zero();
        } else {
            frame.front(false);
        }
        return frame.plot.getY();
    }

    private static List<Double> boxed(double[] values) {
        return Arrays.stream(values).boxed().toList();
    }

    private Axis yAxis(boolean labelled, int count) {
        if (yRange != null) {
            return Axis.linear(yRange[0], yRange[1], false, count);
        }
        double lo = 0;
        double hi = 0;
        for (Series s : series) {
            for (int i = 0; i < s.values.length; i++) {
                if (!Double.isNaN(s.values[i])) {
                    lo = Math.min(lo, low(s, i));
                    hi = Math.max(hi, high(s, i));
                }
            }
        }
        // room for the numbers on the bars
        double room = labelled ? 0.06 * (hi - lo) : 0;
        return Axis.linear(lo < 0 ? lo - room : 0, hi > 0 ? hi + room : 0, true, count);
    }

    /** A bar, with its error bar, and its label: both in px. */
    private record Label(double value, String text, Rectangle2D bar, Rectangle2D box, Color ink, double degrees) {

        /** Whether the label may stand: within the plot's sides, clear of the other bars and of labels that stand. */
        boolean fits(Rectangle2D plot, List<Label> all, List<Label> standing) {
            boolean inside = ink != Theme.INK;
            Rectangle2D wide = new Rectangle2D.Double(box.getX() - 3, box.getY(), box.getWidth() + 6, box.getHeight());
            return box.getX() >= plot.getX() - 4 && box.getMaxX() <= plot.getMaxX() + 4 && (!inside || bar.contains(box))
                    && standing.stream().noneMatch(l -> l.box.intersects(wide))
                    && all.stream().noneMatch(l -> l != this && l.bar.intersects(box));
        }
    }

    /** Writes the values, greatest first where there is no room for all. */
    private void labels(Sketch g, Frame frame, int n) {
        DoubleFunction<String> text = Numbers.alike(series.stream().flatMapToDouble(s -> Arrays.stream(s.values)).toArray());
        List<Label> all = new ArrayList<>();
        for (int k = 0; k < series.size(); k++) {
            for (int i = 0; i < n; i++) {
                if (!Double.isNaN(series.get(k).values[i])) {
                    all.add(label(frame, n, k, i, text));
                }
            }
        }
        List<Label> standing = new ArrayList<>();
        for (Label l : all.stream().sorted(Comparator.comparingDouble(l -> -Math.abs(l.value))).toList()) {
            if (l.fits(frame.plot, all, standing)) {
                standing.add(l);
            }
        }
        all.stream().filter(standing::contains)
                .forEach(l -> g.text(l.text, l.degrees == 0 ? l.box.getX() : l.box.getMaxX() - 1,
                        l.box.getMaxY() - (l.degrees == 0 ? 1 : 0), Theme.TICK, l.degrees, l.ink));
    }

    /** The label beyond the bar's end; inside, in white, where the plot ends before, and upright in a narrow bar. */
    private Label label(Frame frame, int n, int k, int i, DoubleFunction<String> labels) {
        Series s = series.get(k);
        double v = s.values[i];
        Rectangle2D plot = frame.plot;
        double slot = plot.getWidth() / n;
        double width = slot * FILL / series.size();
        double left = plot.getX() + slot * (i + (1 - FILL) / 2) + width * k;
        double top = Math.max(plot.getY(), frame.py(Math.max(0, high(s, i))));
        double bottom = Math.min(plot.getMaxY(), frame.py(Math.min(0, low(s, i))));
        String text = labels.apply(v);
        double w = Type.width(text, Theme.TICK);
        double base = v < 0 ? frame.py(low(s, i)) + 16 : frame.py(high(s, i)) - 5;
        boolean inside = base - 11 < plot.getY() - 4 || base > plot.getMaxY() + 4;
        Rectangle2D bar = new Rectangle2D.Double(left, top, width, bottom - top);
        if (inside && w > width) {
            double y = v < 0 ? Math.min(plot.getMaxY(), frame.py(high(s, i))) - 6 - w
                    : Math.max(plot.getY(), frame.py(low(s, i))) + 6;
            return new Label(v, text, bar, new Rectangle2D.Double(left + width / 2 - 6, y, 12, w), Theme.WHITE, -90);
        }
        if (inside) {
            base = v < 0 ? Math.min(plot.getMaxY(), frame.py(high(s, i))) - 6 : Math.max(plot.getY(), frame.py(low(s, i))) + 16;
        }
        Rectangle2D box = new Rectangle2D.Double(left + width / 2 - w / 2, base - 11, w, 12);
        return new Label(v, text, bar, box, inside ? Theme.WHITE : Theme.INK, 0);
    }

    @Override
    List<String> clauses() {
        List<String> clauses = new ArrayList<>();
        clauses.add(head("Bar chart", title));
        double[] all = series.stream().flatMapToDouble(s -> Arrays.stream(s.values)).filter(v -> !Double.isNaN(v)).toArray();
        int n = categories.size();
        clauses.add("x: " + (xLabel.isEmpty() ? "" : xLabel + ", ") + n + (n == 1 ? " category" : " categories")
                + (n <= 12 ? " (" + String.join(", ", categories) + ")" : " from " + categories.get(0) + " to "
                        + categories.get(n - 1))
                + "; " + axis("y", yLabel, false, Arrays.stream(all).min().orElse(0), Arrays.stream(all).max().orElse(0)) + ".");
        int digits = Numbers.digits(all);
        for (Series s : series) {
            if (n <= 12) {
                clauses.add(s.name + ": " + String.join(", ", Arrays.stream(s.values)
                        .mapToObj(v -> Double.isNaN(v) ? "none" : Numbers.shortest(v, digits)).toList())
                        + (s.errors == null ? "" : " (errors up to "
                                + Numbers.shortest(Arrays.stream(s.errors).max().orElse(0)) + ")")
                        + ".");
            } else {
                int low = 0;
                int high = 0;
                for (int i = 1; i < n; i++) {
                    low = s.values[i] < s.values[low] || Double.isNaN(s.values[low]) ? i : low;
                    high = s.values[i] > s.values[high] || Double.isNaN(s.values[high]) ? i : high;
                }
                clauses.add(String.format(Locale.ROOT, "%s: least %s at %s, greatest %s at %s.", s.name,
                        Numbers.shortest(s.values[low], digits), categories.get(low), Numbers.shortest(s.values[high], digits),
                        categories.get(high)));
            }
        }
        return clauses;
    }

    @Override
    void digest(Digest digest) {
        digest.add(categories.toArray(String[]::new));
        for (Series s : series) {
            digest.add(s.name);
            digest.add(s.values);
            if (s.errors != null) {
                digest.add(s.errors);
            }
        }
    }
}
