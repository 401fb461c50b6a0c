package rootdk.attention;

import java.util.function.DoubleUnaryOperator;
import org.ejml.data.DMatrixRMaj;
import org.ejml.simple.SimpleMatrix;

/**
 * Rounding to the two 16-bit floating-point formats, to see what attention does in them. The result is a double that the format
 * holds exactly.
 *
 * <table>
 * <caption>The formats</caption>
 * <tr><th></th><th>float16</th><th>bfloat16</th></tr>
 * <tr><td>significant bits</td><td>11</td><td>8</td></tr>
 * <tr><td>largest number</td><td>65504</td><td>(2 − 2⁻⁷)·2¹²⁷ ≈ 3.39·10³⁸</td></tr>
 * <tr><td>smallest normal number</td><td>2⁻¹⁴</td><td>2⁻¹²⁶</td></tr>
 * <tr><td>smallest subnormal number</td><td>2⁻²⁴</td><td>2⁻¹³³</td></tr>
 * </table>
 *
 * <p>Rounding is to nearest, ties to even, in one step from the double. (Through a float it could round twice.) Numbers from half
 * a step above the largest on become ±∞: 65520 in float16. Below half the smallest subnormal they become 0 with their sign. NaN
 * stays NaN,
 * and ±0 and ±∞ stay.
 *
 * <p>Sources: IEEE 754-2019, §3.6 (binary16) and §4.3.1 (rounding); bfloat16 is the upper half of binary32.
 */
public final class Half {
    private Half() { }

    /**
     * The nearest float16.
     *
     * @param x any double
     * @return x rounded
     */
    public static double float16(double x) {
        return round(x, 11, -14, 65504);
    }

    /**
     * The nearest bfloat16.
     *
     * @param x any double
     * @return x rounded
     */
    public static double bfloat16(double x) {
        return round(x, 8, -126, 0x1.fep127);
    }

    /**
     * {@link #float16(double)} of every entry.
     *
     * @param X of doubles, not empty; not modified
     * @return a new matrix of the same shape
     * @throws IllegalArgumentException if X is empty or holds floats
     */
    public static SimpleMatrix float16(SimpleMatrix X) {
        return each(X, Half::float16);
    }

    /**
     * {@link #bfloat16(double)} of every entry.
     *
     * @param X of doubles, not empty; not modified
     * @return a new matrix of the same shape
     * @throws IllegalArgumentException if X is empty or holds floats
     */
    public static SimpleMatrix bfloat16(SimpleMatrix X) {
        return each(X, Half::bfloat16);
    }

    private static double round(double x, int bits, int smallestExponent, double largest) {
        int exponent = Math.max(Math.getExponent(x), smallestExponent); // of NaN and ±∞: 1024, which changes neither below
        double step = Math.scalb(1.0, exponent - (bits - 1)); // between neighbours near x; a power of 2, so x / step is exact
        double rounded = Math.rint(x / step) * step; // rint: ties to even, and the sign of 0 stays
        return Math.abs(rounded) > largest ? Math.copySign(Double.POSITIVE_INFINITY, x) : rounded;
    }

    private static SimpleMatrix each(SimpleMatrix X, DoubleUnaryOperator rounding) {
        DMatrixRMaj out = Matrices.dense("X", X).copy();
        for (int i = 0; i < out.data.length; i++) {
            out.data[i] = rounding.applyAsDouble(out.data[i]);
        }
        return SimpleMatrix.wrap(out);
    }
}
