package rootdk.notebook;

import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A student's look at his own method: one line that says for which input what was expected and what came.
 *
 * <pre>{@code
 * SelfCheck.of("softmax(0, ln 2)", () -> softmax(new double[] {0, Math.log(2)})).expect(1 / 3.0, 2 / 3.0);
 * SelfCheck.of("slopes(0)", () -> slopes(0)).expectThrown(IllegalArgumentException.class);
 * }</pre>
 *
 * <p>Unlike a {@link Claim} it never throws: a wrong answer, an exception, or a method that is not written yet is a line with
 * a ✗, and the next check goes on. It decides nothing about a mark. {@link #show(Callable)} does the same for a picture. A number is right if it differs from the expected one by at
 * most tolerance · max(1, |expected|); NaN and ±∞ are met by themselves alone. Shapes must be equal, but one number and an
 * array that holds one number are not told apart.
 */
public final class SelfCheck {

    private static final int SHOWN = 8; // numbers of an array, and rows of a matrix

    private final String what;
    private final Callable<?> call;
    private double tolerance = 1e-9;

    private SelfCheck(String what, Callable<?> call) {
        this.what = what;
        this.call = call;
    }

    /**
     * Begins a check; the call is made when it is said what to expect.
     *
     * @param what the call in words, with its input, as the line shows it
     * @param call gives a number, a {@code boolean}, a {@code double[]}, a {@code double[][]} or a text
     * @return the check
     */
    public static SelfCheck of(String what, Callable<?> call) {
        return new SelfCheck(what, call);
    }

    /**
     * Another tolerance than 1e-9.
     *
     * @param tolerance at least 0, relative to numbers beyond ±1 and absolute between them
     * @return this check
     */
    public SelfCheck within(double tolerance) {
        this.tolerance = tolerance;
        return this;
    }

    /**
     * Makes the call and shows the line.
     *
     * @param numbers one number, or those of an array in order
     */
    public void expect(double... numbers) {
        show(numbers);
    }

    /**
     * Makes the call and shows the line.
     *
     * @param rows the rows of a matrix
     */
    public void expect(double[][] rows) {
        show(rows);
    }

    /**
     * Makes the call and shows the line.
     *
     * @param truth what the call should say
     */
    public void expect(boolean truth) {
        show(truth);
    }

    /**
     * Makes the call and shows the line.
     *
     * @param kind what the call should throw; a subclass will do
     */
    public void expectThrown(Class<? extends Throwable> kind) {
        Object got = value();
        boolean right = got instanceof Thrown t && kind.isInstance(t.cause());
        Notebook.show(new Result(right, what, right ? "throws" : "expected", kind.getSimpleName(), text(got, false)));
    }

    /**
     * Shows what a call gives, such as a picture of the student's own results, or one line that says why there is nothing to show.
     *
     * @param picture gives what is to be shown
     */
    public static void show(Callable<?> picture) {
        Object got = new SelfCheck("", picture).value();
        Notebook.show(got instanceof Thrown t ? "No picture yet. The code above gave " + t + "." : got);
    }

    private void show(Object expected) {
        Object got = value();
        boolean right = equal(expected, got);
        boolean exact = !right && text(expected, false).equals(text(got, false)); // then show where they differ
        Notebook.show(new Result(right, what, right ? "→" : "expected", text(expected, exact), text(got, exact)));
    }

    private Object value() {
        try {
            return call.call();
        } catch (Exception | AssertionError | StackOverflowError | OutOfMemoryError e) {
            return new Thrown(e);
        }
    }

    private boolean equal(Object expected, Object got) {
        if (expected instanceof double[][] rows) {
            return got instanceof double[][] other && rows.length == other.length
                    && IntStream.range(0, rows.length).allMatch(i -> equal(rows[i], other[i]));
        }
        if (expected instanceof double[] numbers) {
            if (got instanceof Number one) {
                return equal(numbers, new double[] {one.doubleValue()});
            }
            return got instanceof double[] other && numbers.length == other.length
                    && IntStream.range(0, numbers.length).allMatch(i -> near(numbers[i], other[i]));
        }
        return expected.equals(got);
    }

    private boolean near(double expected, double got) {
        if (!Double.isFinite(expected) || !Double.isFinite(got)) {
            return Double.compare(expected, got) == 0;
        }
        return Math.abs(got - expected) <= tolerance * Math.max(1, Math.abs(expected));
    }

    private static String text(Object value, boolean exact) {
        if (value instanceof double[] numbers) {
            return numbers.length == 1 ? number(numbers[0], exact)
                    : list(Arrays.stream(numbers).limit(SHOWN).mapToObj(x -> number(x, exact)), numbers.length);
        }
        if (value instanceof double[][] rows) {
            return list(Arrays.stream(rows).limit(SHOWN).map(row -> row == null ? "null"
                    : list(Arrays.stream(row).limit(SHOWN).mapToObj(x -> number(x, exact)), row.length)), rows.length);
        }
        if (value != null && value.getClass().isArray()) {
            return value.getClass().getSimpleName();
        }
        return value instanceof Number n ? number(n.doubleValue(), exact) : String.valueOf(value);
    }

    private static String list(Stream<String> shown, int length) {
        return shown.collect(Collectors.joining(", ", "[", length > SHOWN ? ", … " + length + " in all]" : "]"));
    }

    private static String number(double x, boolean exact) {
        return (exact ? Double.toString(x) : Numbers.one(x)).replace('-', '−');
    }

    /** What was thrown instead of a value. */
    private record Thrown(Throwable cause) {

        @Override
        public String toString() {
            if (cause instanceof UnsupportedOperationException && "not written yet".equals(cause.getMessage())) {
                return "nothing: the method is not written yet";
            }
            if (cause.getClass().getName().equals("jdk.jshell.spi.SPIResolutionException")) {
                return "nothing: a method is missing, so run the cells above";
            }
            return cause.getClass().getSimpleName() + (cause.getMessage() == null ? "" : ": " + cause.getMessage());
        }
    }

    /** The line as a notebook shows it: where it is right, what came is not said again. */
    record Result(boolean right, String what, String relation, String expected, String got) {

        String text() {
            return right ? "✓ " + what + " " + relation + " " + expected
                    : "✗ " + what + ": " + relation + " " + expected + ", got " + got;
        }

        /** The marks' colours can be read on light and dark ground; all else has the page's colours. */
        String html() {
            return "<div class=\"rootdk-claim\"><span style=\"color:" + (right ? "#2e8b57\">✓" : "#d5432f\">✗") + "</span> <b>"
                    + Grid.escape(what) + "</b> " + relation + " " + Grid.escape(expected)
                    + (right ? "" : ", got <b>" + Grid.escape(got) + "</b>") + "</div>";
        }
    }
}
