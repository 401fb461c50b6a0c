package rootdk.notebook;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Locale;
import java.util.stream.IntStream;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import rootdk.attention.Attention;
import rootdk.attention.Logits;
import rootdk.attention.QkNorm;
import rootdk.attention.TiledAttention;
import rootdk.stats.Histogram;
import rootdk.stats.Moments;
import tech.tablesaw.api.BooleanColumn;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.FloatColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.LongColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

/** Numbers, matrices and tables as text and HTML; all of it with a default locale that writes 1,5. */
class RenderingTest {

    private static final double NAN = Double.NaN;
    private static final double INF = Double.POSITIVE_INFINITY;

    private final Locale locale = Locale.getDefault();

    @BeforeEach
    void german() {
        Locale.setDefault(Locale.GERMANY);
    }

    @AfterEach
    void restore() {
        Locale.setDefault(locale);
    }

    private static void column(String expected, double... values) {
        assertArrayEquals(expected.split(" "), Numbers.column(values));
    }

    @Test
    void numbersOfAColumnShareTheirDecimals() {
        column("0.3072 0.5000 1.0000", 0.3072, 0.5, 1);
        column("0.30720 0.50648 0.18632", 0.30719588571849843, 0.50648039105565, 0.18632372322584763);
        column("3.1416", Math.PI);
        column("31416 2718", 31415.9, 2718.28);
        column("0.32026 0.11088 0.05741", 0.320255, 0.110881, 0.0574053);
        column("1.00000 0.00123", 1, 0.00123456);
        column("0.0001 0.5000", 1e-4, 0.5);
        column("123457", 123456.7);
        column("0.3", 0.1 + 0.2);
        column("-1.5 0.0", -1.5, 0);
    }

    @Test
    void wholeNumbersStayWhole() {
        column("1 20 -300", 1, 20, -300);
        column("1048576", 1048576);
        column("123456789", 123456789);
        column("0 0", 0, -0.0);
    }

    @Test
    void extremesAreScientific() {
        column("1.2346e-05", 1.23456e-5);
        column("1.0e+00 1.2e-17 0", 1, 1.2e-17, 0);
        column("1.5e+06", 1.5e6 + 1e-9);
        column("1.2e+10", 1.2e10);
        column("-2e-300", -2e-300);
        column("1.2346e+05 1.2300e-03", 123456.5, 1.23e-3);
        column("4.9407e-324", Double.MIN_VALUE);
    }

    @Test
    void whatIsNotANumberIsNamed() {
        column("NaN ∞ -∞ 0.5", NAN, INF, -INF, 0.5);
        column("NaN", NAN);
        column("∞ 1e-09", INF, 1e-9);
    }

    @Test
    void roundingIsHalfToEvenOnTheExactValue() {
        assertArrayEquals(new String[] {"0.12", "0.38", "1.00", "0.00"}, Numbers.fixed(2, 0.125, 0.375, 0.999, -0.001));
        // 0.15 is stored a little below, 0.25 exactly
        assertArrayEquals(new String[] {"0.1", "0.2"}, Numbers.fixed(1, 0.15, 0.25));
    }

    @Test
    void aToleranceLimitsTheDigits() {
        assertEquals("0.3072", Numbers.within(5e-5, 1, 0.30719588));
        assertEquals("0.3072", Numbers.within(1e-4, 1, 0.30719588));
        assertEquals("0.31", Numbers.within(0.02, 1, 0.30719588));
        assertEquals("64", Numbers.within(0.5, 1, 64.3));
        assertEquals("64", Numbers.within(3, 1, 64.3));
        assertEquals("1.234e+09", Numbers.within(1e6, 1.234e9, 1234123456.0));
        assertEquals("1.235e-10", Numbers.within(5e-14, 1, 1.2345678e-10));
        assertEquals("0", Numbers.within(1e-12, 1, 3e-14));
        assertEquals("0.76", Numbers.within(0.08, 0.75, 0.7591));
        assertEquals("16", Numbers.within(1e-12, 1, 16));
        assertEquals("0.78", Numbers.within(1e-12, 1, 0.78));
        assertEquals("1.0000", Numbers.within(5e-5, 1, 1));
        assertEquals("0.1", Numbers.within(0, 1, 0.1));
        assertEquals("512", Numbers.within(0, 1, 512));
        assertEquals("-∞", Numbers.within(1, 1, -INF));
    }

    @Test
    void aMatrixIsAligned() {
        assertEquals("""
                2 × 3 matrix
                 1.00  -0.50  0.25
                10.00    NaN     ∞""",
                MatrixView.of(new SimpleMatrix(new double[][] {{1, -0.5, 0.25}, {10, NAN, INF}})).toString());
    }

