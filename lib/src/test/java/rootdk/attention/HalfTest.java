package rootdk.attention;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static rootdk.attention.Cases.assertMessage;
import static rootdk.attention.Cases.data;
import static rootdk.attention.Cases.matrix;

import java.util.function.DoubleUnaryOperator;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class HalfTest {
    private static final double INF = Double.POSITIVE_INFINITY;

    @Test
    void byHand() {
        // float16 has steps of 2⁻¹⁰ from 1 to 2, and of 2 from 2048 to 4096.
        assertEquals(1, Half.float16(1 + 0x1p-11), "a tie goes to the even neighbour");
        assertEquals(1 + 0x1p-9, Half.float16(1 + 3 * 0x1p-11));
        assertEquals(2048, Half.float16(2049));
        assertEquals(2052, Half.float16(2051));
        assertEquals(0.0999755859375, Half.float16(0.1), "Python with NumPy 2.4.6: float(numpy.float16(0.1))");
        assertEquals(0.10009765625, Half.bfloat16(0.1));
        assertEquals(256, Half.bfloat16(257));
        assertEquals(-260, Half.bfloat16(-259));
    }

    @Test
    void theEdgesOfTheRange() {
        assertEquals(65504, Half.float16(Math.nextDown(65520.0)));
        assertEquals(INF, Half.float16(65520), "half a step above the largest: the tie goes to the even one, which is ∞");
        assertEquals(-INF, Half.float16(-1e300));
        assertEquals(0x1p-24, Half.float16(Math.nextUp(0x1p-25)));
        assertEquals(0.0, Half.float16(0x1p-25), "a tie with 0");
        assertEquals(-0.0, Half.float16(-0x1p-25), "and the sign stays");
        assertEquals(-0.0, Half.float16(-0.0));
        assertEquals(0.0, Half.float16(Double.MIN_VALUE));
        assertEquals(INF, Half.float16(INF));
        assertEquals(Double.NaN, Half.float16(Double.NaN));
        assertEquals(0x1.fep127, Half.bfloat16(Math.nextDown(0x1.ffp127)));
        assertEquals(INF, Half.bfloat16(0x1.ffp127));
        assertEquals(0x1p-133, Half.bfloat16(Math.nextUp(0x1p-134)));
        assertEquals(-0.0, Half.bfloat16(-0x1p-134));
        assertEquals(-INF, Half.bfloat16(-Double.MAX_VALUE));
        assertEquals(Double.NaN, Half.bfloat16(Double.NaN));
    }

    /** 1 + 2⁻¹¹ + 2⁻⁴⁰ is above the tie; rounded to float first it would be the tie, and then 1. */
    @Test
    void roundsOnce() {
        assertEquals(1 + 0x1p-10, Half.float16(1 + 0x1p-11 + 0x1p-40));
        assertEquals(1 + 0x1p-7, Half.bfloat16(1 + 0x1p-8 + 0x1p-40));
    }

    /** Sign 1, exponent 5, fraction 10 bits: read from the bits as the standard says. */
    private static double float16OfBits(int bits) {
        int exponent = bits >> 10 & 31;
        int fraction = bits & 1023;
        double magnitude = exponent == 31 ? (fraction == 0 ? INF : Double.NaN)
                : exponent == 0 ? fraction * Math.pow(2, -24) : (1024 + fraction) * Math.pow(2, exponent - 25);
        return bits >> 15 == 1 ? -magnitude : magnitude;
    }

    @Test
    void everyFloat16AndEveryTie() {
        everyPattern(Half::float16, HalfTest::float16OfBits, 0x7c00);
    }

    @Test
    void everyBfloat16AndEveryTie() {
        everyPattern(Half::bfloat16, bits -> Float.intBitsToFloat(bits << 16), 0x7f80);
    }

    /**
     * All 65536 patterns round to themselves; between neighbours, up to ∞, everything goes to the nearer one, the tie to the
     * even pattern.
     */
    private static void everyPattern(DoubleUnaryOperator round, IntToDoubleFunction value, int infinity) {
        for (int bits = 0; bits < 65536; bits++) {
            assertEquals(value.applyAsDouble(bits), round.applyAsDouble(value.applyAsDouble(bits)));
        }
        for (int bits = 0; bits < infinity; bits++) {
            double low = value.applyAsDouble(bits);
            double high = value.applyAsDouble(bits + 1);
            double next = high == INF ? low + (low - value.applyAsDouble(bits - 1)) : high; // where the format would go on
            double tie = low + (next - low) / 2;
            for (int sign = -1; sign <= 1; sign += 2) {
                assertEquals(sign * (bits % 2 == 0 ? low : high), round.applyAsDouble(sign * tie));
                assertEquals(sign * low, round.applyAsDouble(sign * Math.nextDown(tie)));
                assertEquals(sign * high, round.applyAsDouble(sign * Math.nextUp(tie)));
            }
        }
    }

    @Test
    void matrices() {
        assertArrayEquals(new double[] {1, 65504, INF, -0.0},
                data(Half.float16(matrix(new double[] {1.0001, 65510}, new double[] {7e4, -1e-9}))));
        assertArrayEquals(new double[] {256, 1}, data(Half.bfloat16(matrix(new double[] {257, 1.001}))));
        assertMessage("X is null: it must be a matrix", () -> Half.float16(null));
        assertMessage("X is null: it must be a matrix", () -> Half.bfloat16(null));
    }
}
