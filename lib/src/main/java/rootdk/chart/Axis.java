package rootdk.chart;

import java.util.ArrayList;
import java.util.List;

/**
 * One axis: its range, its scale, its ticks.
 *
 * <p>The ticks are ours because XChart's leave out the label at an axis' end, jump to the data where they are equally
 * spaced, and know no powers of two.
 */
final class Axis {

    /** A tick; a minor one has no label and no grid line. */
    record Tick(double value, String label) {
        boolean minor() {
            return label.isEmpty();
        }
    }

    /** Beyond these, positions and ticks overflow. */
    static final double LARGEST = 1e305;
    static final double SMALLEST = 1e-305;

    /** Numbers that differ by less than this are drawn as equal: the difference is rounding, or has no ticks. */
    private static final double NOTHING = 1e-300;

    final double min;
    final double max;
    final boolean log;
    final List<Tick> ticks;

    private Axis(double min, double max, boolean log, List<Tick> ticks) {
        this.min = min;
        this.max = max;
        this.log = log;
        this.ticks = ticks;
    }

    /** Where {@code v} lies on the axis' scale: the number that XChart gets. */
    static double scaled(double v, boolean log) {
        return log ? StrictMath.log10(v) : v;
    }

    double scaled(double v) {
        return scaled(v, log);
    }

    /** 0 at the axis' start, 1 at its end. */
    double fraction(double v) {
        return (scaled(v) - scaled(min)) / (scaled(max) - scaled(min));
    }

    boolean contains(double v) {
        return v >= min && v <= max;
    }

    /** Whether two numbers are the same but for rounding errors. */
    static boolean same(double a, double b) {
        return Math.abs(b - a) <= Math.max(NOTHING, 1e-12 * Math.max(Math.abs(a), Math.abs(b)));
    }

    private static void requireBounds(double min, double max, boolean log) {
        if (!(Math.max(Math.abs(min), Math.abs(max)) <= LARGEST) || log && min < SMALLEST) {
            throw new IllegalArgumentException("axis range " + min + " to " + max + " is too wide: leave out what is not within "
                    + (log ? SMALLEST + " to " : "±") + LARGEST + ", or plot a multiple or the logarithm of the values");
        }
    }

    /**
     * A linear axis.
     *
     * @param widen whether the range may grow to the next tick at both ends
     * @param count about how many ticks there is room for
     * @throws IllegalArgumentException if the range is too wide for numbers to be told apart on it
     */
    static Axis linear(double lo, double hi, boolean widen, int count) {
        double min = lo;
        double max = hi;
        if (same(min, max)) {
            double half = same(min, 0) ? 1 : Math.abs(min) / 2;
            min -= half;
            max += half;
        }
        requireBounds(min, max, false);
        double raw = (max - min) / count;
        int exponent = (int) Math.floor(StrictMath.log10(raw));
        double power = tenTo(exponent);
        double lead = raw / power;
        int factor = lead <= 1.0001 ? 1 : lead <= 2.0001 ? 2 : lead <= 5.0001 ? 5 : 10;
        if (factor == 10) {
            factor = 1;
            exponent++;
        }
        double slack = 1e-9;
        double step = factor * tenTo(exponent);
        long first = (long) (widen ? Math.floor(min / step + slack) : Math.ceil(min / step - slack));
        long last = (long) (widen ? Math.ceil(max / step - slack) : Math.floor(max / step + slack));
        if (widen) {
            min = multiple(first * factor, exponent);
            max = multiple(last * factor, exponent);
        }
        List<Tick> ticks = new ArrayList<>();
        double largest = Math.max(Math.abs(min), Math.abs(max));
        for (long i = first; i <= last; i++) {
            double v = multiple(i * factor, exponent);
            ticks.add(new Tick(v, largest >= 1e6 || largest < 1e-3 ? scientific(i * factor, exponent)
                    : Numbers.fixed(v, Math.max(0, -exponent))));
        }
        return new Axis(min, max, false, ticks);
    }

    /** n·10^e, correctly rounded: 3·10^−1 is 0.3, which 3 * 0.1 is not. */
    private static double multiple(long n, int e) {
        return e >= 0 ? n * tenTo(e) : n / tenTo(-e);
    }

    private static double tenTo(int e) {
        return Double.parseDouble("1e" + e);
    }

    private static String scientific(long n, int exponent) {
        if (n == 0) {
            return "0";
        }
        long digits = Math.abs(n);
        int e = exponent;
        while (digits % 10 == 0) {
            digits /= 10;
            e++;
        }
        String mantissa = Long.toString(digits);
        e += mantissa.length() - 1;
        mantissa = mantissa.length() == 1 ? mantissa : mantissa.charAt(0) + "." + mantissa.substring(1);
        return (n < 0 ? "−" : "") + (mantissa.equals("1") ? "" : mantissa + "×") + Numbers.power(10, e);
    }

    /**
     * A logarithmic axis: ticks at powers of ten, with 2 and 5 between where there are few; at powers of two if
     * {@code twos}.
     */
    static Axis log(double lo, double hi, boolean twos, int count) {
        double min = lo;
        double max = hi;
        if (max - min <= 1e-12 * max) {
            min /= 2;
            max *= 2;
        }
        requireBounds(min, max, true);
        double slack = 1e-9;
        double base = twos ? StrictMath.log10(2) : 1;
        int first = (int) Math.ceil(StrictMath.log10(min) / base - slack);
        int last = (int) Math.floor(StrictMath.log10(max) / base + slack);
        int every = 1;
        for (int wider : new int[] {2, 3, 5, 10, 20, 50, 100}) {
            if ((last - first) / every > count) {
                every = wider;
            }
        }
        List<Tick> ticks = new ArrayList<>();
        boolean fewDecades = !twos && last - first < 2;
        boolean plain = first >= -3 && last <= 3;
        for (int e = first - 1; e <= last; e++) {
            double v = twos ? StrictMath.pow(2, e) : tenTo(e);
            for (int m = 1; m <= (twos ? 1 : 9); m++) {
                double at = twos || e >= 0 ? m * v : m / tenTo(-e);
                if (at < min * (1 - slack) || at > max * (1 + slack)) {
                    continue;
                }
                boolean shown = Math.floorMod(e, every) == 0;
                if (m == 1 && (shown || every <= 3)) {
                    ticks.add(new Tick(at, !shown ? "" : twos ? two(e) : plain ? Numbers.fixed(at, Math.max(0, -e))
                            : Numbers.power(10, e)));
                } else if (fewDecades && (m == 2 || m == 5)) {
                    ticks.add(new Tick(at, plain ? Numbers.fixed(at, Math.max(0, -e)) : m + "×" + Numbers.power(10, e)));
                } else if (every == 1) {
                    ticks.add(new Tick(at, ""));
                }
            }
        }
        return new Axis(min, max, true, ticks);
    }

    private static String two(int e) {
        return e >= 0 && e <= 20 ? Numbers.fixed(StrictMath.pow(2, e), 0) : Numbers.power(2, e);
    }

    /** An axis with its ticks given: categories. */
    static Axis of(double min, double max, List<Tick> ticks) {
        return new Axis(min, max, false, List.copyOf(ticks));
    }
}
