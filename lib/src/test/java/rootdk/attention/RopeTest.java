package rootdk.attention;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rootdk.attention.Cases.assertClose;
import static rootdk.attention.Cases.assertMessage;
import static rootdk.attention.Cases.centralDifferences;
import static rootdk.attention.Cases.data;
import static rootdk.attention.Cases.matrix;

import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import rootdk.stats.Draws;

/** That products depend on the distance only is in AttentionPropertiesTest. */
class RopeTest {
    /** d_k = 4, base 10000: θ = 1 and 0.01. Position 0 stays, position 1 turns by 1 and 0.01 radians. */
    @Test
    void byHand() {
        SimpleMatrix x = matrix(new double[] {1, 0, 0, 2}, new double[] {1, 0, 0, 2});
        double[] turned = {Math.cos(1), Math.sin(1), -2 * Math.sin(0.01), 2 * Math.cos(0.01)};
        SimpleMatrix y = Rope.interleaved(4).rotate(x);
        assertArrayEquals(new double[] {1, 0, 0, 2}, data(y.getRow(0)));
        assertArrayEquals(turned, data(y.getRow(1)), 1e-15);
        // half-split: the pairs are (0, 2) and (1, 3)
        SimpleMatrix z = Rope.halfSplit(4).rotate(matrix(new double[] {0, 0, 0, 0}, new double[] {1, 0, 0, 2}));
        assertArrayEquals(new double[] {Math.cos(1), -2 * Math.sin(0.01), Math.sin(1), 2 * Math.cos(0.01)}, data(z.getRow(1)), 1e-15);
    }

    /** The whole rotation as one d_k × d_k block matrix R_m, built from the paper's equation (15), times x. */
    @Test
    void agreesWithTheRotationMatrix() {
        Draws draws = Draws.of(1);
        for (int d = 2; d <= 10; d += 2) {
            SimpleMatrix x = draws.gaussianMatrix(3, d);
            SimpleMatrix y = Rope.interleaved(d).base(500).offset(7).rotate(x);
            for (int i = 0; i < 3; i++) {
                SimpleMatrix r = new SimpleMatrix(d, d);
                for (int t = 1; t <= d / 2; t++) {
                    double angle = (7 + i) * Math.pow(500, -2.0 * (t - 1) / d);
                    r.insertIntoThis(2 * t - 2, 2 * t - 2,
                            matrix(new double[] {Math.cos(angle), -Math.sin(angle)}, new double[] {Math.sin(angle), Math.cos(angle)}));
                }
                assertClose("d_k " + d, r.mult(x.getRow(i).transpose()), y.getRow(i).transpose(), 1e-14);
            }
        }
    }

    @Test
    void theLayoutsDifferByAPermutation() {
        SimpleMatrix x = matrix(new double[] {0, 1, 2, 3, 4, 5}, new double[] {10, 11, 12, 13, 14, 15});
        assertArrayEquals(new double[] {0, 2, 4, 1, 3, 5, 10, 12, 14, 11, 13, 15}, data(Rope.toHalfSplit(x)));
        assertArrayEquals(data(x), data(Rope.toInterleaved(Rope.toHalfSplit(x))));
        assertArrayEquals(data(Rope.toHalfSplit(Rope.interleaved(6).offset(3).rotate(x))),
                data(Rope.halfSplit(6).offset(3).rotate(Rope.toHalfSplit(x))));
    }

    @Test
    void theOffsetIsThePositionOfTheFirstRow() {
        SimpleMatrix x = Draws.of(2).gaussianMatrix(5, 6);
        Rope rope = Rope.halfSplit(6);
        assertArrayEquals(data(rope.rotate(x).rows(3, 5)), data(rope.offset(3).rotate(x.rows(3, 5))));
    }

    @Test
    void unrotateUndoesAndBackwardIsTheTranspose() {
        Draws draws = Draws.of(3);
        SimpleMatrix x = draws.gaussianMatrix(4, 6);
        SimpleMatrix up = draws.gaussianMatrix(4, 6);
        for (Rope rope : new Rope[] {Rope.interleaved(6).offset(-5).factor(1.5), Rope.halfSplit(6).factor(0.25)}) {
            assertClose("undone", x, rope.unrotate(rope.rotate(x)), 1e-14);
            // linear in z, so without an h² error
            SimpleMatrix expected = centralDifferences(x, 1e-3, z -> rope.rotate(z).elementMult(up).elementSum());
            assertClose("backward", expected, rope.backward(up), 1e-11);
        }
    }

    /** 0.1 ln 8 + 1 = 1.20794415416798 (Python: 0.1*math.log(8)+1); logits are multiplied by its square. */
    @Test
    void yarn() {
        assertEquals(1.20794415416798, Rope.yarnFactor(8), 1e-14);
        assertEquals(1, Rope.yarnFactor(1));
        assertEquals(1, Rope.yarnFactor(0.5), "a shorter context: no factor, as in the authors' code");
        Draws draws = Draws.of(4);
        SimpleMatrix q = draws.gaussianMatrix(1, 4);
        SimpleMatrix k = draws.gaussianMatrix(1, 4);
        Rope plain = Rope.interleaved(4).offset(9);
        Rope yarn = plain.factor(Rope.yarnFactor(8));
        assertEquals(1.20794415416798 * 1.20794415416798 * plain.rotate(q).dot(plain.rotate(k)),
                yarn.rotate(q).dot(yarn.rotate(k)), 1e-13);
    }

    @Test
    void aNanStaysInItsPair() {
        double[] y = data(Rope.interleaved(4).offset(1).rotate(matrix(new double[] {1, 1, Double.NaN, 1})));
        assertTrue(Double.isFinite(y[0]) && Double.isFinite(y[1]) && Double.isNaN(y[2]) && Double.isNaN(y[3]));
    }

    @Test
    void badInput() {
        String even = ": RoPE turns components in pairs, so d_k must be even and at least 2";
        assertMessage("d_k is 7" + even, () -> Rope.interleaved(7));
        assertMessage("d_k is 0" + even, () -> Rope.halfSplit(0));
        assertMessage("X has 3 columns" + even, () -> Rope.toHalfSplit(new SimpleMatrix(1, 3)));
        assertMessage("X has 3 columns" + even, () -> Rope.toInterleaved(new SimpleMatrix(1, 3)));
        Rope rope = Rope.interleaved(4);
        assertMessage("X has 6 columns, this Rope has d_k = 4: both must be d_k", () -> rope.rotate(new SimpleMatrix(2, 6)));
        assertMessage("dY has 2 columns, this Rope has d_k = 4: both must be d_k", () -> rope.backward(new SimpleMatrix(2, 2)));
        assertMessage("Y is null: it must be a matrix", () -> rope.unrotate(null));
        assertMessage("base is 0.0: it must be finite and above 0", () -> rope.base(0));
        assertMessage("factor is NaN: it must be finite and above 0", () -> rope.factor(Double.NaN));
        assertMessage("s is -1.0: it must be finite and above 0", () -> Rope.yarnFactor(-1));
        assertMessage("offset is 2147483646, X has 3 rows: the last position is beyond 2147483647",
                () -> rope.offset(2147483646).rotate(new SimpleMatrix(3, 4)));
        assertEquals(2, rope.offset(2147483646).rotate(new SimpleMatrix(2, 4)).getNumRows());
        assertEquals("Rope: half-split, d_k 4, base 500.0, offset 3, factor 2.0",
                Rope.halfSplit(4).base(500).offset(3).factor(2).toString());
        assertEquals("Rope: interleaved, d_k 4, base 10000.0, offset 0, factor 1.0", rope.toString());
    }
}
