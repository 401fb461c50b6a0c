package rootdk.chart;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.geom.AffineTransform;
import java.awt.geom.Path2D;
import java.awt.geom.PathIterator;
import java.awt.geom.Point2D;
import java.awt.geom.Rectangle2D;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes a {@link Sketch} as a small SVG document.
 *
 * <p>Coordinates are whole tenths of a px, relative to the point before; a glyph stands once in {@code <defs>}. Every id is
 * made from the content it names, so two figures in one page cannot disagree about one.
 */
final class Svg {

    /** Glyph outlines are kept on a grid of this many units per em: 0.03 px at the size of a label. */
    private static final double GLYPH_EM = 512;

    private final StringBuilder body = new StringBuilder();
    private final Map<String, String> defs = new TreeMap<>();

    private Svg() {}

    static String of(Sketch sketch, String title) {
        Svg svg = new Svg();
        sketch.marks().forEach(svg::write);
        int w = (int) (sketch.width / Sketch.UNIT);
        int h = (int) (sketch.height / Sketch.UNIT);
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + sketch.width + "\" height=\"" + sketch.height
                + "\" viewBox=\"0 0 " + w + " " + h + "\" role=\"img\" aria-label=\"" + escaped(title) + "\">\n<defs>\n"
                + String.join("\n", svg.defs.values()) + "\n</defs>\n<path fill=\"#fff\" d=\"M0 0H" + w + "V" + h
                + "H0z\"/>\n" + svg.body + "</svg>\n";
    }

    private void write(Sketch.Mark mark) {
        if (mark.clip() != null) {
            body.append("<g clip-path=\"url(#").append(clip(mark.clip())).append(")\">");
        }
        if (mark instanceof Sketch.Fill f) {
            body.append("<path").append(paint("fill", f.color())).append(" d=\"").append(data(f.path())).append("\"/>");
        } else if (mark instanceof Sketch.Stroked s) {
            body.append("<path fill=\"none\"").append(paint("stroke", s.color())).append(style(s.stroke()))
                    .append(" d=\"").append(data(s.path())).append("\"/>");
        } else if (mark instanceof Sketch.Dots d) {
            dots(d);
        } else if (mark instanceof Sketch.Text t) {
            text(t);
        } else if (mark instanceof Sketch.Picture p) {
            picture(p);
        }
        body.append(mark.clip() == null ? "\n" : "</g>\n");
    }

    /** Dots are the round ends of strokes of no length: a dozen bytes each. */
    private void dots(Sketch.Dots d) {
        body.append("<path fill=\"none\"").append(paint("stroke", d.color())).append(" stroke-linecap=\"round\" stroke-width=\"")
                .append(number(d.diameter())).append("\" d=\"");
        for (Point2D c : d.centers()) {
            body.append('M').append(number(c.getX())).append(' ').append(number(c.getY())).append("h0");
        }
        body.append("\"/>");
    }

    private void text(Sketch.Text t) {
        body.append("<g").append(paint("fill", t.color())).append(" transform=\"translate(").append(number(t.x())).append(' ')
                .append(number(t.y())).append(')');
        if (t.degrees() != 0) {
            body.append("rotate(").append(number(t.degrees())).append(')');
        }
        body.append("scale(").append(String.format(Locale.ROOT, "%.4f", t.size() / GLYPH_EM / Sketch.UNIT)).append(")\">");
        double pen = 0;
        for (int c : t.text().codePoints().toArray()) {
            Type.Glyph glyph = Type.glyph(c);
            Path2D outline = new Path2D.Double(glyph.outline(),
                    AffineTransform.getScaleInstance(GLYPH_EM / Type.EM, GLYPH_EM / Type.EM));
            if (outline.getCurrentPoint() != null) {
                String id = String.format(Locale.ROOT, "u%x", c);
                defs.computeIfAbsent(id, k -> "<path id=\"" + k + "\" d=\"" + data(outline) + "\"/>");
                body.append("<use href=\"#").append(id).append("\" x=\"").append(Math.round(pen)).append("\"/>");
            }
            pen += glyph.advance() * GLYPH_EM / Type.EM;
        }
        body.append("</g>");
    }

