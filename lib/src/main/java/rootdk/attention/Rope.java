package rootdk.attention;

import org.ejml.data.DMatrixRMaj;
import org.ejml.simple.SimpleMatrix;

/**
 * Rotary position embedding: row i of X stands at position m = offset + i, and its components are rotated in pairs. Pair t, for
 * t = 0 … dK/2 − 1, turns by the angle m·θ_t with θ_t = base^(−2t/dK):
 * <pre>
 * y_a = f·(x_a cos mθ_t − x_b sin mθ_t)
 * y_b = f·(x_a sin mθ_t + x_b cos mθ_t)
 * </pre>
 * The two components of a pair are (a, b) = (2t, 2t + 1) in the interleaved layout, that of the paper, and (t, t + dK/2) in the
 * half-split layout, that of GPT-NeoX and Hugging Face's LLaMA. The layouts differ by a permutation of the components
 * ({@link #toHalfSplit}, {@link #toInterleaved}), which leaves q · k as it is if both use the same one.
 *
 * <p>The product of a rotated query at position m and a rotated key at position n depends on n − m only. The factor f is 1 unless
 * {@link #factor} sets it; otherwise every product is multiplied by f².
 *
 * <p>Angles and their sines are computed in doubles, so an angle has an absolute error of about |m|·2⁻⁵³. NaN or ±∞ stays within
 * its pair. Immutable.
 *
 * <p>Sources: Su et al. 2021, "RoFormer", §3.2.2; the factor, Peng et al. 2023, "YaRN", and {@code get_mscale} in the authors' code,
 * github.com/jquesnelle/yarn, scaled_rope/LlamaYaRNScaledRotaryEmbedding.py.
 */
public final class Rope {
    private final int dK;
    private final boolean interleaved;
    private final double base;
    private final int offset;
    private final double factor;

    private Rope(int dK, boolean interleaved, double base, int offset, double factor) {
        this.dK = dK;
        this.interleaved = interleaved;
        this.base = base;
        this.offset = offset;
        this.factor = factor;
    }

    /**
     * Pairs (2t, 2t + 1), base 10000, offset 0, factor 1.
     *
     * @param dK the number of components, even and at least 2
     * @return the embedding
     * @throws IllegalArgumentException if dK is odd or below 2
     */
    public static Rope interleaved(int dK) {
        requireEven("d_k is " + dK, dK);
        return new Rope(dK, true, 10_000, 0, 1);
    }

    /**
     * Pairs (t, t + dK/2), base 10000, offset 0, factor 1.
     *
     * @param dK the number of components, even and at least 2
     * @return the embedding
     * @throws IllegalArgumentException if dK is odd or below 2
     */
    public static Rope halfSplit(int dK) {
        requireEven("d_k is " + dK, dK);
        return new Rope(dK, false, 10_000, 0, 1);
    }

    /**
     * Another base: the larger, the slower the last pairs turn.
     *
     * @param base finite and above 0; 10000 in the paper
     * @return this embedding with that base
     * @throws IllegalArgumentException if base is not finite and above 0
     */
    public Rope base(double base) {
        Softmax.requirePositive("base", base);
        return new Rope(dK, interleaved, base, offset, factor);
    }

    /**
     * Another position of the first row, for queries that follow a cache of {@code offset} keys.
     *
     * @param offset the position of row 0, any integer; positions must stay within int
     * @return this embedding with that offset
     */
    public Rope offset(int offset) {
        return new Rope(dK, interleaved, base, offset, factor);
    }

    /**
     * A factor f on every rotated vector: the logits are multiplied by f² if queries and keys both have it.
     *
     * @param f finite and above 0, for example {@link #yarnFactor}
     * @return this embedding with that factor
     * @throws IllegalArgumentException if f is not finite and above 0
     */
    public Rope factor(double f) {
        Softmax.requirePositive("factor", f);
        return new Rope(dK, interleaved, base, offset, f);
    }

    /**
     * YaRN's factor for a context s times as long as in training: √(1/t) = 0.1 ln s + 1, and 1 for s ≤ 1. Both q and k are
     * multiplied by it, so the logits by its square, the inverse temperature 1/t. (YaRN also changes the angles, which this
     * class does not.)
     *
     * @param s the ratio of the new context length to the old, finite and above 0
     * @return the factor, at least 1
     * @throws IllegalArgumentException if s is not finite and above 0
     */
    public static double yarnFactor(double s) {
        Softmax.requirePositive("s", s);
        return s <= 1 ? 1 : 0.1 * StrictMath.log(s) + 1;
    }

    /**
     * The rotated rows. O(n · dK), with one sine and cosine for each pair.
     *
     * @param X queries or keys, n × dK; not modified
     * @return a new n × dK matrix
     * @throws IllegalArgumentException if X has not dK columns, is empty, holds floats, or a position is beyond int
     */
    public SimpleMatrix rotate(SimpleMatrix X) {
        return turn("X", X, 1, factor);
    }

