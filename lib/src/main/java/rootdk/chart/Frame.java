package rootdk.chart;

import java.awt.Color;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.geom.Point2D;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What stands around the data: title, axes with ticks and grid, legend, and the labels of reference lines. */
final class Frame {

    /** How a series looks, for the legend. */
    enum Look { LINE, DASHED, POINTS, BAND, AREA, BAR }

    record Entry(String name, Color color, Set<Look> looks) {
        Entry(String name, Color color, Look look) {
            this(name, color, EnumSet.of(look));
        }
    }

    private static final double ROW = 22;
    private static final double LINE = 17;
    private static final double SAMPLE = 26;

    private final Sketch g;
    private final Rectangle2D area;
    private final Axis x;
    private final Axis y;

    /** Where the data is drawn, in px: whole numbers. */
    final Rectangle2D plot;

    private final List<Rectangle2D> labels = new ArrayList<>();

    /**
     * Lays the figure out in {@code area} and writes title, legend and axis labels.
     *
     * @param right px to keep free at the right of the plot
     * @param lowest where the plot begins at the earliest: figures side by side begin level
     */
    Frame(Sketch g, Rectangle2D area, String title, String xLabel, String yLabel, List<Entry> legend, Axis x, Axis y,
            double right, double lowest) {
        this.g = g;
        this.area = area;
        this.x = x;
        this.y = y;
        double left = area.getX() + Theme.MARGIN;
        double width = area.getWidth() - 2 * Theme.MARGIN;
        double top = heading(g, title, left, area.getY() + Theme.MARGIN - 2, width);
        top = legend(legend, yLabel, left, top, width);

        double tickWidth = y.ticks.stream().mapToDouble(t -> Type.width(t.label(), Theme.TICK)).max().orElse(0);
        double plotLeft = Math.ceil(left + tickWidth + 9);
        double overhang = x.ticks.isEmpty() ? 0 : overhang(x.ticks.get(x.ticks.size() - 1));
        double plotRight = Math.floor(area.getMaxX() - Math.max(Theme.MARGIN + 2, Math.max(right, overhang + 4)));
        double more = LINE * (x.ticks.stream().mapToLong(t -> t.label().lines().count()).max().orElse(1) - 1);
        double bottom = Math.floor(area.getMaxY() - (xLabel.isEmpty() ? 32 : 54) - Math.max(0, more));
        double plotTop = Math.max(Math.ceil(top + 14), lowest);
        plot = new Rectangle2D.Double(plotLeft, plotTop, plotRight - plotLeft, bottom - plotTop);
        if (plot.getWidth() < 60 || plot.getHeight() < 60) {
            throw new IllegalStateException(String.format(Locale.ROOT,
                    "%.0f × %.0f px leave no room for the figure '%s': make it larger with .size(width, height)",
                    area.getWidth(), area.getHeight(), title));
        }
        if (!xLabel.isEmpty()) {
            double w = Type.width(xLabel, Theme.LABEL);
            double middle = Math.min(plot.getCenterX() - w / 2, area.getMaxX() - Theme.MARGIN - w);
            g.text(xLabel, Math.max(left, middle), bottom + 44 + Math.max(0, more), Theme.LABEL, 0, Theme.SOFT);
        }
    }

    /** How far the label of a tick at the axis' end stands out; that of a category stands inside. */
    private double overhang(Axis.Tick last) {
        return x.fraction(last.value()) < 0.98 ? 0 : Type.width(last.label(), Theme.TICK) / 2;
    }

    /** Writes a title, broken into lines where it must be, and returns where the rest may begin. */
    static double heading(Sketch g, String title, double left, double top, double width) {
        double y = top;
        if (!title.isBlank()) {
            for (String line : Type.lines(title, Theme.TITLE, width)) {
                y += 23;
                g.text(line, left, y - 6, Theme.TITLE, 0, Theme.INK);
            }
            y += 2;
        }
        return y;
    }

