package rootdk.chart;

import java.awt.Font;
import java.awt.FontFormatException;
import java.awt.Shape;
import java.awt.font.FontRenderContext;
import java.awt.font.GlyphVector;
import java.awt.geom.AffineTransform;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The figures' typeface, from the JAR, so that outlines and widths are the same on every machine.
 *
 * <p>Glyphs are taken at a size of one font unit per px: there the outlines are whole and half numbers, and no hinting or rounding of
 * a FreeType version can show. Text is set glyph by glyph without kerning.
 */
final class Type {

    /** Units per em of the bundled font, and the size at which glyphs are taken. */
    static final double EM = 2048;

    private static final String FILE = "DejaVuSansCondensed.ttf";

    /**
     * Raised and lowered characters are set from these, at 70 %, as in a formula: the font's own, made for chemistry and
     * phonetics, are too small at the size of a label.
     */
    private static final String LOWERED = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼ";
    private static final String LOWERED_FROM = "0123456789+−=()aeoxhklmnpstij";
    private static final String RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱʲⁿᵃᵇᵈᵏᵐᵗᵀ";
    private static final String RAISED_FROM = "0123456789+−=()ijnabdkmtT";
    private static final double SMALL = 0.7;

    private static final Map<Integer, Glyph> GLYPHS = new ConcurrentHashMap<>();
    private static Font font;

    /** Outline (y grows downwards, origin on the baseline) and advance, both in units of the em. */
    record Glyph(Shape outline, double advance) {}

    private Type() {}

    /** The typeface at one font unit per px. To be called before anything else of AWT. */
    static synchronized Font font() {
        // Not a static field: a class that fails to load says why only once.
        if (font == null) {
            font = load();
        }
        return font;
    }

    private static Font load() {
        // Figures need no screen. Where nobody has decided, decide before AWT looks for one.
        if (System.getProperty("java.awt.headless") == null) {
            System.setProperty("java.awt.headless", "true");
        }
        try (InputStream file = Type.class.getResourceAsStream(FILE)) {
            Font loaded = Font.createFont(Font.TRUETYPE_FONT, file).deriveFont((float) EM);
            loaded.createGlyphVector(context(), "x").getOutline();
            return loaded;
        } catch (FontFormatException | IOException | RuntimeException | LinkageError | InternalError e) {
            throw new IllegalStateException("this Java cannot load a font, so it cannot draw figures: install fontconfig and "
                    + "any font, e.g. apt-get install fontconfig fonts-dejavu-core, dnf install fontconfig "
                    + "dejavu-sans-fonts, or apk add fontconfig ttf-dejavu (" + e + ")", e);
        }
    }

    private static FontRenderContext context() {
        return new FontRenderContext(null, true, true);
    }

    static Font at(double size) {
        return font().deriveFont((float) size);
    }

    static boolean has(int codePoint) {
        return font().canDisplay(codePoint);
    }

    static Glyph glyph(int codePoint) {
        Glyph known = GLYPHS.get(codePoint);
        if (known == null) {
            known = make(codePoint);
            GLYPHS.put(codePoint, known);
        }
        return known;
    }

    private static Glyph make(int c) {
        if (!has(c)) {
            throw new IllegalArgumentException(String.format(Locale.ROOT,
                    "the figures' font %s has no '%s' (U+%04X): write it another way", font().getFontName(Locale.ROOT),
                    Character.toString(c), c));
        }
        int low = LOWERED.indexOf(c);
        int high = RAISED.indexOf(c);
        if (low >= 0 || high >= 0) {
            Glyph base = glyph(low >= 0 ? LOWERED_FROM.charAt(low) : RAISED_FROM.charAt(high));
            AffineTransform t = AffineTransform.getTranslateInstance(0, (low >= 0 ? 0.17 : -0.33) * EM);
            t.scale(SMALL, SMALL);
            return new Glyph(t.createTransformedShape(base.outline()), SMALL * base.advance());
        }
        GlyphVector v = font().createGlyphVector(context(), Character.toChars(c));
        return new Glyph(v.getGlyphOutline(0), v.getGlyphMetrics(0).getAdvanceX());
    }

    static double width(String text, double size) {
        return text.codePoints().mapToDouble(c -> glyph(c).advance()).sum() * size / EM;
    }

    /**
     * Breaks {@code text} at blanks into as few lines as {@code width} px allow, of about equal length; a longer word stands
     * alone.
     */
    static List<String> lines(String text, double size, double width) {
        List<String> lines = filled(text, size, width);
        for (double w = width; lines.size() > 1; w -= 10) {
            List<String> narrower = filled(text, size, w);
            if (narrower.size() > lines.size() || narrower.equals(lines) && w < width / 2) {
                break;
            }
            lines = narrower;
        }
        return lines;
    }

    private static List<String> filled(String text, double size, double width) {
        List<String> lines = new ArrayList<>();
        for (String word : text.split(" ")) {
            String last = lines.isEmpty() ? null : lines.get(lines.size() - 1) + " " + word;
            if (last != null && width(last, size) <= width) {
                lines.set(lines.size() - 1, last);
            } else {
                lines.add(word);
            }
        }
        return lines;
    }
}
