package rootdk.chart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class DescriptionTest {

    @Test
    void lines() {
        assertEquals("Line chart: Loss with and without 1/√dₖ. x: step, 0 to 4; y: loss, 0 to 2. scaled rises from 0 to 2.",
                Samples.lines().description());
    }

    @Test
    void everySortOfSeries() {
        assertEquals("Line chart: Variance of q·k. x: head size dₖ (log), 1 to 64; y: Var(q·k) (log), 0.5 to 128. "
                + "Vertical line at 8: dₖ = 8. Horizontal line at 1: 1. theory (dashed) rises from 1 to 64. "
                + "measured (7 points) rises from 1 to 64. theory (band): 0.5 to 2 at x = 1, 32 to 128 at x = 64.",
                Samples.everything().description());
    }

    @Test
    void extremesAndGaps() {
        double[] x = {1, 2, 3, 4, 5};
        assertEquals("Line chart. x: 1 to 5; y: −1 to 3. "
                + "a goes from 1 to 2, least −1 at x = 4, greatest 3 at x = 2. b is 2. c falls from 3 to 2.",
                Lines.titled("").line("a", x, new double[] {1, 3, Double.NaN, -1, 2}).line("b", x, new double[] {2, 2, 2, 2, 2})
                        .line("c", x, new double[] {Double.NaN, 3, 2.5, 2, Double.NaN}).description());
    }

    @Test
    void bars() {
        assertEquals("Bar chart: Attention weights. x: key, 3 categories (k₁, k₂, k₃); y: weight, 0.186 to 0.506. "
                + "right: 0.307, 0.506, 0.186. article: 0.295, 0.487, 0.218 (errors up to 0.02).", Samples.bars().description());
    }

    /** 1000 values (i − 499.5)/250: mean 0, variance (10⁶ − 1)/12/250² · 1000/999. */
    @Test
    void histograms() {
        assertEquals("Histogram: A uniform sample. x: x, −2 to 2; y: density, 0 to 0.25. 20 bins of width 0.2. "
                + "sample: 1000 values, mean 0, standard deviation 1.16. Density flat (dashed): greatest 0.25 at x = −2.",
                Samples.histograms().description());
    }

    @Test
    void heatMap() {
        assertEquals("Heat map: Jacobian of softmax. 3 × 3: 3 rows (i), 3 columns (j). "
                + "Values from −0.15 (row 2, column 3) to 0.25 (row 2, column 2). "
                + "Row 1: 0.2, −0.1, −0.1. Row 2: −0.1, 0.25, −0.15. Row 3: −0.1, −0.15, 0.25.", Samples.heatMap().description());
    }

    @Test
    void manySeriesAreCutWithACount() {
        Lines many = Lines.titled("Many");
        for (int i = 0; i < 50; i++) {
            many.line("series number " + i, Samples.X, Samples.UP);
        }
        String d = many.description();
        assertTrue(d.length() <= 620, d.length() + " characters");
        assertTrue(d.matches("Line chart: Many\\. .* And \\d+ more\\."), d);
        assertFalse(Panels.of(many, many, many).description().length() > 700);
    }

    @Test
    void panelsSayEachPanelInTurn() {
        String d = Panels.of(Samples.lines(), Samples.bars()).titled("Both").description();
        assertTrue(d.startsWith("2 panels: Both. (1) Line chart: Loss"), d);
        assertTrue(d.contains(" (2) Bar chart: Attention weights."), d);
    }

    @Test
    void numbers() {
        assertEquals("−1.5", Numbers.shortest(-1.5));
        assertEquals("0", Numbers.shortest(-0.0));
        assertEquals("1024", Numbers.shortest(1024));
        assertEquals("1.23e−7", Numbers.shortest(1.234e-7));
        assertEquals("0.000123", Numbers.shortest(1.234e-4));
        assertEquals("1.5e8", Numbers.shortest(1.5e8));
        assertEquals("12,345", Numbers.fixed(12345, 0));
        assertEquals("−0.50", Numbers.fixed(-0.5, 2));
        assertEquals("10⁻³", Numbers.power(10, -3));
    }

    @Test
    void aFunctionStandsForItsValues() {
        double[] x = {1, 2, 3};
        double[] squares = {1, 4, 9};
        assertEquals(Lines.titled("t").line("a", x, squares).dashed("b", x, squares).points("c", x, squares).digest(),
                Lines.titled("t").line("a", x, v -> v * v).dashed("b", x, v -> v * v).points("c", x, v -> v * v).digest());
    }

    @Test
    void pointsOutsideTheRangeDoNotCount() {
        double[] x = {1, 2, 3, 4};
        Lines lines = Lines.titled("").line("a", x, new double[] {-100, 2, 3, 100})
                .points("far", new double[] {9}, new double[] {7})
                .band("b", x, new double[] {-100, 1, 2, 100}, new double[] {-100, 3, 4, 100}).xRange(1.5, 3.5);
        assertEquals("Line chart. x: 1.5 to 3.5; y: 1 to 4. a rises from 2 to 3. far has no point within the x range. "
                + "b (band): 1 to 3 at x = 2, 2 to 4 at x = 3.", lines.description());
        Lines none = Lines.titled("t").line("a", x, x).horizontalAt("", 1).xRange(7, 8);
        for (Executable call : new Executable[] {none::description, none::svg}) {
            assertEquals("figure 't': no data lies within its x range: widen .xRange",
                    assertThrows(IllegalStateException.class, call).getMessage());
        }
    }

    @Test
    void logarithmIsSaidWithoutALabelToo() {
        assertEquals("Line chart. x (log): 1 to 2; y: v (log), 1 to 2. a rises from 1 to 2.",
                Lines.titled("").y("v").logX().logY().line("a", new double[] {1, 2}, new double[] {1, 2}).description());
    }

    @Test
    void lateDigitsAreSaidWhereTheyMatter() {
        double[] late = {0.99981, 0.99985, 0.99989};
        assertEquals("Line chart. x: 1 to 3; y: 0.99981 to 0.99989. a rises from 0.99981 to 0.99989.",
                Lines.titled("").line("a", new double[] {1, 2, 3}, late).description());
        assertEquals("Bar chart. x: 3 categories (a, b, c); y: 0.99981 to 0.99989. s: 0.99981, 0.99985, 0.99989.",
                Bars.titled("").categories("a", "b", "c").series("s", late).description());
        assertTrue(HeatMap.titled("").matrix(new SimpleMatrix(new double[][] {late})).description()
                .contains("Row 1: 0.99981, 0.99985, 0.99989."));
        assertTrue(Histograms.titled("").sample("s", late).description().contains("mean 0.99985, standard deviation 4e−5."));
        assertEquals("Line chart. x: 1 to 2; y: 1 to 1. a is 1.",
                Lines.titled("").line("a", new double[] {1, 2}, new double[] {1, Math.nextUp(1.0)}).description());
        assertEquals(3, Numbers.digits(0.95, 1.05));
        assertEquals(3, Numbers.digits(Double.NaN));
    }
}