    /** The y axis' label, level, above its axis, and the legend in the same row if there is room, else in rows above. */
    private double legend(List<Entry> entries, String yLabel, double left, double top, double width) {
        List<List<Entry>> rows = new ArrayList<>();
        double x = 0;
        for (Entry e : entries) {
            double w = entryWidth(e);
            if (rows.isEmpty() || x + w > width) {
                rows.add(new ArrayList<>());
                x = 0;
            }
            rows.get(rows.size() - 1).add(e);
            x += w + 18;
        }
        double y = top;
        double label = yLabel.isEmpty() ? 0 : Type.width(yLabel, Theme.LABEL) + 30;
        boolean level = rows.size() == 1 && label + x - 18 <= width;
        for (List<Entry> row : rows) {
            double rowWidth = row.stream().mapToDouble(e -> entryWidth(e) + 18).sum() - 18;
            double pen = level && !yLabel.isEmpty() ? left + width - rowWidth : left;
            y += ROW;
            for (Entry e : row) {
                sample(e, pen, y - 5);
                g.text(e.name, pen + SAMPLE + 7, y, Theme.TICK, 0, Theme.INK);
                pen += entryWidth(e) + 18;
            }
        }
        if (!yLabel.isEmpty()) {
            y += level ? 0 : ROW;
            g.text(yLabel, left, y, Theme.LABEL, 0, Theme.SOFT);
        }
        return y;
    }

    private static double entryWidth(Entry e) {
        return SAMPLE + 7 + Type.width(e.name, Theme.TICK);
    }

    private void sample(Entry e, double x, double y) {
        Line2D line = new Line2D.Double(x + 1, y, x + SAMPLE - 1, y);
        if (e.looks.contains(Look.BAR)) {
            g.setColor(e.color);
            g.fill(new Rectangle2D.Double(x + SAMPLE - 14, y - 6, 13, 13));
        }
        if (e.looks.contains(Look.AREA)) {
            Rectangle2D box = new Rectangle2D.Double(x + SAMPLE - 20, y - 6, 19, 12);
            g.setColor(Theme.faded(e.color, 0.2));
            g.fill(box);
            g.setColor(e.color);
            g.setStroke(Theme.OUTLINE);
            g.draw(box);
        }
        if (e.looks.contains(Look.BAND)) {
            g.setColor(Theme.faded(e.color, 0.2));
            g.fill(new Rectangle2D.Double(x, y - 6, SAMPLE, 12));
        }
        g.setColor(e.color);
        if (e.looks.contains(Look.LINE)) {
            g.setStroke(Theme.LINE);
            g.draw(line);
        } else if (e.looks.contains(Look.DASHED)) {
            g.setStroke(Theme.DASHED);
            g.draw(line);
        }
        if (e.looks.contains(Look.POINTS)) {
            g.fill(new Ellipse2D.Double(x + SAMPLE / 2 - 3.5, y - 3.5, 7, 7));
        }
    }

    double px(double v) {
        return plot.getX() + x.fraction(v) * plot.getWidth();
    }

    double py(double v) {
        return plot.getMaxY() - y.fraction(v) * plot.getHeight();
    }

    /** The middle of a pixel: there a line of 1 px is sharp. */
    private static double crisp(double v) {
        return Math.floor(v) + 0.5;
    }

    /** Grid and ticks, beneath the data. */
    void back(boolean vertical) {
        back(vertical, true);
    }

    private void back(boolean vertical, boolean horizontal) {
        Path2D grid = new Path2D.Double();
        Path2D marks = new Path2D.Double();
        double bottom = plot.getMaxY();
        List<Axis.Tick> labelled = readable(x.ticks.stream().filter(t -> !t.minor()).toList());
        for (Axis.Tick t : x.ticks) {
            double at = crisp(px(t.value()));
            if (vertical) {
                line(marks, at, bottom, at, bottom + (t.minor() ? 3 : 5));
                if (!t.minor()) {
                    line(grid, at, plot.getY(), at, bottom);
                }
            }
        }
        for (Axis.Tick t : labelled) {
            List<String> lines = t.label().lines().toList();
            for (int i = 0; i < lines.size(); i++) {
                double left = crisp(px(t.value())) - Type.width(lines.get(i), Theme.TICK) / 2;
                g.text(lines.get(i), left, bottom + 20 + i * LINE, Theme.TICK, 0, Theme.SOFT);
            }
        }
        for (Axis.Tick t : y.ticks) {
            double at = crisp(py(t.value()));
            if (t.minor()) {
                line(marks, plot.getX() - 3, at, plot.getX(), at);
            } else {
                if (horizontal) {
                    line(grid, plot.getX(), at, plot.getMaxX(), at);
                }
                g.text(t.label(), plot.getX() - 8 - Type.width(t.label(), Theme.TICK), at + 5, Theme.TICK, 0, Theme.SOFT);
            }
        }
        g.setStroke(Theme.HAIR);
        g.setColor(Theme.GRID);
        g.draw(grid);
        g.setColor(Theme.AXIS);
        g.draw(marks);
    }

