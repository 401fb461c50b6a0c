package rootdk.chart;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
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
}
