package rootdk.backend;

/**
 * e^x for x ≤ 0 by additions, multiplications and fma alone, so that every form of it gives the same bits. With n = round(x / ln 2),
 * r = x − n ln 2 and |r| ≤ ½ ln 2, e^x = 2ⁿ e^r, and e^r = 1 + r + r² q(r) with a polynomial q. The product n · LN2_HIGH and its
 * difference from x are exact; r is kept as a sum of two numbers, because the rounding of r alone costs ¼ ulp.
 *
 * <p>q has the minimax error of its degree (relative to e^r below 4·10⁻¹⁸, from a Remez iteration in 60 digits). The whole is within
 * 0.85 ulp where the result is normal, and within 1 ulp where it is not.
 */
final class Exp {
    static final double PER_LN2 = 0x1.71547652b82fep0;
    static final double LN2_HIGH = 0x1.62e42fefa38p-1; // 42 bits, so that n times it has at most 53
    static final double LN2_LOW = 0x1.ef35793c7673p-45;
    static final double LOWEST = -750; // here the result is 0 already: e^−745.2 is half the smallest double

    /**
     * x + 1.5·2⁵² rounds x to an integer, which then stands in the low bits. The 1023 + 64 more are a double's exponent bias, and
     * 2⁶⁴ that keeps the scale 2ⁿ⁺⁶⁴ a normal number; the last step, · 2⁻⁶⁴, then is the only one that rounds to a subnormal.
     */
    static final double ROUND = 0x1.8p52 + 1087;
    static final double LAST_SCALE = 0x1p-64;

    static final double Q0 = 0x1.0000000000009p-1;
    static final double Q1 = 0x1.55555555554fbp-3;
    static final double Q2 = 0x1.5555555550a01p-5;
    static final double Q3 = 0x1.1111111127a60p-7;
    static final double Q4 = 0x1.6c16c183e4754p-10;
    static final double Q5 = 0x1.a01a012a5ac55p-13;
    static final double Q6 = 0x1.a0199aae29aecp-16;
    static final double Q7 = 0x1.71df26196a898p-19;
    static final double Q8 = 0x1.28acef1490824p-22;
    static final double Q9 = 0x1.ad7d3efc1053ap-26;

    private Exp() { }

    /** e^x for x ≤ 0; 0 for −∞, NaN for NaN. */
    static double of(double x) {
        double scaled = scaled(x);
        return scale(fraction(x, scaled), scaled);
    }

    /** n + ROUND: the integer n in a form from which {@link #scale} makes 2ⁿ⁺⁶⁴. */
    static double scaled(double x) {
        return Math.fma(Math.max(x, LOWEST), PER_LN2, ROUND);
    }

    /** e^r. */
    static double fraction(double x, double scaled) {
        double n = scaled - ROUND;
        double high = Math.fma(n, -LN2_HIGH, Math.max(x, LOWEST));
        double r = Math.fma(n, -LN2_LOW, high);
        double low = Math.fma(n, -LN2_LOW, high - r);
        double r2 = r * r;
        double even = Math.fma(r2, Q8, Q6); // two chains and not one, so that a processor can work at both
        even = Math.fma(even, r2, Q4);
        even = Math.fma(even, r2, Q2);
        even = Math.fma(even, r2, Q0);
        double odd = Math.fma(r2, Q9, Q7);
        odd = Math.fma(odd, r2, Q5);
        odd = Math.fma(odd, r2, Q3);
        odd = Math.fma(odd, r2, Q1);
        return 1 + (r + Math.fma(r2, Math.fma(odd, r, even), low));
    }

    /** 2ⁿ · fraction. */
    static double scale(double fraction, double scaled) {
        return fraction * Double.longBitsToDouble(Double.doubleToRawLongBits(scaled) << 52) * LAST_SCALE;
    }
}
