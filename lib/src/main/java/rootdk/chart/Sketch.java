package rootdk.chart;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Composite;
import java.awt.Font;
import java.awt.FontMetrics;
import java.awt.Graphics;
import java.awt.Graphics2D;
import java.awt.GraphicsConfiguration;
import java.awt.Image;
import java.awt.Paint;
import java.awt.Rectangle;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.Stroke;
import java.awt.font.FontRenderContext;
import java.awt.font.GlyphVector;
import java.awt.geom.AffineTransform;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.awt.geom.PathIterator;
import java.awt.geom.Point2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.awt.image.BufferedImageOp;
import java.awt.image.ImageObserver;
import java.awt.image.RenderedImage;
import java.awt.image.renderable.RenderableImage;
import java.text.AttributedCharacterIterator;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A Graphics2D that records what is painted as a short list of marks, which {@link Svg} and {@link Png} then write: so both
 * show the same picture.
 *
 * <p>XChart paints a curve as hundreds of separate segments. The sketch joins them into one path, which makes the file small
 * and lets dashes run on over the joints. All coordinates are rounded to whole tenths of a px ({@link #UNIT}).
 *
 * <p>What no figure needs is not supported: gradients, composites, curved clips, {@code drawString} (see {@link #text}).
 */
final class Sketch extends Graphics2D {

    /** Coordinates in marks are whole multiples of this many px. */
    static final double UNIT = 0.1;

    /** Far outside the picture: keeps coordinates short where an axis' range cuts a curve off. */
    private static final double FAR = 50_000;

    /** How far, in units, a point may lie off the straight line between its neighbours and be left out. */
    private static final double TOLERANCE = 0.6;

    /** Something painted; {@code clip} is null or a rectangle in units. */
    sealed interface Mark {
        Rectangle2D clip();
    }

    record Fill(Path2D path, Color color, Rectangle2D clip) implements Mark {}

    record Stroked(Path2D path, Color color, BasicStroke stroke, Rectangle2D clip) implements Mark {}

    record Dots(Set<Point2D> centers, double diameter, Color color, Rectangle2D clip) implements Mark {}

    /** A line of text: baseline's start in units, size in px, turned clockwise by {@code degrees}. */
    record Text(String text, double x, double y, double size, double degrees, Color color, Rectangle2D clip)
            implements Mark {}

    record Picture(BufferedImage image, Rectangle2D at, Rectangle2D clip) implements Mark {}

    final int width;
    final int height;
    private final List<Mark> marks = new ArrayList<>();

    private AffineTransform transform = new AffineTransform();
    private Rectangle2D clip;
    private Color color = Theme.INK;
    private BasicStroke stroke = Theme.HAIR;
    private Font font;
    private boolean clipping = true;

    Sketch(int width, int height) {
        this.width = width;
        this.height = height;
    }

    /** The marks in painting order, curves simplified. */
    List<Mark> marks() {
        return marks.stream()
                .map(m -> m instanceof Stroked s ? new Stroked(simplified(s.path), s.color, s.stroke, s.clip) : m)
                .toList();
    }

    /** A line of text from (x, y) on its baseline, turned clockwise by {@code degrees}. */
    void text(String text, double x, double y, double size, double degrees, Color color) {
        Point2D at = transform.transform(new Point2D.Double(x, y), null);
        if (!text.isBlank()) {
            marks.add(new Text(text, unit(at.getX()), unit(at.getY()), size, degrees, color, null));
        }
    }

    /** An image whose pixels are stretched, not smoothed, over {@code at}. */
    void picture(BufferedImage image, Rectangle2D at) {
        marks.add(new Picture(image, units(at), null));
    }

    /** Whether clips are recorded: where nothing can lie outside, a clip would only cut the rim of a dot or a line. */
    void clipping(boolean on) {
        clipping = on;
    }

    @Override
    public void fill(Shape s) {
        if (color.getAlpha() == 0) {
            return;
        }
        if (s instanceof Ellipse2D e && e.getWidth() == e.getHeight()) {
            dot(e);
            return;
        }
        Path2D path = path(s);
        if (last() instanceof Fill f && f.color.equals(color) && same(f.clip) && color.getAlpha() == 255) {
            f.path.append(path, false);
        } else {
            marks.add(new Fill(path, color, clip));
        }
    }

    private void dot(Ellipse2D e) {
        Point2D at = transform.transform(new Point2D.Double(e.getCenterX(), e.getCenterY()), null);
        at.setLocation(unit(at.getX()), unit(at.getY()));
        double diameter = unit(e.getWidth());
        if (last() instanceof Dots d && d.color.equals(color) && d.diameter == diameter && same(d.clip)) {
            d.centers.add(at);
        } else {
            marks.add(new Dots(new LinkedHashSet<>(Set.of(at)), diameter, color, clip));
        }
    }

    @Override
    public void draw(Shape s) {
        if (color.getAlpha() == 0 || stroke.getLineWidth() == 0) {
            return;
        }
        Path2D path = path(s);
        if (last() instanceof Stroked l && l.color.equals(color) && l.stroke.equals(stroke) && same(l.clip)
                && color.getAlpha() == 255) {
            append(l.path, path);
        } else {
            marks.add(new Stroked(path, color, stroke, clip));
        }
    }

    private Mark last() {
        return marks.isEmpty() ? null : marks.get(marks.size() - 1);
    }

    private boolean same(Rectangle2D other) {
        return clip == null ? other == null : clip.equals(other);
    }

    /** Appends {@code more}; where it starts at the pen's place, the line goes on. */
    private static void append(Path2D path, Path2D more) {
        PathIterator it = more.getPathIterator(null);
        double[] c = new double[6];
        it.currentSegment(c);
        boolean continues = path.getCurrentPoint() != null && path.getCurrentPoint().equals(new Point2D.Double(c[0], c[1]));
        if (continues) {
            it.next();
        }
        path.append(it, continues);
    }

    private Path2D path(Shape s) {
        Path2D path = new Path2D.Double();
        double[] c = new double[6];
        for (PathIterator it = s.getPathIterator(transform); !it.isDone(); it.next()) {
            int kind = it.currentSegment(c);
            for (int i = 0; i < 6; i++) {
                c[i] = unit(c[i]);
            }
            switch (kind) {
                case PathIterator.SEG_MOVETO -> path.moveTo(c[0], c[1]);
                case PathIterator.SEG_LINETO -> path.lineTo(c[0], c[1]);
                case PathIterator.SEG_QUADTO -> path.quadTo(c[0], c[1], c[2], c[3]);
                case PathIterator.SEG_CUBICTO -> path.curveTo(c[0], c[1], c[2], c[3], c[4], c[5]);
                default -> path.closePath();
            }
        }
        return path;
    }

    static double unit(double px) {
        // adding 0 turns −0 into 0
        return Math.max(-FAR, Math.min(FAR, Math.rint(px / UNIT))) + 0.0;
    }

    private Rectangle2D units(Rectangle2D r) {
        Rectangle2D t = transform.createTransformedShape(r).getBounds2D();
        double x = unit(t.getMinX());
        double y = unit(t.getMinY());
        return new Rectangle2D.Double(x, y, unit(t.getMaxX()) - x, unit(t.getMaxY()) - y);
    }

    /** Leaves out the points of polylines that nobody can see (Douglas and Peucker 1973). */
    private static Path2D simplified(Path2D path) {
        Path2D out = new Path2D.Double();
        List<Point2D> run = new ArrayList<>();
        double[] c = new double[6];
        for (PathIterator it = path.getPathIterator(null); !it.isDone(); it.next()) {
            int kind = it.currentSegment(c);
            if (kind != PathIterator.SEG_LINETO) {
                flush(run, out);
            }
            switch (kind) {
                case PathIterator.SEG_MOVETO, PathIterator.SEG_LINETO -> run.add(new Point2D.Double(c[0], c[1]));
                case PathIterator.SEG_CLOSE -> out.closePath();
                default -> throw new IllegalArgumentException("curves are not stroked");
            }
        }
        flush(run, out);
        return out;
    }

    private static void flush(List<Point2D> run, Path2D out) {
        if (run.isEmpty()) {
            return;
        }
        boolean[] keep = new boolean[run.size()];
        keep[0] = true;
        keep[run.size() - 1] = true;
        thin(run, keep, 0, run.size() - 1);
        for (int i = 0; i < keep.length; i++) {
            Point2D p = run.get(i);
            if (i == 0) {
                out.moveTo(p.getX(), p.getY());
            } else if (keep[i]) {
                out.lineTo(p.getX(), p.getY());
            }
        }
        run.clear();
    }

    private static void thin(List<Point2D> p, boolean[] keep, int from, int to) {
        double worst = TOLERANCE;
        int at = -1;
        for (int i = from + 1; i < to; i++) {
            double d = java.awt.geom.Line2D.ptSegDist(p.get(from).getX(), p.get(from).getY(), p.get(to).getX(),
                    p.get(to).getY(), p.get(i).getX(), p.get(i).getY());
            if (d > worst) {
                worst = d;
                at = i;
            }
        }
        if (at >= 0) {
            keep[at] = true;
            thin(p, keep, from, at);
            thin(p, keep, at, to);
        }
    }

    // State

    @Override
    public void setColor(Color c) {
        color = c;
    }

    @Override
    public Color getColor() {
        return color;
    }

    @Override
    public void setPaint(Paint paint) {
        color = paint instanceof Color c ? c : unsupported("a paint other than a colour");
    }

    @Override
    public Paint getPaint() {
        return color;
    }

    @Override
    public void setStroke(Stroke s) {
        stroke = s instanceof BasicStroke b ? b : unsupported("a stroke of its own kind");
    }

    @Override
    public Stroke getStroke() {
        return stroke;
    }

    @Override
    public void setFont(Font f) {
        font = f;
    }

    @Override
    public Font getFont() {
        return font;
    }

    @Override
    public FontRenderContext getFontRenderContext() {
        return new FontRenderContext(null, true, true);
    }

    @Override
    public void setTransform(AffineTransform t) {
        transform = new AffineTransform(t);
    }

    @Override
    public AffineTransform getTransform() {
        return new AffineTransform(transform);
    }

    @Override
    public void transform(AffineTransform t) {
        transform.concatenate(t);
    }

    @Override
    public void translate(int x, int y) {
        transform.translate(x, y);
    }

    @Override
    public void translate(double x, double y) {
        transform.translate(x, y);
    }

    @Override
    public void rotate(double theta) {
        transform.rotate(theta);
    }

    @Override
    public void rotate(double theta, double x, double y) {
        transform.rotate(theta, x, y);
    }

    @Override
    public void scale(double x, double y) {
        transform.scale(x, y);
    }

    @Override
    public void shear(double x, double y) {
        transform.shear(x, y);
    }

    @Override
    public void setClip(Shape s) {
        clip = s == null || !clipping ? null : units(s.getBounds2D());
    }

    @Override
    public void setClip(int x, int y, int w, int h) {
        setClip(new Rectangle(x, y, w, h));
    }

    @Override
    public void clip(Shape s) {
        Rectangle2D r = units(s.getBounds2D());
        clip = clip == null ? r : clip.createIntersection(r);
    }

    @Override
    public void clipRect(int x, int y, int w, int h) {
        clip(new Rectangle(x, y, w, h));
    }

    @Override
    public Shape getClip() {
        if (clip == null) {
            return null;
        }
        try {
            Rectangle2D px = new Rectangle2D.Double(clip.getX() * UNIT, clip.getY() * UNIT, clip.getWidth() * UNIT,
                    clip.getHeight() * UNIT);
            return transform.createInverse().createTransformedShape(px).getBounds2D();
        } catch (java.awt.geom.NoninvertibleTransformException e) {
            throw new IllegalStateException("the transform has no inverse", e);
        }
    }

    @Override
    public Rectangle getClipBounds() {
        return clip == null ? null : getClip().getBounds();
    }

    // Hints do not change what is recorded.

    @Override
    public void setRenderingHint(RenderingHints.Key key, Object value) {}

    @Override
    public Object getRenderingHint(RenderingHints.Key key) {
        return null;
    }

    @Override
    public void setRenderingHints(Map<?, ?> hints) {}

    @Override
    public void addRenderingHints(Map<?, ?> hints) {}

    @Override
    public RenderingHints getRenderingHints() {
        return new RenderingHints(null);
    }

    @Override
    public void dispose() {}

    // Nothing below is used by the figures.

    private static <T> T unsupported(String what) {
        throw new UnsupportedOperationException("a figure cannot record " + what);
    }

    @Override
    public Graphics create() {
        return unsupported("a copy of its graphics");
    }

    @Override
    public void drawString(String s, int x, int y) {
        unsupported("drawString");
    }

    @Override
    public void drawString(String s, float x, float y) {
        unsupported("drawString");
    }

    @Override
    public void drawString(AttributedCharacterIterator s, int x, int y) {
        unsupported("drawString");
    }

    @Override
    public void drawString(AttributedCharacterIterator s, float x, float y) {
        unsupported("drawString");
    }

    @Override
    public void drawGlyphVector(GlyphVector g, float x, float y) {
        unsupported("glyph vectors");
    }

    @Override
    public boolean drawImage(Image i, AffineTransform t, ImageObserver o) {
        return unsupported("images");
    }

    @Override
    public void drawImage(BufferedImage i, BufferedImageOp op, int x, int y) {
        unsupported("images");
    }

    @Override
    public boolean drawImage(Image i, int x, int y, ImageObserver o) {
        return unsupported("images");
    }

    @Override
    public boolean drawImage(Image i, int x, int y, int w, int h, ImageObserver o) {
        return unsupported("images");
    }

    @Override
    public boolean drawImage(Image i, int x, int y, Color c, ImageObserver o) {
        return unsupported("images");
    }

    @Override
    public boolean drawImage(Image i, int x, int y, int w, int h, Color c, ImageObserver o) {
        return unsupported("images");
    }

    @Override
    public boolean drawImage(Image i, int a, int b, int c, int d, int e, int f, int g, int h, ImageObserver o) {
        return unsupported("images");
    }

    @Override
    public boolean drawImage(Image i, int a, int b, int c, int d, int e, int f, int g, int h, Color k, ImageObserver o) {
        return unsupported("images");
    }

    @Override
    public void drawRenderedImage(RenderedImage i, AffineTransform t) {
        unsupported("images");
    }

    @Override
    public void drawRenderableImage(RenderableImage i, AffineTransform t) {
        unsupported("images");
    }

    @Override
    public boolean hit(Rectangle r, Shape s, boolean onStroke) {
        return unsupported("hits");
    }

    @Override
    public GraphicsConfiguration getDeviceConfiguration() {
        return unsupported("a device");
    }

    @Override
    public void setComposite(Composite c) {
        unsupported("composites");
    }

    @Override
    public Composite getComposite() {
        return java.awt.AlphaComposite.SrcOver;
    }

    @Override
    public void setBackground(Color c) {
        unsupported("a background");
    }

    @Override
    public Color getBackground() {
        return Theme.WHITE;
    }

    @Override
    public void setPaintMode() {}

    @Override
    public void setXORMode(Color c) {
        unsupported("XOR");
    }

    @Override
    public FontMetrics getFontMetrics(Font f) {
        return unsupported("font metrics");
    }

    @Override
    public void copyArea(int x, int y, int w, int h, int dx, int dy) {
        unsupported("copies");
    }

    @Override
    public void drawLine(int x1, int y1, int x2, int y2) {
        draw(new java.awt.geom.Line2D.Double(x1, y1, x2, y2));
    }

    @Override
    public void fillRect(int x, int y, int w, int h) {
        fill(new Rectangle(x, y, w, h));
    }

    @Override
    public void clearRect(int x, int y, int w, int h) {
        unsupported("clearRect");
    }

    @Override
    public void drawRoundRect(int x, int y, int w, int h, int aw, int ah) {
        unsupported("round rectangles");
    }

    @Override
    public void fillRoundRect(int x, int y, int w, int h, int aw, int ah) {
        unsupported("round rectangles");
    }

    @Override
    public void drawOval(int x, int y, int w, int h) {
        draw(new Ellipse2D.Double(x, y, w, h));
    }

    @Override
    public void fillOval(int x, int y, int w, int h) {
        fill(new Ellipse2D.Double(x, y, w, h));
    }

    @Override
    public void drawArc(int x, int y, int w, int h, int start, int angle) {
        unsupported("arcs");
    }

    @Override
    public void fillArc(int x, int y, int w, int h, int start, int angle) {
        unsupported("arcs");
    }

    @Override
    public void drawPolyline(int[] x, int[] y, int n) {
        unsupported("integer polylines");
    }

    @Override
    public void drawPolygon(int[] x, int[] y, int n) {
        unsupported("integer polygons");
    }

    @Override
    public void fillPolygon(int[] x, int[] y, int n) {
        unsupported("integer polygons");
    }
}
