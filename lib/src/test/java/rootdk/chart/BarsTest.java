package rootdk.chart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.geom.Rectangle2D;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The values written on bars. */
class BarsTest {

    /** The texts with a decimal point that a figure writes inside its plot: larger and smaller ones are ticks. */
    private static List<Sketch.Text> labels(Bars bars) {
        Type.font();
        int[] size = bars.size();
        Sketch g = new Sketch(size[0], size[1]);
        bars.draw(g, new Rectangle2D.Double(0, 0, size[0], size[1]), 0);
        return g.marks().stream().filter(Sketch.Text.class::isInstance).map(Sketch.Text.class::cast)
                .filter(t -> t.text().matches("−?\\d\\.\\d{3}")).toList();
    }

    @Test
    void labelsOfNarrowBarsDoNotTouch() {
        double[] values = {0.0001, 0.0002, 0.0012, 0.9962, 0.0002, 0.0011, 0.0003, 0.0004};
        Bars bars = Bars.titled("t").categories("a", "b", "c", "d").yRange(0, 2).size(300, 300)
                .series("s", values[0], values[1], values[2], values[3]).series("r", values[4], values[5], values[6], values[7]);
        List<Sketch.Text> labels = labels(bars);
        assertTrue(labels.size() >= 2 && labels.size() < values.length, labels + "");
        for (Sketch.Text a : labels) {
            for (Sketch.Text b : labels) {
                boolean apart = Math.abs(a.x() - b.x()) * Sketch.UNIT > Type.width(a.text(), Theme.TICK)
                        || Math.abs(a.y() - b.y()) * Sketch.UNIT > 11;
                assertTrue(a == b || apart, a + " touches " + b);
            }
        }
        List<String> texts = labels.stream().map(Sketch.Text::text).toList();
        assertTrue(texts.contains("0.996") && texts.contains("0.001"), "the greatest are kept: " + texts);
    }

    @Test
    void aLabelWithoutRoomAboveStandsInsideInWhite() {
        List<Sketch.Text> labels = labels(Bars.titled("").categories("a", "b").yRange(0, 1).series("s", 0.996, 0.2512));
        assertEquals(List.of("0.996", "0.251"), labels.stream().map(Sketch.Text::text).toList());
        assertEquals(List.of(Theme.WHITE, Theme.INK), labels.stream().map(Sketch.Text::color).toList());
        labels = labels(Bars.titled("").categories("a").yRange(-1, 1).series("s", -0.996));
        assertEquals(Theme.WHITE, labels.get(0).color());
    }

    @Test
    void smallNumbersKeepTheirDigits() {
        assertEquals(List.of("0.000312", "0.00293", "0"), Stream.of(0.000312, 0.002931, 0.0)
                .map(Numbers.alike(0.000312, 0.002931, 0, Double.NaN)::apply).toList());
        assertEquals("0.010", Numbers.alike(0.01, 0.0123).apply(0.01));
    }

    @Test
    void inANarrowBarItStandsUpright() {
        Bars bars = Bars.titled("").categories("a", "b", "c", "d", "e").yRange(0, 1).size(240, 300);
        List<Sketch.Text> labels = labels(bars.series("s", 0.0001, 0.0002, 0.0012, 0.9962, 0.0032));
        Sketch.Text greatest = labels.stream().filter(t -> t.text().equals("0.996")).findFirst().orElseThrow();
        assertEquals(-90, greatest.degrees());
        assertEquals(Theme.WHITE, greatest.color());
    }
}
