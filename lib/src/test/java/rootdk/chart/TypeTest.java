package rootdk.chart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.geom.PathIterator;
import java.awt.geom.Rectangle2D;
import java.util.List;
import org.junit.jupiter.api.Test;

class TypeTest {

    private static final String NEEDED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,:;!?()[]{}/|+-=<>%&'\"*_#"
            + "αβγδεζηθικλμνξοπρστυφχψωΓΔΘΛΞΠΣΦΨΩ" + "−×÷√‖≤≥≈∞∂∇∑∏∈∘⊙±·→←↔∝≠½…–—ℓ"
            + "₀₁₂₃₄₅₆₇₈₉₊₋ₖₙₘᵢⱼₐₑₒₓₕₗₚₛₜ" + "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿⁱᵃᵏᵀ" + "äöüßéèñ";

    @Test
    void everyNeededGlyphIsThereAndHasInk() {
        NEEDED.codePoints().forEach(c -> {
            Type.Glyph glyph = Type.glyph(c);
            assertTrue(glyph.advance() > 0, Character.toString(c));
            assertFalse(glyph.outline().getBounds2D().isEmpty(), Character.toString(c));
        });
    }

    /** At one font unit per px outlines are whole and half numbers, so no version of FreeType can round them its own way. */
    @Test
    void outlinesAreExact() {
        double[] c = new double[6];
        for (PathIterator it = Type.glyph('g').outline().getPathIterator(null); !it.isDone(); it.next()) {
            it.currentSegment(c);
            for (double v : c) {
                assertEquals(Math.rint(2 * v), 2 * v);
            }
        }
        assertEquals(2048, Type.EM);
    }

    @Test
    void subscriptsHangAndSuperscriptsStand() {
        Rectangle2D k = Type.glyph('k').outline().getBounds2D();
        Rectangle2D low = Type.glyph('ₖ').outline().getBounds2D();
        Rectangle2D high = Type.glyph('ᵀ').outline().getBounds2D();
        assertTrue(low.getMaxY() > 0 && low.getHeight() < k.getHeight());
        assertTrue(high.getMinY() < Type.glyph('T').outline().getBounds2D().getMinY());
    }

    @Test
    void titlesBreakIntoEvenLines() {
        assertEquals(List.of("one"), Type.lines("one", 17, 10));
        List<String> lines = Type.lines("aaaa aaaa aaaa aaaa aaaa aaaa", 17, Type.width("aaaa aaaa aaaa aaaa aaaa", 17) + 1);
        assertEquals(List.of("aaaa aaaa aaaa", "aaaa aaaa aaaa"), lines);
    }
}
