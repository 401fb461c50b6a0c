package rootdk.chart;

import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Several figures side by side in one: up to three in a row, four as two rows of two. Each keeps its title, axes and legend.
 *
 * <p>A panel with a size of its own keeps it; the others share the width of a page. {@link #size} sets the whole.
 */
public final class Panels extends Plot<Panels> {

    private static final int PAGE = 720;

    private final List<Plot<?>> panels;
    private final int columns;

    private Panels(String title, List<Plot<?>> panels) {
        super(title);
        this.panels = panels;
        int n = panels.size();
        columns = n <= 3 ? n : n == 4 ? 2 : 3;
    }

    /**
     * Sets figures side by side.
     *
     * @param figures at least one, of this package, none of them panels; later changes to them show
     * @return a figure without a common title
     * @throws IllegalArgumentException if there is none, or one is of another kind
     */
    public static Panels of(Figure... figures) {
        Objects.requireNonNull(figures, "the figures are null: panels hold at least one");
        List<Plot<?>> panels = new ArrayList<>();
        for (int i = 0; i < figures.length; i++) {
            if (!(figures[i] instanceof Plot<?> p) || p instanceof Panels) {
                throw new IllegalArgumentException("figure " + i + " is "
                        + (figures[i] == null ? "null" : "a " + figures[i].getClass().getSimpleName())
                        + ": panels hold Bars, Lines, Histograms and HeatMap");
            }
            panels.add(p);
        }
        if (panels.isEmpty()) {
            throw new IllegalArgumentException("no figures: panels hold at least one");
        }
        return new Panels("", panels);
    }

    /**
     * The same panels under a common title.
     *
     * @param title one plain sentence or phrase
     * @return a new figure; this one is not changed
     */
    public Panels titled(String title) {
        Panels titled = new Panels(title, panels);
        titled.width = width;
        titled.height = height;
        return titled;
    }

    @Override
    Panels self() {
        return this;
    }

    @Override
    void requireContent() {
        panels.forEach(Plot::requireContent);
    }

    private List<List<Plot<?>>> rows() {
        List<List<Plot<?>>> rows = new ArrayList<>();
        for (int i = 0; i < panels.size(); i += columns) {
            rows.add(panels.subList(i, Math.min(panels.size(), i + columns)));
        }
        return rows;
    }

    /** Whether the panels are heat maps of one colour scale, so that one colour bar in each row is enough. */
    private boolean shareBar() {
        return panels.stream().allMatch(p -> p instanceof HeatMap h && h.sameColors((HeatMap) panels.get(0)));
    }

    private double[] panelSize(Plot<?> p, boolean last) {
        if (p.width > 0) {
            return new double[] {p.width, p.height};
        }
        double width = (double) PAGE / columns;
        if (p instanceof HeatMap h) {
            double bar = h.barWidth();
            int[] natural = h.naturalSize();
            double ends = shareBar() ? bar / columns : 0;
            double shrink = Math.min(1, (shareBar() ? width + bar - ends : width) / natural[0]);
            return new double[] {shareBar() ? width - ends + (last ? bar : 0) : width,
                Math.max(150, natural[1] * shrink + (1 - shrink) * 110)};
        }
        return new double[] {width, columns == 1 ? 380 : columns == 2 ? 340 : 300};
    }

    private double[] rowSize(List<Plot<?>> row) {
        double[] size = new double[2];
        for (Plot<?> p : row) {
            double[] one = panelSize(p, p == row.get(row.size() - 1));
            size[0] += one[0];
            size[1] = Math.max(size[1], one[1]);
        }
        return size;
    }

    private double headingHeight(double width) {
        return title.isBlank() ? 0 : 23 * Type.lines(title, Theme.TITLE, width - 2 * Theme.MARGIN).size() + 12;
    }

    @Override
    int[] naturalSize() {
        double w = 0;
        double h = 0;
        for (List<Plot<?>> row : rows()) {
            w = Math.max(w, rowSize(row)[0]);
            h += rowSize(row)[1];
        }
        return new int[] {(int) Math.round(w), (int) Math.round(h + headingHeight(w))};
    }

    @Override
    double draw(Sketch g, Rectangle2D area, double lowest) {
        Frame.heading(g, title, area.getX() + Theme.MARGIN, area.getY() + Theme.MARGIN - 2, area.getWidth() - 2 * Theme.MARGIN);
        int[] natural = naturalSize();
        double heading = headingHeight(area.getWidth());
        double sx = area.getWidth() / natural[0];
        double sy = (area.getHeight() - heading) / (natural[1] - headingHeight(natural[0]));
        double y = area.getY() + heading;
        for (List<Plot<?>> row : rows()) {
            // Drawn twice: first to learn whose plot begins lowest, then for good, with all beginning there.
            double level = drawRow(new Sketch(g.width, g.height), row, area.getX(), y, sx, sy, 0);
            drawRow(g, row, area.getX(), y, sx, sy, level);
            y += rowSize(row)[1] * sy;
        }
        return area.getY() + heading;
    }

    private double drawRow(Sketch g, List<Plot<?>> row, double left, double y, double sx, double sy, double lowest) {
        double x = left;
        double begins = 0;
        double h = rowSize(row)[1] * sy;
        for (Plot<?> p : row) {
            boolean last = p == row.get(row.size() - 1);
            double w = panelSize(p, last)[0] * sx;
            Rectangle2D at = new Rectangle2D.Double(x, y, w, h);
            begins = Math.max(begins, !last && shareBar() ? ((HeatMap) p).drawWithoutBar(g, at, lowest) : p.draw(g, at, lowest));
            x += w;
        }
        return begins;
    }

    @Override
    List<String> clauses() {
        List<String> clauses = new ArrayList<>();
        clauses.add(head(panels.size() == 1 ? "One panel" : panels.size() + " panels", title));
        for (int i = 0; i < panels.size(); i++) {
            clauses.add("(" + (i + 1) + ") " + joined(panels.get(i).clauses(), LONG / panels.size() - 30));
        }
        return clauses;
    }

    @Override
    void digest(Digest digest) {
        for (Plot<?> p : panels) {
            digest.add(p.digest());
        }
    }
}
