package rootdk.chart;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.geom.Point2D;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Figures with two number axes: curves, points, bands and areas, and reference lines. */
abstract class XYPlot<T extends XYPlot<T>> extends Plot<T> {

    enum Kind { BAND, AREA, LINE, DASHED, POINTS }

    /** One series; {@code extra} is the upper edge of a band, the error of points, else null. */
    record Trace(Kind kind, String name, double[] x, double[] y, double[] extra) {

        double low(int i) {
            return kind == Kind.POINTS && extra != null ? y[i] - extra[i] : y[i];
        }

        double high(int i) {
            return extra == null ? y[i] : kind == Kind.POINTS ? y[i] + extra[i] : extra[i];
        }
    }

    record Reference(String label, double value, boolean vertical) {}

    final List<Reference> references = new ArrayList<>();
    boolean logX;
    boolean logY;
    private boolean ordered;

    XYPlot(String title) {
        super(title);
    }

    /** The series in the order they were given. */
    abstract List<Trace> traces();

    /** The colour of the {@code i}-th of {@code n} names. */
    Color color(String name, int i, int n) {
        return Theme.series(i, n, ordered);
    }

    /**
     * Colours the series from dark to light in the order they are added, for families of a parameter such as dₖ = 4, 8, 16.
     * More than six names are always coloured so. Changes this figure.
     *
     * @return this figure
     */
    public T ordered() {
        ordered = true;
        return self();
    }

    /**
     * Fixes the range of the horizontal axis; data outside is cut off. Changes this figure.
     *
     * @param from the left end
     * @param to the right end, greater than {@code from}
     * @return this figure
     * @throws IllegalArgumentException if the range is empty or not finite, or reaches 0 on a logarithmic axis
     */
    public T xRange(double from, double to) {
        xRange = range("x", from, to, logX);
        return self();
    }

    /**
     * Fixes the range of the vertical axis; data outside is cut off. Changes this figure.
     *
     * @param from the lower end
     * @param to the upper end, greater than {@code from}
     * @return this figure
     * @throws IllegalArgumentException if the range is empty or not finite, or reaches 0 on a logarithmic axis
     */
    public T yRange(double from, double to) {
        yRange = range("y", from, to, logY);
        return self();
    }

    /**
     * Draws a thin dashed vertical line, its label beside it where it hides no data. Changes this figure.
     *
     * @param label short; empty for none
     * @param x where the line crosses the horizontal axis
     * @return this figure
     * @throws IllegalArgumentException if x is not finite, or not positive on a logarithmic axis
     */
    public T verticalAt(String label, double x) {
        requireLabel(label);
        requireDrawable("line '" + label + "'", "x", x, logX);
        references.add(new Reference(label, x, true));
        return self();
    }

    /**
     * Draws a thin dashed horizontal line, its label above or below it where it hides no data. Changes this figure.
     *
     * @param label short; empty for none
     * @param y where the line crosses the vertical axis
     * @return this figure
     * @throws IllegalArgumentException if y is not finite, or not positive on a logarithmic axis
     */
    public T horizontalAt(String label, double y) {
        requireLabel(label);
        requireDrawable("line '" + label + "'", "y", y, logY);
        references.add(new Reference(label, y, false));
        return self();
    }

    private static void requireLabel(String label) {
        Objects.requireNonNull(label, "the reference line's label is null: use \"\" for none");
    }

    static void requireDrawable(String series, String what, double v, boolean log) {
        if (Double.isNaN(v) || Double.isInfinite(v)) {
            throw new IllegalArgumentException(series + ": " + what + " is " + v + ", which has no place on an axis: leave it out"
                    + (what.startsWith("y[") && !Double.isNaN(v) ? ", or put Double.NaN for a gap" : ""));
        }
        if (log && v <= 0) {
            throw new IllegalArgumentException(series + ": " + what + " is " + v
                    + ", which has no place on a logarithmic axis: leave the point out, or put Math.max(v, 1e-12)");
        }
    }

