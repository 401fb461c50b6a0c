package rootdk.chart;

import java.awt.Color;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.ejml.simple.SimpleMatrix;

/**
 * A matrix as coloured cells, row 1 at the top, with a colour bar; the numbers stand in the cells of matrices up to 8 × 8.
 *
 * <p>Colours run from white to blue; where the range spans 0, from red over white at 0 to blue. NaN and ±∞ (as in masked
 * logits) are grey cells. The cells are one small image, not XChart's heat map, which paints every cell as a rectangle of its
 * own: a 64 × 64 map would be ten times too large.
 *
 * <p>Every method changes the figure and returns it. The matrix is copied.
 */
public final class HeatMap extends Plot<HeatMap> {

    private static final int NUMBERS = 8;

    private double[][] cells;
    private List<String> rows = List.of();
    private List<String> columns = List.of();
    private double[] range;

    private HeatMap(String title) {
        super(title);
    }

    /**
     * Begins a figure.
     *
     * @param title one plain sentence or phrase; empty for none
     * @return a figure without a matrix
     */
    public static HeatMap titled(String title) {
        return new HeatMap(title);
    }

    @Override
    HeatMap self() {
        return this;
    }

    /**
     * Sets the matrix to show.
     *
     * @param m (rows × columns), at least one finite element; not modified, copied
     * @return this figure
     * @throws IllegalArgumentException if the matrix is empty or has no finite element, or does not fit labels given before
     */
    public HeatMap matrix(SimpleMatrix m) {
        Objects.requireNonNull(m, "matrix is null");
        if (m.getNumElements() == 0) {
            throw new IllegalArgumentException("matrix is " + shape(m.getNumRows(), m.getNumCols()) + ": there is nothing to show");
        }
        double[][] copy = new double[m.getNumRows()][m.getNumCols()];
        boolean finite = false;
        for (int i = 0; i < copy.length; i++) {
            for (int j = 0; j < copy[i].length; j++) {
                copy[i][j] = m.get(i, j);
                finite |= Double.isFinite(copy[i][j]);
            }
        }
        if (!finite) {
            throw new IllegalArgumentException("matrix has no finite element: there is nothing to show");
        }
        requireLabels(rows, copy.length, "rows");
        requireLabels(columns, copy[0].length, "columns");
        cells = copy;
        return this;
    }

    /**
     * Labels the rows from top to bottom; without, they are numbered from 1.
     *
     * @param names one for each row
     * @return this figure
     * @throws IllegalArgumentException if the matrix has another number of rows
     */
    public HeatMap rows(String... names) {
        List<String> labels = names("row labels", names);
        if (cells != null) {
            requireLabels(labels, cells.length, "rows");
        }
        rows = labels;
        return this;
    }

    /**
     * Labels the columns from left to right; without, they are numbered from 1.
     *
     * @param names one for each column
     * @return this figure
     * @throws IllegalArgumentException if the matrix has another number of columns
     */
    public HeatMap columns(String... names) {
        List<String> labels = names("column labels", names);
        if (cells != null) {
            requireLabels(labels, cells[0].length, "columns");
        }
        columns = labels;
        return this;
    }

    /**
     * Fixes the values at the ends of the colour scale, so that figures can be compared; without, they come from the data.
     * Values outside get the end's colour.
     *
     * @param lo the lower end
     * @param hi the upper end, greater than {@code lo}
     * @return this figure
     * @throws IllegalArgumentException if the range is empty or not finite
     */
    public HeatMap range(double lo, double hi) {
        range = range("colour", lo, hi, false);
        return this;
    }

    private static void requireLabels(List<String> labels, int n, String what) {
        if (!labels.isEmpty() && labels.size() != n) {
            throw new IllegalArgumentException(
                    "there are " + labels.size() + " labels for the " + what + ", the matrix has " + n + " " + what
                            + ": give one for each");
        }
    }

    private static String shape(int r, int c) {
        return r + " × " + c;
    }

    @Override
    void requireContent() {
        if (cells == null) {
            throw new IllegalStateException("figure '" + title + "' has no matrix: set it with .matrix(m)");
        }
    }

    private double[] finite() {
        return Arrays.stream(cells).flatMapToDouble(Arrays::stream).filter(Double::isFinite).toArray();
    }

    private double[] scale() {
        if (range != null) {
            return range;
        }
        double lo = Double.POSITIVE_INFINITY;
        double hi = Double.NEGATIVE_INFINITY;
        for (double v : finite()) {
            lo = Math.min(lo, v);
            hi = Math.max(hi, v);
        }
        if (lo < 0 && hi > 0 && !Axis.same(lo, hi)) {
            double end = Math.max(-lo, hi);
            return new double[] {-end, end};
        }
        if (lo >= 0 && lo < 0.5 * hi) {
            lo = 0;
        }
        double half = !Axis.same(lo, hi) ? 0 : Math.abs(lo) < 1e6 ? 0.5 : Math.abs(lo) / 2;
        return new double[] {lo - half, hi + half};
    }