    /** All ticks of the x axis if their labels do not touch, else every second, every third, and so on. */
    private List<Axis.Tick> readable(List<Axis.Tick> ticks) {
        for (int every = 1;; every++) {
            List<Axis.Tick> kept = new ArrayList<>();
            for (int i = 0; i < ticks.size(); i += every) {
                kept.add(ticks.get(i));
            }
            boolean apart = true;
            for (int i = 1; i < kept.size(); i++) {
                apart &= px(kept.get(i).value()) - px(kept.get(i - 1).value()) > (width(kept.get(i)) + width(kept.get(i - 1))) / 2 + 8;
            }
            if (apart) {
                return kept;
            }
        }
    }

    private static double width(Axis.Tick t) {
        return t.label().lines().mapToDouble(s -> Type.width(s, Theme.TICK)).max().orElse(0);
    }

    /** Tick labels alone, for cells. */
    void labels() {
        back(false, false);
    }

    /** The axis lines, above the data: the x axis at the bottom, and a line at y = 0 where that is inside. */
    void front(boolean left) {
        Path2D axes = new Path2D.Double();
        double bottom = crisp(plot.getMaxY());
        if (left) {
            line(axes, crisp(plot.getX()), plot.getY(), crisp(plot.getX()), bottom + 0.5);
        }
        line(axes, plot.getX(), bottom, plot.getMaxX(), bottom);
        g.setStroke(Theme.HAIR);
        g.setColor(Theme.AXIS);
        g.draw(axes);
    }

    void zero() {
        if (!y.log && y.min < 0 && y.max > 0) {
            double at = crisp(py(0));
            g.setStroke(Theme.HAIR);
            g.setColor(Theme.AXIS);
            g.draw(new Line2D.Double(plot.getX(), at, plot.getMaxX(), at));
        }
    }

    /** A dashed line across the plot at x or y = {@code value}. */
    void reference(double value, boolean vertical) {
        if (!(vertical ? x : y).contains(value)) {
            return;
        }
        double at = crisp(vertical ? px(value) : py(value));
        g.setStroke(Theme.REFERENCE);
        g.setColor(Theme.SOFT);
        g.draw(vertical ? new Line2D.Double(at, plot.getMaxY(), at, plot.getY())
                : new Line2D.Double(plot.getX(), at, plot.getMaxX(), at));
    }

    /** The label of a reference line, beside it where it hides least of {@code data} (points in px, dense along curves). */
    void referenceLabel(String label, double value, boolean vertical, List<Point2D> data) {
        if (label.isBlank() || !(vertical ? x : y).contains(value)) {
            return;
        }
        double w = Type.width(label, Theme.TICK);
        double h = 18;
        double at = vertical ? px(value) : py(value);
        List<Rectangle2D> places = new ArrayList<>();
        for (int i = 0; i <= 12; i++) {
            if (vertical) {
                double y = plot.getY() + 2 + i / 12.0 * (plot.getHeight() - h - 4);
                places.add(new Rectangle2D.Double(at + 6, y, w, h));
                places.add(new Rectangle2D.Double(at - 6 - w, y, w, h));
            } else {
                double x = plot.getMaxX() - 4 - w - i / 12.0 * (plot.getWidth() - w - 8);
                places.add(new Rectangle2D.Double(x, at - h - 2, w, h));
                places.add(new Rectangle2D.Double(x, at + 2, w, h));
            }
        }
        Rectangle2D best = places.stream().min(Comparator.comparingDouble(r -> cost(r, data))).orElseThrow();
        labels.add(best);
        if (cost(best, data) > 0) {
            g.setColor(Theme.faded(Theme.WHITE, 0.8));
            g.fill(new Rectangle2D.Double(best.getX() - 2, best.getY(), w + 4, h));
        }
        g.text(label, best.getX(), best.getY() + 14, Theme.TICK, 0, Theme.SOFT);
    }

    private double cost(Rectangle2D r, List<Point2D> data) {
        Rectangle2D wide = new Rectangle2D.Double(r.getX() - 3, r.getY() - 1, r.getWidth() + 6, r.getHeight() + 2);
        double cost = data.stream().filter(wide::contains).count();
        cost += 1000 * labels.stream().filter(wide::intersects).count();
        return cost + (area.contains(r) && r.getMaxX() <= plot.getMaxX() + 1 && r.getX() >= plot.getX()
                && r.getY() >= plot.getY() - 1 && r.getMaxY() <= plot.getMaxY() + 1 ? 0 : 1e6);
    }

    private static void line(Path2D path, double x1, double y1, double x2, double y2) {
        path.moveTo(x1, y1);
        path.lineTo(x2, y2);
    }
}
