package rootdk.chart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;

class AxisTest {

    private static List<String> labels(Axis axis) {
        return axis.ticks.stream().filter(t -> !t.minor()).map(Axis.Tick::label).toList();
    }

    @Test
    void linear() {
        assertEquals(List.of("0.0", "0.2", "0.4", "0.6", "0.8", "1.0"), labels(Axis.linear(0, 1, false, 6)));
        assertEquals(List.of("−4", "−2", "0", "2", "4"), labels(Axis.linear(-4, 4, false, 5)));
        assertEquals(List.of("0", "5000", "10,000"), labels(Axis.linear(0, 10000, false, 3)));
        assertEquals(List.of("0", "2×10⁻⁵", "4×10⁻⁵"), labels(Axis.linear(0, 5e-5, false, 3)));
        assertEquals(List.of("0", "10⁶", "2×10⁶"), labels(Axis.linear(0, 2e6, false, 3)));
        assertEquals(0.3, Axis.linear(0, 1, false, 10).ticks.get(3).value());
    }

    @Test
    void linearWidensToTicks() {
        Axis axis = Axis.linear(0.07, 2.03, true, 5);
        assertEquals(0, axis.min);
        assertEquals(2.5, axis.max);
        Axis one = Axis.linear(3, 3, true, 5);
        assertEquals(0.5, one.fraction(3), 0.2);
    }

    @Test
    void logarithmic() {
        assertEquals(List.of("0.1", "1", "10", "100"), labels(Axis.log(0.05, 100, false, 8)));
        assertEquals(List.of("10⁻⁴", "10⁻²", "10⁰", "10²"), labels(Axis.log(5e-5, 2000, false, 5)));
        assertEquals(List.of("20", "50", "100", "200"), labels(Axis.log(15, 300, false, 8)));
        assertEquals(List.of("1", "2", "4", "8", "16"), labels(Axis.log(1, 16, true, 8)));
        assertEquals(List.of("1", "4", "16", "64", "256"), labels(Axis.log(1, 512, true, 6)));
        assertEquals(0.5, Axis.log(1, 100, false, 5).fraction(10), 1e-15);
    }

    private static Lines line(double... y) {
        double[] x = new double[y.length];
        for (int i = 0; i < x.length; i++) {
            x[i] = i;
        }
        return Lines.titled("t").line("a", x, y);
    }

    @Test
    void tooWideIsRefused() {
        for (Figure f : new Figure[] {line(1.7e308, -1.7e308), line(1.7e308, 1.7e308, 1.7e308), line(1e-320, 1e308).logY(),
            Lines.titled("t").points("p", new double[] {1.7e308, -1.7e308}, new double[] {1, 2}),
            Bars.titled("t").categories("a", "b").series("s", 1.7e308, -1.7e308),
            Histograms.titled("t").sample("s", new double[] {1.7e308, -1.7e308}),
            HeatMap.titled("t").matrix(new SimpleMatrix(new double[][] {{1.7e308, -1.7e308}}))}) {
            String message = assertThrows(IllegalArgumentException.class, f::svg).getMessage();
            assertTrue(message.matches(".*range .* is too wide: .* plot a multiple.*"), message);
        }
    }

    /** Wide, narrow or tiny data is drawn: no NaN, no exception, in picture and description. */
    @Test
    void extremesAreDrawn() {
        double next = Math.nextUp(1.0);
        for (Figure f : new Figure[] {line(1e-300, 1e300).logY(), line(1, next).logY(), line(5e-324), line(0, 5e-324),
            line(1, next), line(1e300, -1e300), line(1e17, 1e17),
            Lines.titled("t").points("p", new double[] {1e-300, 1e300}, new double[] {1, 2}).logX(),
            Lines.titled("t").points("p", new double[] {1e-305, 1e305}, new double[] {1, 2}).logX(),
            Bars.titled("t").categories("a", "b").series("s", 1e300, 1),
            Bars.titled("t").categories("a", "b").series("s", 5e-324, 0),
            Histograms.titled("t").sample("s", new double[] {1, next}),
            Histograms.titled("t").sample("s", new double[] {1e300, -1e300}),
            Histograms.titled("t").sample("s", new double[] {1e17, 1e17}),
            HeatMap.titled("t").matrix(new SimpleMatrix(new double[][] {{1, next}, {1, 1}})),
            HeatMap.titled("t").matrix(new SimpleMatrix(new double[][] {{1e17, 1e17}})),
            HeatMap.titled("t").matrix(new SimpleMatrix(new double[][] {{5e-324, -5e-324}}))}) {
            assertFalse(f.svg().contains("NaN"), f.description());
            assertFalse(f.description().contains("NaN"), f.description());
            assertEquals(12, f.digest().length());
        }
    }
}
