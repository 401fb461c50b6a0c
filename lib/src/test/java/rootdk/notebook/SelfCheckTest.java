package rootdk.notebook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SelfCheckTest {

    private static final double INF = Double.POSITIVE_INFINITY;

    private final PrintStream out = System.out;
    private final Locale locale = Locale.getDefault();
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @BeforeEach
    void capture() {
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        Locale.setDefault(Locale.GERMANY);
    }

    @AfterEach
    void restore() {
        System.setOut(out);
        Locale.setDefault(locale);
    }

    private void shows(String line) {
        assertEquals(line, printed.toString(StandardCharsets.UTF_8).strip());
        printed.reset();
    }

    @Test
    void rightAnswersShowTheirValue() {
        SelfCheck.of("half(1)", () -> 0.5).expect(0.5);
        shows("✓ half(1) → 0.5");
        SelfCheck.of("p", () -> new double[] {0.25, 0.75, -0.0}).expect(0.25, 0.75, 0);
        shows("✓ p → [0.25, 0.75, 0]");
        SelfCheck.of("M", () -> new double[][] {{1, 2}, {-3, 4}}).expect(new double[][] {{1, 2}, {-3, 4}});
        shows("✓ M → [[1, 2], [−3, 4]]");
        SelfCheck.of("healthy", () -> true).expect(true);
        shows("✓ healthy → true");
        SelfCheck.of("count", () -> 3).expect(3);
        shows("✓ count → 3");
    }

    @Test
    void wrongAnswersShowBothAndGoOn() {
        SelfCheck.of("half(1)", () -> 2.0).expect(0.5);
        shows("✗ half(1): expected 0.5, got 2");
        SelfCheck.of("p", () -> new double[] {1}).expect(0.25, 0.75);
        shows("✗ p: expected [0.25, 0.75], got 1");
        SelfCheck.of("M", () -> new double[][] {{1}, null}).expect(new double[][] {{1}, {2}});
        shows("✗ M: expected [[1], [2]], got [[1], null]");
        SelfCheck.of("p", () -> null).expect(1);
        shows("✗ p: expected 1, got null");
        SelfCheck.of("p", () -> new int[] {1}).expect(1);
        shows("✗ p: expected 1, got int[]");
        SelfCheck.of("healthy", () -> 1.0).expect(true);
        shows("✗ healthy: expected true, got 1");
    }

    @Test
    void whatLooksAlikeIsShownInFull() {
        SelfCheck.of("x", () -> 0.50000001).expect(0.5);
        shows("✗ x: expected 0.5, got 0.50000001");
        SelfCheck.of("x", () -> 0.50000001).within(1e-7).expect(0.5);
        shows("✓ x → 0.5");
        SelfCheck.of("x", () -> 1e12 + 1).within(1e-11).expect(1e12);
        shows("✓ x → 1e+12");
    }

    @Test
    void nanAndInfinityAreMetByThemselvesAlone() {
        SelfCheck.of("x", () -> Double.NaN).expect(0.5);
        shows("✗ x: expected 0.5, got NaN");
        SelfCheck.of("x", () -> -INF).expect(-INF);
        shows("✓ x → −∞");
        SelfCheck.of("x", () -> Double.NaN).expect(Double.NaN);
        shows("✓ x → NaN");
        SelfCheck.of("x", () -> 1.0).expect(INF);
        shows("✗ x: expected ∞, got 1");
    }

    @Test
    void exceptionsAreALine() {
        double[] none = {};
        SelfCheck.of("x", () -> none[0]).expect(1);
        shows("✗ x: expected 1, got ArrayIndexOutOfBoundsException: Index 0 out of bounds for length 0");
        SelfCheck.of("x", () -> { throw new UnsupportedOperationException("not written yet"); }).expect(1);
        shows("✗ x: expected 1, got nothing: the method is not written yet");
        SelfCheck.of("x", () -> { throw new StackOverflowError(); }).expect(1);
        shows("✗ x: expected 1, got StackOverflowError");
        SelfCheck.of("x", () -> Integer.parseInt("a")).expectThrown(IllegalArgumentException.class);
        shows("✓ x throws IllegalArgumentException");
        SelfCheck.of("x", () -> 1).expectThrown(IllegalArgumentException.class);
        shows("✗ x: expected IllegalArgumentException, got 1");
    }

    @Test
    void longAnswersAreCut() {
        SelfCheck.of("x", () -> new double[100]).expect(1);
        shows("✗ x: expected 1, got [0, 0, 0, 0, 0, 0, 0, 0, … 100 in all]");
    }

    @Test
    void aPictureOrOneLine() {
        SelfCheck.show(() -> new double[] {1, 2});
        shows("[1, 2]");
        SelfCheck.show(() -> { throw new UnsupportedOperationException("not written yet"); });
        shows("No picture yet. The code above gave nothing: the method is not written yet.");
        SelfCheck.show(() -> Integer.parseInt("a"));
        shows("No picture yet. The code above gave NumberFormatException: For input string: \"a\".");
    }

    @Test
    void htmlIsEscaped() {
        String html = new SelfCheck.Result(false, "a<b", "expected", "1", "<script>").html();
        assertTrue(html.contains("a&lt;b") && html.contains("&lt;script&gt;"), html);
    }
}
