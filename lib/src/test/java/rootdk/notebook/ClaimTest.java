package rootdk.notebook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClaimTest {

    private static final double INF = Double.POSITIVE_INFINITY;

    private final PrintStream out = System.out;
    private final Locale locale = Locale.getDefault();
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    static Ledger ledger() throws IOException {
        return Ledger.read(new StringReader("""
                id,part,section,claim,article,verdict
                C1,,1,half < 1,0.6,wrong
                C2,a,1,"a, b and ""c""\",,holds
                C2,b,1,two,,holds
                """));
    }

    private static Claim claim(String id) {
        try {
            return Claim.of(id, ledger());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

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

    private String shown() {
        String text = printed.toString(StandardCharsets.UTF_8).strip();
        printed.reset();
        return text;
    }

    private void fails(String message, Runnable check) {
        assertEquals("claim " + message, assertThrows(ClaimFailure.class, check::run).getMessage());
        assertEquals("", shown(), "a failing claim shows no line");
    }

    @Test
    void showsTheNumbersToTheDigitsThatTheToleranceJustifies() {
        claim("C1").expect(0.3072, 0.5065).within(5e-5).is(0.30719588571849843, 0.50648);
        assertEquals("✓ C1  half < 1 · computed 0.3072, 0.5065 · the article has 0.6", shown());
        claim("C2a").expect(64).within(0.5).is(64.3);
        assertEquals("✓ C2a  a, b and \"c\" · computed 64", shown());
        claim("C2b").expect(7).within(0).is(7);
        assertEquals("✓ C2b  two · computed 7", shown());
    }

    @Test
    void showsAStatement() {
        claim("C2b").holds(true);
        assertEquals("✓ C2b  two", shown());
    }

    @Test
    void showsBounds() {
        claim("C2b").expectAtMost(0.5).is(0.48123456);
        assertEquals("✓ C2b  two · computed 0.48123 ≤ 0.5", shown());
        claim("C2b").expectAtLeast(3).is(3);
        assertEquals("✓ C2b  two · computed 3 ≥ 3", shown());
        claim("C2b").expectAtMost(0.5).within(1e-3).is(0.5004);
        assertEquals("✓ C2b  two · computed 0.500 ≤ 0.5", shown());
    }

    @Test
    void theToleranceIsInclusiveAndNoMore() {
        claim("C2b").expect(1).within(0.25).is(1.25);
        shown();
        fails("C2b failed: expected 1 within 0.25, computed 1.5; off by 0.5, 2 tolerances",
                () -> claim("C2b").expect(1).within(0.25).is(1.5));
    }

    @Test
    void aFailureTellsWhichNumberIsOffAndByHowMuch() {
        fails("C1 failed: expected [0.3072, 0.5065] within 5e-05, computed [0.3072, 0.5165]; "
                + "number 2 of 2 is off by 0.01, 200 tolerances",
                () -> claim("C1").expect(0.3072, 0.5065).within(5e-5).is(0.3072, 0.5165));
        fails("C2b failed: expected at most 0.5, computed 0.75; off by 0.25",
                () -> claim("C2b").expectAtMost(0.5).is(0.75));
        fails("C2b failed: expected at least 3, computed 1; off by 2",
                () -> claim("C2b").expectAtLeast(3).is(1));
        fails("C1 failed: “half < 1” does not hold", () -> claim("C1").holds(false));
    }

    @Test
    void nanAndInfinityHoldOnlyWhereExpected() {
        fails("C2b failed: expected 1 within 0.1, computed NaN", () -> claim("C2b").expect(1).within(0.1).is(Double.NaN));
        fails("C2b failed: expected 1 within 0.1, computed ∞", () -> claim("C2b").expect(1).within(0.1).is(INF));
        fails("C2b failed: expected ∞ within 0.1, computed -∞", () -> claim("C2b").expect(INF).within(0.1).is(-INF));
        fails("C2b failed: expected [1, 2] within 0.1, computed [1, NaN]; number 2 of 2 is NaN",
                () -> claim("C2b").expect(1, 2).within(0.1).is(1, Double.NaN));
        fails("C2b failed: expected at most 1, computed -∞", () -> claim("C2b").expectAtMost(1).is(-INF));
        claim("C2b").expect(INF, Double.NaN).within(0).is(INF, Double.NaN);
        assertEquals("✓ C2b  two · computed ∞, NaN", shown());
    }

    @Test
    void anotherCountOfNumbersFails() {
        fails("C2b failed: expected 2 numbers, computed 1 number: 1", () -> claim("C2b").expect(1, 2).within(1).is(1));
        fails("C2b failed: expected 1 number, computed 0 numbers: []", () -> claim("C2b").expectAtMost(1).is());
    }

    @Test
    void anIncompleteCheckFails() {
        fails("C2b failed: nothing is expected: state it with expect(…).within(…) before is(…)",
                () -> claim("C2b").is(1));
        fails("C2b failed: it has no tolerance: state it with within(…) before is(…)",
                () -> claim("C2b").expect(1).is(1));
        fails("C2b failed: it expects no number: give at least one", () -> claim("C2b").expect());
        fails("C2b failed: it has two expectations: state one", () -> claim("C2b").expect(1).expectAtMost(2));
        fails("C2b failed: it expects numbers: check them with is(…)", () -> claim("C2b").expect(1).holds(true));
        for (double bad : new double[] {-1e-9, Double.NaN, INF}) {
            fails("C2b failed: the tolerance is " + bad + ": it must be a finite number from 0 on",
                    () -> claim("C2b").within(bad));
        }
    }

    @Test
    void anUnknownIdFails() {
        fails("C9 failed: the ledger has no such row; see notebooks/claims.csv", () -> claim("C9"));
        fails("C2 failed: the ledger has no such row, but C2a, C2b", () -> claim("C2"));
    }

    @Test
    void csvIsReadByTheRfc() throws IOException {
        assertEquals(List.of(List.of("a", "b,c", "d \"e\"", ""), List.of("", "two\nlines", "\"", "x")),
                Ledger.records(new StringReader("a,\"b,c\",\"d \"\"e\"\"\",\n\"\",\"two\nlines\",\"\"\"\",x")));
        assertEquals(List.of(List.of("a", "b"), List.of("c", "")), Ledger.records(new StringReader("a,b\r\nc,\r\n\r\n")));
        assertEquals(List.of(), Ledger.records(new StringReader("")));
        assertThrows(IllegalArgumentException.class, () -> Ledger.records(new StringReader("a,\"b")));
    }

    @Test
    void aBadLedgerIsRefused() {
        for (String[] bad : new String[][] {
            {"", "the ledger is empty: it needs a header"},
            {"id,part,claim\n", "the ledger has no column article"},
            {"id,part,claim,article\nC1,,x\n", "the ledger's row C1 has 3 fields, its header 4"},
            {"id,part,claim,article\nC1,,x,\nC1,,y,\n", "the ledger has two rows C1"}}) {
            assertEquals(bad[1], assertThrows(IllegalArgumentException.class,
                    () -> Ledger.read(new StringReader(bad[0]))).getMessage());
        }
    }

    @Test
    void theCoursesLedgerIsReadWhole() throws IOException {
        List<List<String>> rows = Ledger.records(Files.newBufferedReader(Path.of("../notebooks/claims.csv")));
        assertTrue(rows.size() > 97, "91 claims and 6 insights");
        for (List<String> row : rows.subList(1, rows.size())) {
            Claim.of(row.get(0) + row.get(1));
        }
        assertThrows(ClaimFailure.class, () -> Claim.of("C00"));
    }
}