    @Override
    int[] naturalSize() {
        return new int[] {680, 410};
    }

    @Override
    double draw(Sketch g, Rectangle2D area, double lowest) {
        List<Trace> traces = traces();
        Map<String, Color> colors = colors(traces);
        int across = Math.max(2, (int) (area.getWidth() / 90));
        int down = Math.max(2, (int) (area.getHeight() / 75));
        Axis x = xAxis(traces, across);
        Axis y = yAxis(traces, down);
        Frame frame = new Frame(g, area, title, xLabel, yLabel, legend(traces, colors), x, y, 0, lowest);
        frame.back(true);
        frame.zero();
        references.forEach(r -> frame.reference(r.value(), r.vertical()));
        XYChart chart = new XYChart((int) frame.plot.getWidth(), (int) frame.plot.getHeight());
        chart.getStyler().setMarkerSize(7);
        traces.stream().sorted((a, b) -> a.kind.compareTo(b.kind)).forEach(t -> add(chart, t, colors.get(t.name), x, y));
        g.clipping(xRange != null || yRange != null);
        Painter.paint(chart, x, y, frame.plot, g);
        frame.front(true);
        if (!references.isEmpty()) {
            List<Point2D> data = new ArrayList<>();
            traces.forEach(t -> trail(t, frame, data));
            references.forEach(r -> frame.referenceLabel(r.label(), r.value(), r.vertical(), data));
        }
        return frame.plot.getY();
    }

    private Map<String, Color> colors(List<Trace> traces) {
        List<String> names = traces.stream().map(Trace::name).distinct().toList();
        Map<String, Color> colors = new LinkedHashMap<>();
        for (String name : names) {
            colors.put(name, color(name, colors.size(), names.size()));
        }
        return colors;
    }

    private static List<Frame.Entry> legend(List<Trace> traces, Map<String, Color> colors) {
        Map<String, Set<Frame.Look>> looks = new LinkedHashMap<>();
        for (Trace t : traces) {
            looks.computeIfAbsent(t.name, k -> EnumSet.noneOf(Frame.Look.class)).add(switch (t.kind) {
                case BAND -> Frame.Look.BAND;
                case AREA -> Frame.Look.AREA;
                case LINE -> Frame.Look.LINE;
                case DASHED -> Frame.Look.DASHED;
                case POINTS -> Frame.Look.POINTS;
            });
        }
        return looks.entrySet().stream().map(e -> new Frame.Entry(e.getKey(), colors.get(e.getKey()), e.getValue())).toList();
    }

    private static void add(XYChart chart, Trace t, Color color, Axis ax, Axis ay) {
        int n = t.x.length;
        boolean band = t.kind == Kind.BAND;
        double[] x = new double[band ? 2 * n : n];
        double[] y = new double[x.length];
        for (int i = 0; i < n; i++) {
            x[i] = ax.scaled(t.x[i]);
            y[i] = ay.scaled(t.y[i]);
            if (band) {
                x[2 * n - 1 - i] = x[i];
                y[2 * n - 1 - i] = ay.scaled(t.extra[i]);
            }
        }
        if (t.kind == Kind.POINTS && t.extra != null) {
            addErrors(chart, t, color, ax, ay);
        }
        // XChart wants unique names; a band may share its line's.
        XYSeries s = chart.addSeries(t.kind + t.name, x, y);
        s.setMarker(t.kind == Kind.POINTS ? SeriesMarkers.CIRCLE : SeriesMarkers.NONE);
        s.setMarkerColor(color);
        s.setLineColor(band ? Theme.NONE : color);
        s.setFillColor(Painter.shade(color));
        s.setLineStyle(t.kind == Kind.DASHED ? Theme.DASHED : t.kind == Kind.AREA ? Theme.OUTLINE : Theme.LINE);
        s.setXYSeriesRenderStyle(switch (t.kind) {
            case BAND -> XYSeriesRenderStyle.PolygonArea;
            case AREA -> XYSeriesRenderStyle.Area;
            case LINE, DASHED -> XYSeriesRenderStyle.Line;
            case POINTS -> XYSeriesRenderStyle.Scatter;
        });
    }

