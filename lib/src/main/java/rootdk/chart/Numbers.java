package rootdk.chart;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.function.DoubleFunction;

/** Numbers as figures write them: point as decimal sign, U+2212 as minus, in every locale. */
final class Numbers {

    private static final String SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

    private Numbers() {}

    /** With {@code decimals} places, groups of three from 10,000 on. */
    static String fixed(double v, int decimals) {
        BigDecimal d = new BigDecimal(v).setScale(decimals, RoundingMode.HALF_EVEN);
        StringBuilder s = new StringBuilder(d.abs().toPlainString());
        int point = decimals > 0 ? s.indexOf(".") : s.length();
        if (point > 4) {
            for (int i = point - 3; i > 0; i -= 3) {
                s.insert(i, ',');
            }
        }
        return (d.signum() < 0 ? "−" : "") + s;
    }

    /**
     * With three significant digits, trailing zeros left out; as 1.2e−7 where the plain number is long. Whole numbers below a
     * million are exact.
     */
    static String shortest(double v) {
        return shortest(v, 3);
    }

    /** As {@link #shortest(double)}, with {@code digits} significant digits. */
    static String shortest(double v, int digits) {
        if (!Double.isFinite(v)) {
            return Double.isNaN(v) ? "NaN" : v > 0 ? "∞" : "−∞";
        }
        BigDecimal d = rounded(v, v == Math.rint(v) && Math.abs(v) < 1e6 ? Math.max(6, digits) : digits);
        int exponent = d.precision() - d.scale() - 1;
        String s;
        if (d.signum() == 0) {
            s = "0";
        } else if (exponent < -4 || exponent > 6) {
            s = d.abs().movePointLeft(exponent).stripTrailingZeros().toPlainString() + "e" + exponent;
        } else {
            s = d.abs().toPlainString();
        }
        return ((d.signum() < 0 ? "−" : "") + s).replace('-', '−');
    }

    /** The significant digits, at least 3, that tell the least from the greatest of {@code values}, rounding errors aside. */
    static int digits(double... values) {
        double lo = Double.POSITIVE_INFINITY;
        double hi = Double.NEGATIVE_INFINITY;
        for (double v : values) {
            if (Double.isFinite(v)) {
                lo = Math.min(lo, v);
                hi = Math.max(hi, v);
            }
        }
        if (lo > hi || Axis.same(lo, hi)) {
            return 3;
        }
        double largest = Math.max(Math.abs(lo), Math.abs(hi));
        int digits = Math.max(3, 1 + exponent(largest) - exponent(hi - lo));
        return shortest(lo, digits).equals(shortest(hi, digits)) ? digits + 1 : digits;
    }

    private static int exponent(double v) {
        return (int) Math.floor(StrictMath.log10(v));
    }

    /** As many decimals as give the largest of {@code values} three significant digits, at most {@code most}. */
    static int places(int most, double... values) {
        double largest = 0;
        for (double v : values) {
            largest = Double.isNaN(v) ? largest : Math.max(largest, Math.abs(v));
        }
        return Math.min(most, largest >= 99.95 ? 0 : largest >= 9.995 ? 1 : largest >= 0.9995 ? 2 : 3);
    }

    /** {@link #places} without useless 0s. */
    static int decimals(int most, double... values) {
        int decimals = places(most, values);
        while (decimals > 0 && ends0(decimals, values)) {
            decimals--;
        }
        return decimals;
    }

    /** How to write numbers side by side: with equal decimals, at most 3; with three significant digits if all are too small for that. */
    static DoubleFunction<String> alike(double... values) {
        boolean small = Arrays.stream(values).map(Math::abs).filter(v -> !Double.isNaN(v)).max().orElse(0) < 0.00995;
        int decimals = decimals(3, values);
        return small ? Numbers::shortest : v -> fixed(v, decimals);
    }

    private static boolean ends0(int decimals, double... values) {
        for (double v : values) {
            if (!Double.isNaN(v) && !fixed(v, decimals).endsWith("0")) {
                return false;
            }
        }
        return true;
    }

    static String power(int base, int exponent) {
        StringBuilder s = new StringBuilder().append(base);
        if (exponent < 0) {
            s.append('⁻');
        }
        for (char c : Integer.toString(Math.abs(exponent)).toCharArray()) {
            s.append(SUPERSCRIPTS.charAt(c - '0'));
        }
        return s.toString();
    }

    /** What a digest hashes: 6 significant digits. */
    static String hashed(double v) {
        return Double.isFinite(v) ? rounded(v, 6).toString() : Double.toString(v);
    }

    private static BigDecimal rounded(double v, int digits) {
        BigDecimal d = new BigDecimal(v).round(new MathContext(digits, RoundingMode.HALF_EVEN));
        return d.signum() == 0 ? BigDecimal.ZERO : d.stripTrailingZeros();
    }
}
