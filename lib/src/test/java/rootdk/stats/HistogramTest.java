package rootdk.stats;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class HistogramTest {
    @Test
    void byHand() {
        double[] x = {-1, 0, 0.5, 1, 1.999, 2, 3, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY};
        Histogram h = Histogram.of(x, 0, 2, 2);
        assertArrayEquals(new double[] {0, 1, 2}, h.edges());
        assertArrayEquals(new double[] {0.5, 1.5}, h.centers());
        assertArrayEquals(new long[] {2, 3}, h.counts(), "1 goes right, 2 is in the last bin");
        assertEquals(2, h.below());
        assertEquals(2, h.above());
        assertArrayEquals(new double[] {2 / 9.0, 3 / 9.0}, h.density(), 1e-16);
    }

    /** 0.1 + 0.1 + … is not k/10: an edge itself must lie in the bin that begins with it, for any step. */
    @Test
    void everyEdgeBelongsToItsRight() {
        for (int bins = 1; bins < 200; bins++) {
            double[] edges = Histogram.of(new double[] {0}, -0.3, 1.7, bins).edges();
            long[] counts = Histogram.of(Arrays.copyOf(edges, bins), -0.3, 1.7, bins).counts();
            long[] justBelow = Histogram.of(Arrays.stream(edges).skip(1).map(Math::nextDown).toArray(), -0.3, 1.7, bins).counts();
            for (int i = 0; i < bins; i++) {
                assertEquals(1, counts[i], bins + " bins, edge " + i);
                assertEquals(1, justBelow[i], bins + " bins, below edge " + (i + 1));
            }
        }
    }

    /** Every bar within 5 standard errors of the bin's probability over its width. */
    @Test
    void densityLiesOnTheNormalCurve() {
        int n = 400_000;
        Histogram h = Histogram.of(Sampling.values(4, n, Draws::gaussian), -4, 4, 40);
        for (int i = 0; i < 40; i++) {
            double p = Normal.cdf(h.edges()[i + 1]) - Normal.cdf(h.edges()[i]);
            assertEquals(p / 0.2, h.density()[i], 5 * Math.sqrt(p / n) / 0.2);
        }
    }

    @Test
    void resultsAreCopies() {
        Histogram h = Histogram.of(new double[] {0.5}, 0, 1, 1);
        h.counts()[0] = 7;
        h.edges()[0] = 7;
        assertEquals(1, h.counts()[0]);
        assertEquals(0, h.edges()[0]);
    }

    @Test
    void badInput() {
        double inf = Double.POSITIVE_INFINITY;
        assertMessage("x is empty: at least one number is needed", () -> Histogram.of(new double[0], 0, 1, 1));
        assertMessage("x is null", () -> Histogram.of(null, 0, 1, 1));
        assertMessage("x[1] is NaN, which has no place in an order: remove it first",
                () -> Histogram.of(new double[] {1, Double.NaN}, 0, 1, 1));
        assertMessage("bins is 0: it must be at least 1", () -> Histogram.of(new double[1], 0, 1, 0));
        for (double[] range : new double[][] {{1, 1}, {2, 1}, {Double.NaN, 1}, {0, inf}, {-inf, 0}}) {
            assertMessage("from is " + range[0] + ", to is " + range[1] + ": both must be finite, and from below to",
                    () -> Histogram.of(new double[1], range[0], range[1], 3));
        }
    }

    private static void assertMessage(String message, org.junit.jupiter.api.function.Executable call) {
        assertEquals(message, assertThrows(RuntimeException.class, call).getMessage());
    }
}