    /** Error bars as a line with gaps: XChart's own are symmetric about the point, which is wrong on a logarithmic axis. */
    private static void addErrors(XYChart chart, Trace t, Color color, Axis ax, Axis ay) {
        double[] x = new double[3 * t.x.length];
        double[] y = new double[x.length];
        for (int i = 0; i < t.x.length; i++) {
            x[3 * i] = x[3 * i + 1] = x[3 * i + 2] = ax.scaled(t.x[i]);
            y[3 * i] = ay.scaled(ay.log ? Math.max(t.low(i), ay.min) : t.low(i));
            y[3 * i + 1] = ay.scaled(t.high(i));
            y[3 * i + 2] = Double.NaN;
        }
        XYSeries s = chart.addSeries("ERRORS" + t.name, x, y);
        s.setMarker(SeriesMarkers.NONE);
        s.setLineColor(color);
        s.setLineStyle(new BasicStroke(1.4f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER));
        s.setXYSeriesRenderStyle(XYSeriesRenderStyle.Line);
    }

    private Axis xAxis(List<Trace> traces, int count) {
        double lo = Double.POSITIVE_INFINITY;
        double hi = Double.NEGATIVE_INFINITY;
        boolean points = false;
        boolean twos = false;
        for (Trace t : traces) {
            boolean powers = t.x.length <= 40;
            for (double v : t.x) {
                lo = Math.min(lo, v);
                hi = Math.max(hi, v);
                powers &= v > 0 && v == StrictMath.pow(2, Math.getExponent(v));
            }
            points |= t.kind == Kind.POINTS;
            twos |= powers && t.x.length > 1;
        }
        for (Reference r : references) {
            if (r.vertical()) {
                lo = Math.min(lo, r.value());
                hi = Math.max(hi, r.value());
            }
        }
        int logCount = twos ? 2 * count : count;
        if (xRange != null) {
            return logX ? Axis.log(xRange[0], xRange[1], twos, logCount) : Axis.linear(xRange[0], xRange[1], false, count);
        }
        double[] r = padded(lo, hi, logX, points ? 0.03 : 0);
        return logX ? Axis.log(r[0], r[1], twos, logCount) : Axis.linear(r[0], r[1], false, count);
    }

    private Axis yAxis(List<Trace> traces, int count) {
        if (yRange != null) {
            return logY ? Axis.log(yRange[0], yRange[1], false, count) : Axis.linear(yRange[0], yRange[1], false, count);
        }
        double lo = Double.POSITIVE_INFINITY;
        double hi = Double.NEGATIVE_INFINITY;
        for (Trace t : traces) {
            for (int i = 0; i < t.x.length; i++) {
                double low = logY && t.low(i) <= 0 ? t.y[i] : t.low(i);
                if (!Double.isNaN(low) && inside(t.x[i])) {
                    lo = Math.min(lo, low);
                    hi = Math.max(hi, t.high(i));
                }
            }
        }
        requireSome(lo, hi);
        for (Reference r : references) {
            if (!r.vertical()) {
                lo = Math.min(lo, r.value());
                hi = Math.max(hi, r.value());
            }
        }
        if (logY) {
            double[] r = padded(lo, hi, true, 0.04);
            return Axis.log(r[0], r[1], false, count);
        }
        // A range that begins not far above 0 begins at 0: heights can then be compared.
        return Axis.linear(lo >= 0 && lo < 0.5 * hi ? 0 : lo, hi, true, count);
    }

    private void requireSome(double lo, double hi) {
        if (lo > hi) {
            throw new IllegalStateException("figure '" + title + "': no data lies within its x range: widen .xRange");
        }
    }