    @Test
    void aMatrixHasLabelsAndATitle() {
        MatrixView view = MatrixView.of(new SimpleMatrix(new double[][] {{0.25, 0.75}, {1, 0}}))
                .titled("P").rows("q₁", "long").columns("k₁", "k̂₂").decimals(3);
        assertEquals("""
                P (2 × 2)
                         k₁     k̂₂
                q₁    0.250  0.750
                long  1.000  0.000""", view.toString());
    }

    @Test
    void aMatrixAsHtml() {
        assertEquals("""
                <table class="rootdk-matrix">
                <caption style="text-align:left;white-space:nowrap">a &lt; b (1 × 2)</caption>
                <thead><tr><th scope="col" style="text-align:left"></th><th scope="col" style="text-align:right">x&amp;y</th>\
                <th scope="col" style="text-align:right">z</th></tr></thead>
                <tbody>
                <tr><th scope="row" style="text-align:left">&lt;script&gt;</th><td style="text-align:right">1.5</td>\
                <td style="text-align:right">NaN</td></tr>
                </tbody>
                </table>""",
                MatrixView.of(new SimpleMatrix(new double[][] {{1.5, NAN}})).titled("a < b").rows("<script>")
                        .columns("x&y", "z").grid().html());
    }

    @Test
    void twentyRowsAreShownWholeAndMoreAreCut() {
        assertEquals(21, MatrixView.of(new SimpleMatrix(20, 20)).toString().lines().count());
        assertFalse(MatrixView.of(new SimpleMatrix(20, 20)).toString().contains("…"));

        SimpleMatrix large = new SimpleMatrix(1000, 21);
        IntStream.range(0, 1000).forEach(i -> large.set(i, 0, i));
        String[] lines = MatrixView.of(large).toString().split("\n");
        assertEquals(21, lines.length);
        assertEquals("1000 × 21 matrix", lines[0]);
        assertEquals("  9  0  0  0  0  0  0  0  0  0  …  0  0  0  0  0  0  0  0  0", lines[10]);
        assertEquals("  ⋮  ⋮  ⋮  ⋮  ⋮  ⋮  ⋮  ⋮  ⋮  ⋮  …  ⋮  ⋮  ⋮  ⋮  ⋮  ⋮  ⋮  ⋮  ⋮", lines[11]);
        assertTrue(lines[12].startsWith("991  "), lines[12]);
        assertTrue(lines[20].startsWith("999  "), lines[20]);
    }

    @Test
    void emptyMatricesTellTheirSize() {
        assertEquals("0 × 0 matrix", MatrixView.of(new SimpleMatrix(0, 0)).toString());
        assertEquals("2 × 0 matrix", MatrixView.of(new SimpleMatrix(2, 0)).toString().strip());
    }

    @Test
    void aWrongNumberOfLabelsIsRefused() {
        MatrixView view = MatrixView.of(new SimpleMatrix(2, 3));
        assertEquals("the matrix has 2 rows, but there are 1 labels: give one for each",
                assertThrows(IllegalArgumentException.class, () -> view.rows("a")).getMessage());
        assertEquals("the matrix has 3 columns, but there are 4 labels: give one for each",
                assertThrows(IllegalArgumentException.class, () -> view.columns("a", "b", "c", "d")).getMessage());
        assertThrows(IllegalArgumentException.class, () -> view.decimals(-1));
        assertThrows(NullPointerException.class, () -> MatrixView.of(null));
    }

    @Test
    void aTableTellsMissingFromZeroAndNaN() {
        Table table = Table.create("people",
                StringColumn.create("name", "<b>Ann</b>", "", "—"),
                IntColumn.create("n", 0, 20, 3),
                DoubleColumn.create("x", 0, NAN, 12.25),
                LongColumn.create("big", 1L << 40, 1, 2),
                FloatColumn.create("f", 0.1f, 0.25f, 1f),
                BooleanColumn.create("ok", true, false, true));
        table.intColumn("n").setMissing(2);
        assertEquals("""
                people
                name         n      x            big     f  ok
                <b>Ann</b>   0   0.00  1099511627776  0.10  true
                —           20      —              1  0.25  false
                —            —  12.25              2  1.00  true""", Tables.grid(table).text());
        String html = Tables.grid(table).html();
        assertTrue(html.contains("&lt;b&gt;Ann&lt;/b&gt;"), html);
        assertTrue(html.contains("<td style=\"text-align:right\" title=\"missing\"><em>—</em></td>"), html);
        assertTrue(html.contains("<td style=\"text-align:left\">—</td>"), "a dash that is data is not a missing value");
    }

