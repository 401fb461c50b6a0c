package rootdk.chart;

import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.AffineTransform;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Point2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriter;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/** Paints a {@link Sketch} on an image. */
final class Png {

    private Png() {}

    static byte[] of(Sketch sketch) {
        BufferedImage image = new BufferedImage(sketch.width, sketch.height, BufferedImage.TYPE_INT_RGB);
        Graphics2D g = image.createGraphics();
        try {
            g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
            g.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
            g.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_NEAREST_NEIGHBOR);
            g.setColor(Theme.WHITE);
            g.fillRect(0, 0, sketch.width, sketch.height);
            AffineTransform units = AffineTransform.getScaleInstance(Sketch.UNIT, Sketch.UNIT);
            for (Sketch.Mark mark : sketch.marks()) {
                g.setClip(mark.clip() == null ? null : units.createTransformedShape(mark.clip()));
                paint(g, mark, units);
            }
        } finally {
            g.dispose();
        }
        return bytes(image);
    }

    private static void paint(Graphics2D g, Sketch.Mark mark, AffineTransform units) {
        if (mark instanceof Sketch.Fill f) {
            g.setColor(f.color());
            g.fill(units.createTransformedShape(f.path()));
        } else if (mark instanceof Sketch.Stroked s) {
            g.setColor(s.color());
            g.setStroke(s.stroke());
            g.draw(units.createTransformedShape(s.path()));
        } else if (mark instanceof Sketch.Dots d) {
            g.setColor(d.color());
            double r = d.diameter() / 2;
            for (Point2D c : d.centers()) {
                g.fill(units.createTransformedShape(new Ellipse2D.Double(c.getX() - r, c.getY() - r, 2 * r, 2 * r)));
            }
        } else if (mark instanceof Sketch.Text t) {
            g.setColor(t.color());
            AffineTransform at = new AffineTransform(units);
            at.translate(t.x(), t.y());
            at.rotate(Math.toRadians(t.degrees()));
            at.scale(t.size() / Type.EM / Sketch.UNIT, t.size() / Type.EM / Sketch.UNIT);
            t.text().codePoints().mapToObj(Type::glyph).forEach(glyph -> {
                g.fill(at.createTransformedShape(glyph.outline()));
                at.translate(glyph.advance(), 0);
            });
        } else if (mark instanceof Sketch.Picture p) {
            Rectangle2D r = units.createTransformedShape(p.at()).getBounds2D();
            g.drawImage(p.image(), (int) Math.round(r.getMinX()), (int) Math.round(r.getMinY()),
                    (int) Math.round(r.getWidth()), (int) Math.round(r.getHeight()), null);
        }
    }

    static byte[] bytes(BufferedImage image) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ImageWriter writer = ImageIO.getImageWritersByFormatName("png").next();
        // In memory: ImageIO's own choice is a temporary file.
        try (MemoryCacheImageOutputStream stream = new MemoryCacheImageOutputStream(out)) {
            writer.setOutput(stream);
            writer.write(image);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            writer.dispose();
        }
        return out.toByteArray();
    }
}