    /**
     * The rows before {@link #rotate}: rotated back and divided by f. Undoes it to rounding. O(n · dK).
     *
     * @param Y rotated queries or keys, n × dK; not modified
     * @return a new n × dK matrix
     * @throws IllegalArgumentException if Y has not dK columns, is empty, holds floats, or a position is beyond int
     */
    public SimpleMatrix unrotate(SimpleMatrix Y) {
        return turn("Y", Y, -1, 1 / factor);
    }

    /**
     * The gradient of a loss L with respect to X from that with respect to Y = rotate(X). A rotation's transpose is its inverse, so
     * this turns back too, but multiplies by f. O(n · dK).
     *
     * @param dY ∂L/∂Y, n × dK; not modified
     * @return ∂L/∂X, a new n × dK matrix
     * @throws IllegalArgumentException if dY has not dK columns, is empty, holds floats, or a position is beyond int
     */
    public SimpleMatrix backward(SimpleMatrix dY) {
        return turn("dY", dY, -1, factor);
    }

    private SimpleMatrix turn(String name, SimpleMatrix m, int direction, double f) {
        DMatrixRMaj x = Matrices.dense(name, m);
        if (x.numCols != dK) {
            throw new IllegalArgumentException(name + " has " + x.numCols + " columns, this Rope has d_k = " + dK
                    + ": both must be d_k");
        }
        if ((long) offset + x.numRows - 1 > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("offset is " + offset + ", " + name + " has " + x.numRows + " rows: the last position "
                    + "is beyond " + Integer.MAX_VALUE);
        }
        double[] out = new double[x.data.length];
        for (int t = 0; t < dK / 2; t++) {
            double theta = StrictMath.pow(base, -2.0 * t / dK);
            int a = interleaved ? 2 * t : t;
            int b = interleaved ? 2 * t + 1 : t + dK / 2;
            for (int i = 0; i < x.numRows; i++) {
                double angle = direction * ((offset + i) * theta);
                double cos = f * StrictMath.cos(angle);
                double sin = f * StrictMath.sin(angle);
                double xa = x.data[i * dK + a];
                double xb = x.data[i * dK + b];
                out[i * dK + a] = xa * cos - xb * sin;
                out[i * dK + b] = xa * sin + xb * cos;
            }
        }
        return SimpleMatrix.wrap(DMatrixRMaj.wrap(x.numRows, dK, out));
    }

    /**
     * The columns 0, 2, 4, … and then 1, 3, 5, …: {@code halfSplit.rotate(toHalfSplit(X))} is
     * {@code toHalfSplit(interleaved.rotate(X))}.
     *
     * @param X rows in the interleaved layout, n × dK; not modified
     * @return the same rows in the half-split layout, a new n × dK matrix
     * @throws IllegalArgumentException if the number of columns is odd, or X is empty or holds floats
     */
    public static SimpleMatrix toHalfSplit(SimpleMatrix X) {
        return permute(X, true);
    }

    /**
     * The inverse of {@link #toHalfSplit}.
     *
     * @param X rows in the half-split layout, n × dK; not modified
     * @return the same rows in the interleaved layout, a new n × dK matrix
     * @throws IllegalArgumentException if the number of columns is odd, or X is empty or holds floats
     */
    public static SimpleMatrix toInterleaved(SimpleMatrix X) {
        return permute(X, false);
    }

    private static SimpleMatrix permute(SimpleMatrix X, boolean toHalves) {
        DMatrixRMaj x = Matrices.dense("X", X);
        int d = x.numCols;
        requireEven("X has " + d + " columns", d);
        double[] out = new double[x.data.length];
        for (int i = 0; i < x.numRows; i++) {
            for (int c = 0; c < d; c++) {
                int interleaved = i * d + c;
                int half = i * d + c / 2 + (c % 2) * (d / 2);
                out[toHalves ? half : interleaved] = x.data[toHalves ? interleaved : half];
            }
        }
        return SimpleMatrix.wrap(DMatrixRMaj.wrap(x.numRows, d, out));
    }

    private static void requireEven(String what, int dK) {
        if (dK < 2 || dK % 2 != 0) {
            throw new IllegalArgumentException(what + ": RoPE turns components in pairs, so d_k must be even and at least 2");
        }
    }

    /** Layout and numbers, such as {@code Rope: interleaved, d_k 64, base 10000.0, offset 0, factor 1.0}. */
    @Override
    public String toString() {
        return "Rope: " + (interleaved ? "interleaved" : "half-split") + ", d_k " + dK + ", base " + base + ", offset " + offset
                + ", factor " + factor;
    }
}
