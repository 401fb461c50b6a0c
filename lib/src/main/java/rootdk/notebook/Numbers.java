package rootdk.notebook;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Numbers as text: the same on every machine, and the numbers of one column alike. */
final class Numbers {

    /** Digits for the largest number of a column, and for smaller ones at least. */
    private static final int SIGNIFICANT = 5;
    private static final int LEAST = 3;

    /** Places that a column in fixed notation may take. */
    private static final int WIDEST = 10;

    private Numbers() {
    }

    /**
     * Formats numbers that stand under each other, so that right-aligned they share the decimal point.
     *
     * <p>Whole numbers stay whole. Otherwise the largest number gets five significant digits and no other fewer than
     * three, without zeros at the end that all share: in fixed notation when all magnitudes are 0 or within
     * [1e-4, 1e6) and ten digits suffice, else in scientific notation.
     * NaN and ±∞ are written {@code NaN}, {@code ∞} and {@code -∞}; a value that rounds to zero has no sign
     * (a {@code BigDecimal} has no negative zero).
     */
    static String[] column(double... values) {
        double smallest = Double.POSITIVE_INFINITY;
        double largest = 0;
        for (double v : values) {
            if (Double.isFinite(v) && v != 0) {
                smallest = Math.min(smallest, Math.abs(v));
                largest = Math.max(largest, Math.abs(v));
            }
        }
        int decimals = 0;
        for (double v : values) {
            if (Double.isFinite(v) && v != 0) {
                int enough = Math.max(SIGNIFICANT - 1 - exponent(largest), LEAST - 1 - exponent(v));
                decimals = Math.max(decimals, Math.min(enough, significant(v).scale()));
            }
        }
        if (whole(values) && largest < 1e10) {
            return fixed(0, values);
        }
        if (smallest < 1e-4 || largest >= 1e6 || Math.max(1, exponent(largest) + 1) + decimals > WIDEST) {
            return scientific(values);
        }
        return fixed(decimals, values);
    }

    /** Formats with exactly {@code decimals} digits after the point, rounding the exact binary value half to even. */
    static String[] fixed(int decimals, double... values) {
        String[] text = new String[values.length];
        for (int i = 0; i < text.length; i++) {
            text[i] = Double.isFinite(values[i])
                    ? new BigDecimal(values[i]).setScale(decimals, RoundingMode.HALF_EVEN).toPlainString()
                    : notFinite(values[i]);
        }
        return text;
    }

    /** Formats one number by the rule of {@link #column}. */
    static String one(double value) {
        return column(value)[0];
    }

    /**
     * Formats a number beside the one that was expected: to the digits that the tolerance justifies, where the last
     * digit's unit is at most twice the tolerance, and to no fewer than {@code expected} was written with.
     * A tolerance below 1e-6 stands for rounding errors, so zeros at the end say nothing and are left out.
     * A tolerance of 0 gives the shortest text that reads back as the same number.
     */
    static String within(double tolerance, double expected, double value) {
        if (!Double.isFinite(value)) {
            return notFinite(value);
        }
        if (tolerance == 0) {
            return value == Math.rint(value) && Math.abs(value) < 1e10
                    ? fixed(0, value)[0] : Double.toString(value);
        }
        BigDecimal unit = BigDecimal.valueOf(tolerance).multiply(BigDecimal.valueOf(2)).stripTrailingZeros();
        int justified = unit.scale() - unit.precision() + 1;
        int written = Double.isFinite(expected) ? BigDecimal.valueOf(expected).stripTrailingZeros().scale() : justified;
        int decimals = Math.max(justified, written);
        BigDecimal rounded = new BigDecimal(value).setScale(decimals, RoundingMode.HALF_EVEN);
        if (rounded.signum() == 0) {
            return "0";
        }
        if (tolerance < 1e-6 && Math.abs(value) > tolerance * 1e6) {
            rounded = rounded.stripTrailingZeros();
        }
        int exponent = rounded.precision() - rounded.scale() - 1;
        return exponent < -4 || exponent >= 6 && decimals < 0 || exponent >= 10
                ? scientific(rounded) : rounded.toPlainString();
    }

    private static boolean whole(double... values) {
        for (double v : values) {
            if (Double.isFinite(v) && v != Math.rint(v)) {
                return false;
            }
        }
        return true;
    }

    private static String[] scientific(double... values) {
        int digits = 1;
        for (double v : values) {
            if (Double.isFinite(v) && v != 0) {
                digits = Math.max(digits, significant(v).precision());
            }
        }
        String[] text = new String[values.length];
        for (int i = 0; i < text.length; i++) {
            double v = values[i];
            if (!Double.isFinite(v)) {
                text[i] = notFinite(v);
            } else if (v == 0) {
                text[i] = "0";
            } else {
                BigDecimal d = new BigDecimal(v).round(new MathContext(digits, RoundingMode.HALF_EVEN));
                text[i] = scientific(d.setScale(d.scale() + digits - d.precision(), RoundingMode.UNNECESSARY));
            }
        }
        return text;
    }

    /** Writes all digits of a non-zero number as {@code 1.2346e-05}. */
    private static String scientific(BigDecimal d) {
        String digits = d.unscaledValue().abs().toString();
        int exponent = d.precision() - d.scale() - 1;
        return (d.signum() < 0 ? "-" : "") + digits.charAt(0)
                + (digits.length() > 1 ? "." + digits.substring(1) : "")
                + "e" + (exponent < 0 ? "-" : "+") + (Math.abs(exponent) < 10 ? "0" : "") + Math.abs(exponent);
    }

    private static BigDecimal significant(double v) {
        return new BigDecimal(v).round(new MathContext(SIGNIFICANT, RoundingMode.HALF_EVEN)).stripTrailingZeros();
    }

    /** The power of ten of a number's first digit. */
    private static int exponent(double v) {
        BigDecimal d = significant(v);
        return d.precision() - d.scale() - 1;
    }

    private static String notFinite(double v) {
        return Double.isNaN(v) ? "NaN" : v > 0 ? "∞" : "-∞";
    }
}