    private static Color color(double v, double[] scale) {
        if (!Double.isFinite(v)) {
            return Theme.MISSING;
        }
        boolean diverging = scale[0] < 0 && scale[1] > 0;
        double end = Math.max(-scale[0], scale[1]);
        return Theme.heat(diverging ? 0.5 + v / (2 * end) : (v - scale[0]) / (scale[1] - scale[0]), diverging);
    }

    private static List<Axis.Tick> ticks(List<String> labels, int n, boolean down) {
        // Names are all shown; numbers as far as they can be read.
        int every = !labels.isEmpty() || n <= 16 ? 1 : n <= 40 ? 5 : n <= 80 ? 10 : n <= 200 ? 20 : 100;
        List<Axis.Tick> ticks = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            if (every == 1 || (i + 1) % every == 0 || i == 0) {
                ticks.add(new Axis.Tick(down ? n - i - 0.5 : i + 0.5,
                        labels.isEmpty() ? Numbers.fixed(i + 1, 0) : labels.get(i)));
            }
        }
        return ticks;
    }

    /** Whether both show the same colours for the same values. */
    boolean sameColors(HeatMap other) {
        return Arrays.equals(scale(), other.scale());
    }

    /** The px that the colour bar takes. */
    double barWidth() {
        double[] scale = scale();
        return barWidth(Axis.linear(scale[0], scale[1], false, 5)) - Theme.MARGIN;
    }

    /** Draws the map without its colour bar: a neighbour has the same. */
    double drawWithoutBar(Sketch g, Rectangle2D area, double lowest) {
        return draw(g, area, lowest, false);
    }

    /** Square cells, unless the matrix is very long or the figure would be very small. */
    @Override
    int[] naturalSize() {
        int r = cells.length;
        int c = cells[0].length;
        double cell = Math.max(Math.min(Math.min(64, 380.0 / r), 500.0 / c), 3);
        double labels = ticks(rows, r, true).stream().mapToDouble(t -> Type.width(t.label(), Theme.TICK)).max().orElse(0);
        double wide = Math.max(cell * c + labels + 2 * Theme.MARGIN + 90, 330);
        double high = Math.max(cell * r, 110) + 90 + (yLabel.isEmpty() ? 0 : 22)
                + 23 * Type.lines(title, Theme.TITLE, wide - 2 * Theme.MARGIN).size();
        return new int[] {(int) Math.min(wide, 680), (int) high};
    }

    @Override
    double draw(Sketch g, Rectangle2D area, double lowest) {
        return draw(g, area, lowest, true);
    }

    private double draw(Sketch g, Rectangle2D area, double lowest, boolean bar) {
        int r = cells.length;
        int c = cells[0].length;
        double[] scale = scale();
        Axis colors = Axis.linear(scale[0], scale[1], false, 5);
        Axis x = Axis.of(0, c, ticks(columns, c, false));
        Axis y = Axis.of(0, r, ticks(rows, r, true));
        Frame frame = new Frame(g, area, title, xLabel, yLabel, List.of(), x, y, bar ? barWidth(colors) : 0, lowest);
        Rectangle2D plot = frame.plot;

        BufferedImage image = new BufferedImage(c, r, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < r; i++) {
            for (int j = 0; j < c; j++) {
                image.setRGB(j, i, color(cells[i][j], scale).getRGB());
            }
        }
        g.picture(image, plot);
        double w = plot.getWidth() / c;
        double h = plot.getHeight() / r;
        if (w >= 12 && h >= 12) {
            Path2D gaps = new Path2D.Double();
            for (int i = 1; i < r; i++) {
                gaps.append(new Line2D.Double(plot.getX(), plot.getY() + i * h, plot.getMaxX(), plot.getY() + i * h), false);
            }
            for (int j = 1; j < c; j++) {
                gaps.append(new Line2D.Double(plot.getX() + j * w, plot.getY(), plot.getX() + j * w, plot.getMaxY()), false);
            }
            g.setColor(Theme.WHITE);
            g.setStroke(Theme.LINE);
            g.draw(gaps);
        }
        frame.labels();
        if (r <= NUMBERS && c <= NUMBERS) {
            numbers(g, plot, w, h, scale);
        }
        if (bar) {
            colorBar(g, plot, colors);
        }
        return plot.getY();
    }

    private static double barWidth(Axis colors) {
        return 46 + Theme.MARGIN + colors.ticks.stream().mapToDouble(t -> Type.width(t.label(), Theme.TICK)).max().orElse(0);
    }

    private void numbers(Sketch g, Rectangle2D plot, double w, double h, double[] scale) {
        double[] finite = finite();
        // Two decimals even where all round to 0.00 or 1.00: whole numbers are written as such only if they are.
        int decimals = Arrays.stream(finite).allMatch(v -> v == Math.rint(v)) ? 0 : Numbers.places(2, finite);
        String[][] texts = new String[cells.length][];
        double widest = 0;
        for (int i = 0; i < cells.length; i++) {
            texts[i] = new String[cells[i].length];
            for (int j = 0; j < cells[i].length; j++) {
                double v = cells[i][j];
                texts[i][j] = Double.isFinite(v) ? Numbers.fixed(v, decimals) : notFinite(v);
                widest = Math.max(widest, Type.width(texts[i][j], Theme.TICK));
            }
        }
        double size = widest <= w - 3 ? Theme.TICK : Theme.TICK - 1;
        if (widest * size / Theme.TICK > w - 3 || h < 18) {
            return;
        }
        for (int i = 0; i < cells.length; i++) {
            for (int j = 0; j < cells[i].length; j++) {
                double left = plot.getX() + (j + 0.5) * w - Type.width(texts[i][j], size) / 2;
                g.text(texts[i][j], left, plot.getY() + (i + 0.5) * h + 5, size, 0,
                        Theme.inkOn(color(cells[i][j], scale)));
            }
        }
    }

    private static String notFinite(double v) {
        return Double.isNaN(v) ? "NaN" : v > 0 ? "∞" : "−∞";
    }

    private static void colorBar(Sketch g, Rectangle2D plot, Axis bar) {
        int steps = 96;
        double[] scale = {bar.min, bar.max};
        BufferedImage image = new BufferedImage(1, steps, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < steps; i++) {
            image.setRGB(0, i, color(bar.max - (bar.max - bar.min) * (i + 0.5) / steps, scale).getRGB());
        }
        Rectangle2D at = new Rectangle2D.Double(plot.getMaxX() + 20, plot.getY(), 14, plot.getHeight());
        g.picture(image, at);
        g.setStroke(Theme.HAIR);
        g.setColor(Theme.AXIS);
        Path2D marks = new Path2D.Double();
        for (Axis.Tick t : bar.ticks) {
            double y = Math.min(Math.floor(plot.getMaxY() - bar.fraction(t.value()) * plot.getHeight()), plot.getMaxY() - 1) + 0.5;
            marks.append(new Line2D.Double(at.getMaxX(), y, at.getMaxX() + 4, y), false);
            g.text(t.label(), at.getMaxX() + 8, y + 5, Theme.TICK, 0, Theme.SOFT);
        }
        g.draw(marks);
    }

    @Override
    List<String> clauses() {
        int r = cells.length;
        int c = cells[0].length;
        List<String> clauses = new ArrayList<>();
        clauses.add(head("Heat map", title));
        clauses.add(shape(r, c) + ": " + r + (r == 1 ? " row" : " rows") + (yLabel.isEmpty() ? "" : " (" + yLabel + ")") + ", " + c
                + (c == 1 ? " column" : " columns") + (xLabel.isEmpty() ? "" : " (" + xLabel + ")") + ".");
        int[] low = null;
        int[] high = null;
        int missing = 0;
        for (int i = 0; i < r; i++) {
            for (int j = 0; j < c; j++) {
                if (!Double.isFinite(cells[i][j])) {
                    missing++;
                    continue;
                }
                low = low == null || cells[i][j] < cells[low[0]][low[1]] ? new int[] {i, j} : low;
                high = high == null || cells[i][j] > cells[high[0]][high[1]] ? new int[] {i, j} : high;
            }
        }
        clauses.add("Values from " + place(low) + " to " + place(high) + (missing == 0 ? "" : "; " + missing + " not finite")
                + ".");
        if (r * c <= 25) {
            for (int i = 0; i < r; i++) {
                List<String> row = new ArrayList<>();
                for (double v : cells[i]) {
                    row.add(Numbers.shortest(v, Numbers.digits(finite())));
                }
                clauses.add("Row " + name(rows, i) + ": " + String.join(", ", row) + ".");
            }
        }
        return clauses;
    }

    private String place(int[] at) {
        return Numbers.shortest(cells[at[0]][at[1]], Numbers.digits(finite()))
                + " (row " + name(rows, at[0]) + ", column " + name(columns, at[1]) + ")";
    }

    private static String name(List<String> labels, int i) {
        return labels.isEmpty() ? Integer.toString(i + 1) : labels.get(i);
    }

    @Override
    void digest(Digest digest) {
        digest.add(rows.toArray(String[]::new));
        digest.add(columns.toArray(String[]::new));
        digest.add(shape(cells.length, cells[0].length));
        for (double[] row : cells) {
            digest.add(row);
        }
        if (range != null) {
            digest.add(range);
        }
    }
}
