package rootdk.notebook;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The check of a claim, on one line beside the code that computes it.
 *
 * <pre>{@code
 * Claim.of("C79a").expect(0.3072, 0.5065, 0.1863).within(5e-5).is(Softmax.of(0, 0.5, -0.5));
 * Claim.of("C20").expectAtMost(0.5).is(Softmax.jacobianNorm(p));
 * Claim.of("C12").holds(largest < bound);
 * }</pre>
 *
 * <p>A check that holds shows one line: ✓, the claim as the ledger {@code notebooks/claims.csv} words it, the computed
 * numbers to as many digits as the tolerance justifies, and what the article has where it differs. A check that does
 * not hold throws a {@link ClaimFailure}; so does one without an expectation or tolerance, or with an id that the
 * ledger does not know. NaN and ±∞ hold only where the same is expected.
 *
 * <p>A {@code Claim} is used once, and is not thread-safe.
 */
public final class Claim {

    private enum Kind { NONE, EQUAL, AT_MOST, AT_LEAST }

    private final Ledger.Entry entry;
    private Kind kind = Kind.NONE;
    private double[] expected = {};
    private double tolerance = Double.NaN;

    private Claim(Ledger.Entry entry) {
        this.entry = entry;
    }

    /**
     * Begins the check of a claim.
     *
     * @param id the ledger's id and part, such as {@code "C79"} or {@code "C08a"}
     * @return the claim, with nothing expected yet
     * @throws ClaimFailure if the ledger has no such row
     */
    public static Claim of(String id) {
        return of(id, Ledger.course());
    }

    static Claim of(String id, Ledger ledger) {
        return new Claim(ledger.get(id));
    }

    /**
     * States the expected numbers; {@link #within} must follow.
     *
     * @param values one or more numbers, as many as will be computed; NaN and ±∞ are met only by themselves
     * @return this claim
     */
    public Claim expect(double... values) {
        return expecting(Kind.EQUAL, values.clone());
    }

    /**
     * States that the number is at most the bound.
     *
     * @param bound a finite number: NaN and ±∞ are never met
     * @return this claim
     */
    public Claim expectAtMost(double bound) {
        return expecting(Kind.AT_MOST, bound);
    }

    /**
     * States that the number is at least the bound.
     *
     * @param bound a finite number: NaN and ±∞ are never met
     * @return this claim
     */
    public Claim expectAtLeast(double bound) {
        return expecting(Kind.AT_LEAST, bound);
    }

    private Claim expecting(Kind kind, double... values) {
        if (this.kind != Kind.NONE) {
            throw failure("it has two expectations: state one");
        }
        if (values.length == 0) {
            throw failure("it expects no number: give at least one");
        }
        this.kind = kind;
        this.expected = values;
        return this;
    }

    /**
     * States how far a computed number may be from the expected one, or beyond the bound.
     *
     * @param tolerance absolute, the same for all numbers; 0 asks for equality
     * @return this claim
     * @throws ClaimFailure if it is negative or not finite
     */
    public Claim within(double tolerance) {
        if (!Double.isNaN(this.tolerance)) {
            throw failure("it has two tolerances: state one");
        }
        if (!(tolerance >= 0) || tolerance == Double.POSITIVE_INFINITY) {
            throw failure("the tolerance is " + tolerance + ": it must be a finite number from 0 on");
        }
        this.tolerance = tolerance;
        return this;
    }

    /**
     * Checks the computed numbers and shows the line.
     *
     * @param computed as many numbers as are expected; one for a bound
     * @throws ClaimFailure if a number is off, or NaN or ±∞ without being expected, or their count is another
     */
    public void is(double... computed) {
        if (kind == Kind.NONE) {
            throw failure("nothing is expected: state it with expect(…).within(…) before is(…)");
        }
        if (kind == Kind.EQUAL && Double.isNaN(tolerance)) {
            throw failure("it has no tolerance: state it with within(…) before is(…)");
        }
        if (computed.length != expected.length) {
            throw failure("expected " + count(expected.length) + ", computed " + count(computed.length) + ": "
                    + exactly(computed));
        }
        double allowed = Double.isNaN(tolerance) ? 0 : tolerance;
        for (int i = 0; i < computed.length; i++) {
            if (!holds(expected[i], computed[i], allowed)) {
                throw failure(off(i, computed, allowed));
            }
        }
        Notebook.show(new Result(entry, numbers(computed), switch (kind) {
            case AT_MOST -> " ≤ " + minus(Numbers.one(expected[0]));
            case AT_LEAST -> " ≥ " + minus(Numbers.one(expected[0]));
            default -> numbers(computed).equals(numbers(expected))
                    ? "" : ", expected " + numbers(expected) + " ± " + minus(Numbers.one(tolerance));
        }));
    }