    /** Whether x lies within the range set, if one is. */
    final boolean inside(double x) {
        return xRange == null || x >= xRange[0] && x <= xRange[1];
    }

    private static double[] padded(double lo, double hi, boolean log, double share) {
        // What is too far apart for an axis is not made to overflow: Axis refuses it and names it.
        if (lo == hi || share == 0 || hi > Axis.LARGEST || lo < -Axis.LARGEST || log && lo < Axis.SMALLEST) {
            return new double[] {lo, hi};
        }
        double a = Axis.scaled(lo, log);
        double b = Axis.scaled(hi, log);
        double pad = share * (b - a);
        double from = log ? Math.max(StrictMath.pow(10, a - pad), Axis.SMALLEST) : Math.max(a - pad, -Axis.LARGEST);
        double to = log ? StrictMath.pow(10, b + pad) : b + pad;
        return new double[] {from, Math.min(to, Axis.LARGEST)};
    }

    /** Collects where a series is drawn, in px, a point every few px, for labels to keep clear of. */
    private static void trail(Trace t, Frame f, List<Point2D> out) {
        for (int i = 0; i < t.x.length; i++) {
            double x = f.px(t.x[i]);
            double y = f.py(t.y[i]);
            if (t.kind == Kind.POINTS) {
                for (int d = -4; d <= 4; d += 4) {
                    out.add(new Point2D.Double(x + d, y));
                    out.add(new Point2D.Double(x, y + d));
                }
            } else if (t.kind != Kind.BAND && i > 0 && !Double.isNaN(y) && !Double.isNaN(t.y[i - 1])) {
                double px = f.px(t.x[i - 1]);
                double py = f.py(t.y[i - 1]);
                int steps = (int) Math.min(1000, 1 + Math.hypot(x - px, y - py) / 4);
                for (int k = 0; k <= steps; k++) {
                    out.add(new Point2D.Double(px + (x - px) * k / steps, py + (y - py) * k / steps));
                }
            }
        }
    }

    /** "x: …, 0.1 to 100; y: …, 0 to 2." and the reference lines. */
    final List<String> axesClauses(List<Trace> traces) {
        double[] x = xRange != null ? xRange : new double[] {Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY};
        double[] y = yRange != null ? yRange : new double[] {Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY};
        for (Trace t : traces) {
            for (int i = 0; i < t.x.length; i++) {
                if (xRange == null) {
                    x[0] = Math.min(x[0], t.x[i]);
                    x[1] = Math.max(x[1], t.x[i]);
                }
                if (yRange == null && !Double.isNaN(t.y[i]) && inside(t.x[i])) {
                    y[0] = Math.min(y[0], t.y[i]);
                    y[1] = Math.max(y[1], t.kind == Kind.BAND ? t.extra[i] : t.y[i]);
                }
            }
        }
        requireSome(y[0], y[1]);
        List<String> clauses = new ArrayList<>();
        clauses.add(axis("x", xLabel, logX, x[0], x[1]) + "; " + axis("y", yLabel, logY, y[0], y[1]) + ".");
        for (Reference r : references) {
            clauses.add((r.vertical() ? "Vertical line at " : "Horizontal line at ") + Numbers.shortest(r.value())
                    + (r.label().isBlank() ? "" : ": " + r.label()) + ".");
        }
        return clauses;
    }

    @Override
    void digest(Digest digest) {
        digest.addIf(logX, "logX");
        digest.addIf(logY, "logY");
        digest.addIf(ordered, "ordered");
        for (Trace t : traces()) {
            digest.add(t.kind.name(), t.name);
            digest.add(t.x);
            digest.add(t.y);
            if (t.extra != null) {
                digest.add(t.extra);
            }
        }
        for (Reference r : references) {
            digest.add(r.vertical() ? "vertical" : "horizontal", r.label());
            digest.add(r.value());
        }
    }
}