    private void picture(Sketch.Picture p) {
        Rectangle2D r = p.at();
        body.append("<image x=\"").append(number(r.getX())).append("\" y=\"").append(number(r.getY())).append("\" width=\"")
                .append(number(r.getWidth())).append("\" height=\"").append(number(r.getHeight()))
                .append("\" preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" href=\"data:image/png;base64,")
                .append(Base64.getEncoder().encodeToString(Png.bytes(p.image()))).append("\"/>");
    }

    private String clip(Rectangle2D r) {
        String box = number(r.getX()) + " " + number(r.getY()) + " " + number(r.getWidth()) + " " + number(r.getHeight());
        String id = "c" + box.replace(' ', '-');
        defs.computeIfAbsent(id, k -> "<clipPath id=\"" + k + "\"><path d=\"M" + number(r.getX()) + " " + number(r.getY())
                + "h" + number(r.getWidth()) + "v" + number(r.getHeight()) + "h" + number(-r.getWidth()) + "z\"/></clipPath>");
        return id;
    }

    private static String paint(String attribute, Color c) {
        String paint = String.format(Locale.ROOT, " %s=\"#%06x\"", attribute, c.getRGB() & 0xffffff);
        return c.getAlpha() == 255 ? paint
                : paint + String.format(Locale.ROOT, " %s-opacity=\"%.2f\"", attribute, c.getAlpha() / 255.0);
    }

    private static String style(BasicStroke s) {
        StringBuilder b = new StringBuilder(" stroke-width=\"").append(number(s.getLineWidth() / Sketch.UNIT)).append('"');
        if (s.getEndCap() == BasicStroke.CAP_ROUND) {
            b.append(" stroke-linecap=\"round\"");
        }
        if (s.getLineJoin() == BasicStroke.JOIN_ROUND) {
            b.append(" stroke-linejoin=\"round\"");
        }
        if (s.getDashArray() != null) {
            b.append(" stroke-dasharray=\"");
            for (float dash : s.getDashArray()) {
                b.append(number(dash / Sketch.UNIT)).append(' ');
            }
            b.setCharAt(b.length() - 1, '"');
        }
        return b.toString();
    }

    /** Path data, rounded to whole units, each point relative to the one before. */
    private static String data(Path2D path) {
        StringBuilder b = new StringBuilder();
        double[] c = new double[6];
        long x = 0;
        long y = 0;
        long startX = 0;
        long startY = 0;
        for (PathIterator it = path.getPathIterator(null); !it.isDone(); it.next()) {
            int kind = it.currentSegment(c);
            int points = switch (kind) {
                case PathIterator.SEG_CLOSE -> 0;
                case PathIterator.SEG_QUADTO -> 2;
                case PathIterator.SEG_CUBICTO -> 3;
                default -> 1;
            };
            if (kind == PathIterator.SEG_CLOSE) {
                b.append('z');
                x = startX;
                y = startY;
                continue;
            }
            long toX = Math.round(c[2 * points - 2]);
            long toY = Math.round(c[2 * points - 1]);
            if (kind == PathIterator.SEG_LINETO && toX == x) {
                b.append('v').append(toY - y);
            } else if (kind == PathIterator.SEG_LINETO && toY == y) {
                b.append('h').append(toX - x);
            } else {
                b.append("mlqc".charAt(kind));
                for (int i = 0; i < points; i++) {
                    join(b, Math.round(c[2 * i]) - x);
                    join(b, Math.round(c[2 * i + 1]) - y);
                }
            }
            x = toX;
            y = toY;
            if (kind == PathIterator.SEG_MOVETO) {
                startX = x;
                startY = y;
            }
        }
        return b.toString();
    }

    /** Appends a number, with a blank only where two would run together. */
    private static void join(StringBuilder b, long n) {
        if (n >= 0 && Character.isDigit(b.charAt(b.length() - 1))) {
            b.append(' ');
        }
        b.append(n);
    }

    private static String number(double v) {
        return v == Math.rint(v) ? Long.toString((long) v) : String.format(Locale.ROOT, "%.1f", v);
    }

    private static String escaped(String s) {
        return s.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }
}