    /**
     * Checks a statement that has no number and shows the line.
     *
     * @param statement the truth of what the claim says
     * @throws ClaimFailure if {@code statement} is false, or numbers were expected
     */
    public void holds(boolean statement) {
        if (kind != Kind.NONE || !Double.isNaN(tolerance)) {
            throw failure("it expects numbers: check them with is(…)");
        }
        if (!statement) {
            throw failure("“" + entry.claim() + "” does not hold");
        }
        Notebook.show(new Result(entry, "", ""));
    }

    private boolean holds(double expected, double computed, double allowed) {
        if (!Double.isFinite(expected) || !Double.isFinite(computed)) {
            return kind == Kind.EQUAL && Double.compare(expected, computed) == 0;
        }
        return excess(expected, computed) <= allowed;
    }

    /** How far a number is on the wrong side of what is expected; not positive beyond a bound. */
    private double excess(double expected, double computed) {
        return switch (kind) {
            case AT_MOST -> computed - expected;
            case AT_LEAST -> expected - computed;
            default -> Math.abs(computed - expected);
        };
    }

    private String off(int i, double[] computed, double allowed) {
        String what = switch (kind) {
            case AT_MOST -> "expected at most ";
            case AT_LEAST -> "expected at least ";
            default -> "expected ";
        };
        String reason = what + exactly(expected) + (allowed > 0 ? " within " + Numbers.one(allowed) : "")
                + ", computed " + exactly(computed);
        if (computed.length > 1) {
            reason += "; number " + (i + 1) + " of " + computed.length;
        }
        if (Double.isFinite(expected[i]) && Double.isFinite(computed[i])) {
            double excess = excess(expected[i], computed[i]);
            reason += (computed.length > 1 ? " is off by " : "; off by ") + Numbers.one(excess);
            reason += allowed > 0 ? ", " + Numbers.one(excess / allowed) + " tolerances" : "";
        } else if (computed.length > 1) {
            reason += " is " + computed[i];
        }
        return reason;
    }

    /** The computed numbers beside the expected ones, with the minus sign that the claim's own words have. */
    private String numbers(double... values) {
        return IntStream.range(0, values.length)
                .mapToObj(i -> Double.isNaN(tolerance)
                        ? Numbers.one(values[i]) : Numbers.within(tolerance, expected[i], values[i]))
                .map(Claim::minus)
                .collect(Collectors.joining(", "));
    }

    private static String minus(String number) {
        return number.replace('-', '−');
    }

    private static String exactly(double... values) {
        String numbers = Arrays.stream(values).limit(Grid.LIMIT).mapToObj(v -> Numbers.within(0, v, v))
                .collect(Collectors.joining(", "));
        return values.length == 1 ? numbers : "[" + numbers + (values.length > Grid.LIMIT ? ", …]" : "]");
    }

    private static String count(int n) {
        return n == 1 ? "1 number" : n + " numbers";
    }

    private ClaimFailure failure(String reason) {
        return new ClaimFailure(entry.id(), reason);
    }

    /**
     * A check that held, as a notebook shows it: {@code computed} is empty for a statement without a number, {@code expected}
     * follows it as it stands: the bound, or nothing where the computed numbers are the expected ones to all digits shown.
     */
    record Result(Ledger.Entry entry, String computed, String expected) {

        String text() {
            return "✓ " + entry.id() + "  " + entry.claim()
                    + (computed.isEmpty() ? "" : " · computed " + computed) + expected
                    + (entry.article().isEmpty() ? "" : " · the article has " + entry.article());
        }

        /** The mark is green on light and dark ground; all else has the page's colours. */
        String html() {
            return "<div class=\"rootdk-claim\"><span style=\"color:#2e8b57\">✓</span> <b>" + entry.id() + "</b> "
                    + Grid.escape(entry.claim())
                    + (computed.isEmpty() ? "" : " · computed <b>" + Grid.escape(computed) + "</b>")
                    + Grid.escape(expected)
                    + (entry.article().isEmpty() ? "" : " · <i>the article has " + Grid.escape(entry.article()) + "</i>")
                    + "</div>";
        }
    }
}
