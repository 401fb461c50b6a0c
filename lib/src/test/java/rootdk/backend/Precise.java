package rootdk.backend;

import java.math.BigDecimal;
import java.math.MathContext;

/** e^x to 35 digits: the reference of the tests. */
public final class Precise {
    private static final MathContext DIGITS = new MathContext(40);
    private static final BigDecimal[] INVERSE_FACTORIALS = new BigDecimal[16];

    static {
        INVERSE_FACTORIALS[0] = BigDecimal.ONE;
        for (int i = 1; i < INVERSE_FACTORIALS.length; i++) {
            INVERSE_FACTORIALS[i] = INVERSE_FACTORIALS[i - 1].divide(BigDecimal.valueOf(i), DIGITS);
        }
    }

    private Precise() { }

    /** e^x for |x| &lt; 1000: the Taylor series of x / 2¹⁶, squared 16 times, which costs 5 of the 40 digits. */
    public static BigDecimal exp(BigDecimal x) {
        BigDecimal small = x.multiply(new BigDecimal(0x1p-16), DIGITS);
        BigDecimal sum = BigDecimal.ZERO;
        for (int i = INVERSE_FACTORIALS.length - 1; i >= 0; i--) {
            sum = sum.multiply(small, DIGITS).add(INVERSE_FACTORIALS[i], DIGITS);
        }
        for (int i = 0; i < 16; i++) {
            sum = sum.multiply(sum, DIGITS);
        }
        return sum;
    }

    /** |actual − exact| in units in the last place of the double nearest to exact. */
    public static double ulps(BigDecimal exact, double actual) {
        BigDecimal ulp = new BigDecimal(Math.ulp(exact.doubleValue()));
        return new BigDecimal(actual).subtract(exact, DIGITS).abs().divide(ulp, DIGITS).doubleValue();
    }
}