    @Test
    void aColumnsOwnFormatIsHonoured() {
        IntColumn n = IntColumn.create("n", new int[] {1234567});
        assertEquals("      n\n1234567", withoutName(Tables.grid(Table.create(n)).text()));
        n.setPrintFormatter(new DecimalFormat("#,##0", DecimalFormatSymbols.getInstance(Locale.ROOT)), "");
        assertEquals("        n\n1,234,567", withoutName(Tables.grid(Table.create(n)).text()));
        DoubleColumn share = DoubleColumn.create("share", 0.125, 0.5, NAN);
        share.setPrintFormatter(new DecimalFormat("0.0%", DecimalFormatSymbols.getInstance(Locale.ROOT)), "");
        assertEquals("share\n12.5%\n50.0%\n    —", withoutName(Tables.grid(Table.create(share)).text()));
    }

    private static String withoutName(String text) {
        return text.replaceFirst("^unnamed\n", "");
    }

    @Test
    void aLongTableIsCutAndTellsItsSize() {
        Table table = Table.create("t", IntColumn.create("i", IntStream.range(0, 5000).toArray()));
        String[] lines = Tables.grid(table).text().split("\n");
        assertEquals(22, lines.length);
        assertEquals("t (5000 rows × 1 columns)", lines[0]);
        assertEquals("   ⋮", lines[12]);
        assertEquals("4999", lines[21]);
    }

    @Test
    void aCellIsOneLine() {
        Table table = Table.create("t", StringColumn.create("s", "a\nb", "c"), IntColumn.create("n", 1, 2));
        assertEquals("t\ns    n\na b  1\nc    2", Tables.grid(table).text());
    }

    @Test
    void longArraysAreCut() {
        assertEquals("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …, 91, 92, 93, 94, 95, 96, 97, 98, 99]  (100 values)",
                Renderers.text(IntStream.range(0, 100).toArray()));
    }

    @Test
    void attentionShowsItsWeightsAndItsOutput() {
        SimpleMatrix one = new SimpleMatrix(new double[][] {{1}, {1}});
        Attention a = Attention.forward(new SimpleMatrix(new double[][] {{0}}), one, one, 1);
        assertEquals("weights (1 × 2)\n0.5  0.5\n\noutput (1 × 1)\n1", Renderers.text(a));
        assertEquals("dQ (1 × 1)\n0\n\ndK (2 × 1)\n0\n0\n\ndV (2 × 1)\n0.5\n0.5",
                Renderers.text(a.backward(new SimpleMatrix(new double[][] {{1}}))));
    }

    @Test
    void tiledAttentionShowsItsOutputAndItsGradientsThoseOfBiasAndSink() {
        SimpleMatrix one = new SimpleMatrix(new double[][] {{1}});
        Logits rule = Logits.dividedBy(1).bias(new SimpleMatrix(new double[][] {{-1}})).sink(0);
        TiledAttention a = TiledAttention.forward(one, one, one, rule, 1); // one logit, 0, beside the sink's: weight ½
        assertEquals("output (1 × 1)\n0.5", Renderers.text(a));
        assertEquals("dQ (1 × 1)\n0.25\n\ndK (1 × 1)\n0.25\n\ndV (1 × 1)\n0.5\n\ndBias (1 × 1)\n0.25\n\ndSink (1 × 1)\n-0.25",
                Renderers.text(a.backward(one)).replace('−', '-'));
        assertEquals("output (1 × 1)\n0.5", Renderers.text(QkNorm.l2(one, 0.5)));
    }

    @Test
    void momentsAreARowEach() {
        // mean 3; squares about it 4 + 1 + 0 + 9 = 14, cubes −8 − 1 + 27 = 18, fourths 16 + 1 + 81 = 98; 4.5/3.5^1.5 = 0.68724
        Moments m = Moments.of(1, 2, 3, 6);
        assertEquals("""
                n  mean  ± error  variance  ± error  skewness  kurtosis
                4     3   1.0801    4.6667   2.3333   0.68724         2""", Renderers.text(m));
        assertEquals("""
                   n  mean  ± error  variance  ± error  skewness  kurtosis
                0  4     3   1.0801    4.6667   2.3333   0.68724         2
                1  0   NaN      NaN       NaN      NaN       NaN       NaN""", Renderers.text(new Moments[] {m, new Moments()}));
    }

    @Test
    void aHistogramIsARowForEachBin() {
        assertEquals("""
                2 bins with 3 values, 1 below and 0 above
                from   to  count  density
                 0.0  0.5      1      0.5
                 0.5  1.0      2      1.0""", Renderers.text(Histogram.of(new double[] {-1, 0.25, 0.5, 0.75}, 0, 1, 2)));
    }
}
