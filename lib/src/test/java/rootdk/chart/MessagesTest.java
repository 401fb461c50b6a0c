package rootdk.chart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.DoubleUnaryOperator;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Every bad input has a message that names it, both sizes, and the way out. */
class MessagesTest {

    private static final double[] TWO = {1, 2};
    private static final double[] THREE = {1, 2, 3};

    private static void refused(String message, Executable call) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, call).getMessage());
    }

    private static Lines lines() {
        return Lines.titled("t");
    }

    @Test
    void sizes() {
        refused("line 'a': x has 2 values, y has 3: give both the same number",
                () -> lines().line("a", TWO, THREE));
        refused("points 'a': x has 3 values, errors has 2: give both the same number", () -> lines().points("a", THREE, THREE, TWO));
        refused("band 'a': x has 3 values, hi has 2: give both the same number", () -> lines().band("a", THREE, THREE, TWO));
        refused("series 's': categories has 3 values, the series has 2: give both the same number",
                () -> Bars.titled("t").categories("a", "b", "c").series("s", 1, 2));
        refused("series 's': categories has 3 values, the series has 2: give both the same number",
                () -> Bars.titled("t").series("s", 1, 2).categories("a", "b", "c"));
        refused("there are 3 labels for the rows, the matrix has 2 rows: give one for each",
                () -> HeatMap.titled("t").matrix(new SimpleMatrix(2, 2)).rows("a", "b", "c"));
    }

    @Test
    void empty() {
        refused("line 'a': x is empty: a series needs at least one value", () -> lines().line("a", new double[0], new double[0]));
        refused("sample 'a' is empty: a series needs at least one value", () -> Histograms.titled("t").sample("a", new double[0]));
        refused("matrix is 0 × 3: there is nothing to show", () -> HeatMap.titled("t").matrix(new SimpleMatrix(0, 3)));
        refused("no figures: panels hold at least one", Panels::of);
        for (Figure f : new Figure[] {lines(), Bars.titled("t"), Histograms.titled("t"), HeatMap.titled("t"), Panels.of(lines())}) {
            for (Executable call : new Executable[] {f::svg, f::png, f::description, f::digest}) {
                String message = assertThrows(IllegalStateException.class, call).getMessage();
                assertTrue(message.matches("figure 't' has no (series|sample|matrix): (add one|set it) with \\..*"), message);
            }
        }
    }

    @Test
    void twice() {
        refused("line 'a' is there already: give every series of a figure its own name",
                () -> lines().line("a", TWO, TWO).line("a", TWO, TWO));
        refused("series 'a' is there already: give every series of a figure its own name",
                () -> Bars.titled("t").series("a", 1).series("a", 1));
        refused("categories 0 and 2 are both 'a': give each its own name", () -> Bars.titled("t").categories("a", "b", "a"));
        // another sort may share the name
        lines().line("a", TWO, TWO).dashed("a", TWO, TWO).points("a", TWO, TWO).band("a", TWO, TWO, TWO).svg();
    }

    @Test
    void logarithmicAxes() {
        String message = "line 'a': y[1] is 0.0, which has no place on a logarithmic axis: leave the point out, or put "
                + "Math.max(v, 1e-12)";
        double[] zero = {1, 0, 2};
        refused(message, () -> lines().logY().line("a", THREE, zero));
        refused(message, () -> lines().line("a", THREE, zero).logY());
        refused("line 'a': x[1] is 0.0, which has no place on a logarithmic axis: leave the point out, or put "
                + "Math.max(v, 1e-12)", () -> lines().logX().line("a", zero, THREE));
        refused("y range 0.0 to 1.0 on a logarithmic axis: from must be greater than 0", () -> lines().logY().yRange(0, 1));
        refused("y range 0.0 to 1.0 on a logarithmic axis: from must be greater than 0", () -> lines().yRange(0, 1).logY());
    }

    @Test
    void notFinite() {
        refused("line 'a': y[1] is Infinity, which has no place on an axis: leave it out, or put Double.NaN for a gap",
                () -> lines().line("a", TWO, new double[] {1, Double.POSITIVE_INFINITY}));
        refused("line 'a': x[0] is NaN, which has no place on an axis: leave it out",
                () -> lines().line("a", new double[] {Double.NaN, 1}, TWO));
        refused("line 'a' has only NaN: leave it out", () -> lines().line("a", TWO, new double[] {Double.NaN, Double.NaN}));
        refused("band 'a': lo[0] = 2.0 exceeds hi[0] = 1.0: give the lower edge first",
                () -> lines().band("a", new double[] {1}, new double[] {2}, new double[] {1}));
        refused("points 'a': errors[1] is -1.0: an error bar is a finite length, at least 0",
                () -> lines().points("a", TWO, TWO, new double[] {1, -1}));
        refused("series 's': value[1] is Infinity: put Double.NaN for a missing bar",
                () -> Bars.titled("t").series("s", 1, Double.POSITIVE_INFINITY));
        refused("matrix has no finite element: there is nothing to show",
                () -> HeatMap.titled("t").matrix(new SimpleMatrix(new double[][] {{Double.NaN}})));
        // gaps are drawn
        lines().line("a", THREE, new double[] {1, Double.NaN, 2}).svg();
        Bars.titled("t").categories("a", "b").series("s", 1, Double.NaN).svg();
    }

    @Test
    void rangesSizesAndGlyphs() {
        refused("x range 2.0 to 1.0: from must be less than to, both finite", () -> lines().xRange(2, 1));
        refused("y range 0.5 to 1.0: bars stand on 0, so the range must contain 0", () -> Bars.titled("t").yRange(0.5, 1));
        refused("size 10 × 10 px: width must be 200 to 2000, height 150 to 2000", () -> lines().size(10, 10));
        refused("the figures' font DejaVu Sans Condensed has no '字' (U+5B57): write it another way",
                () -> lines().x("字").line("a", TWO, TWO).svg());
        String message = assertThrows(IllegalStateException.class,
                () -> lines().y("y").x("x").line("a", TWO, TWO).size(200, 150).svg()).getMessage();
        assertTrue(message.contains("make it larger with .size"), message);
    }

    @Test
    void nothingGiven() {
        DoubleUnaryOperator f = null;
        double[] none = null;
        String[] names = null;
        missing("line 'a': the function is null", () -> lines().line("a", TWO, f));
        missing("dashed line 'a': x is null", () -> lines().dashed("a", none, v -> v));
        missing("points 'a': y is null", () -> lines().points("a", TWO, none));
        missing("the reference line's label is null: use \"\" for none", () -> lines().verticalAt(null, 1));
        missing("the reference line's label is null: use \"\" for none", () -> lines().horizontalAt(null, 1));
        missing("categories are null: leave the call out", () -> Bars.titled("t").categories(names));
        missing("categories: name 1 is null: use \"\" for none", () -> Bars.titled("t").categories("a", null));
        missing("row labels: name 0 is null: use \"\" for none", () -> HeatMap.titled("t").rows(null, "b"));
        missing("column labels are null: leave the call out", () -> HeatMap.titled("t").columns(names));
        missing("density 'a' is null", () -> Histograms.titled("t").density("a", null));
        missing("the figures are null: panels hold at least one", () -> Panels.of((Figure[]) null));
        refused("a series needs a name: the legend and the description use it", () -> lines().line(null, TWO, TWO));
    }

    private static void missing(String message, Executable call) {
        assertEquals(message, assertThrows(NullPointerException.class, call).getMessage());
    }

    @Test
    void barsWithoutValuesAndRangesWithoutWidth() {
        refused("series 's' has only NaN: leave it out", () -> Bars.titled("t").series("s", Double.NaN, Double.NaN));
        refused("x range 1.0 to 1.0000000000000002: the ends are too close to be told apart, set them wider",
                () -> lines().xRange(1, Math.nextUp(1.0)));
    }
}
