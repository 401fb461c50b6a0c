package rootdk.attention;

import org.ejml.data.DMatrixRMaj;
import org.ejml.simple.SimpleMatrix;

/**
 * How scores become logits, and so weights. The order is fixed, whatever the order of the calls that set it up:
 * <ol>
 * <li><em>scale</em>: u = score / divisor;
 * <li><em>cap</em>: u ← c·tanh(u / c), so |u| ≤ c and small u stay as they are ({@link #cap});
 * <li><em>bias</em>: u ← u + B[i][j] ({@link #bias}), or u ← u − slope · distance ({@link #alibi});
 * <li><em>mask</em>: u ← −∞ where query i may not attend to key j ({@link #mask}, {@link #causal}, and where B[i][j] is −∞);
 * <li><em>softmax</em> of each row, with the sink as one more logit if there is one ({@link #sink}).
 * </ol>
 * For example {@code Logits.dividedBy(Scale.sqrt(dK)).cap(50).causal()}.
 *
 * <p><strong>Masked positions.</strong> What stands in a masked position is never read: a NaN or an infinity there, in the score,
 * the bias, or the value and key of a masked key, reaches neither the results nor the gradients of {@link Attention} and
 * {@link TiledAttention}. The weight is exactly 0 and so is every gradient. A row in which every key is masked has zero weights,
 * zero output and zero gradients, with or without a sink. A score of −∞ that no mask covers also gets weight 0, but is computed
 * with like any number.
 *
 * <p>Immutable: each step returns a new instance and leaves this one as it is; each step can be set once. Applying costs
 * O(nQ · nK) and one tanh for each score if there is a cap.
 *
 * <p>Sources: scale, Vaswani et al. 2017, "Attention Is All You Need", §3.2.1; cap, Gemma Team 2024, "Gemma 2", §2 (logit
 * soft-capping); sink, as one learned logit per head without a value, in OpenAI's gpt-oss (2025).
 */
public final class Logits {
    private final double divisor;
    private final double cap; // +∞: none
    private final DMatrixRMaj bias; // null: none
    private final double slope; // of ALiBi; 0: none
    private final boolean[][] mask; // null: none
    private final boolean causal;
    private final double sink; // −∞: none

    private Logits(double divisor, double cap, DMatrixRMaj bias, double slope, boolean[][] mask, boolean causal, double sink) {
        this.divisor = divisor;
        this.cap = cap;
        this.bias = bias;
        this.slope = slope;
        this.mask = mask;
        this.causal = causal;
        this.sink = sink;
    }

    /**
     * score / divisor and nothing else, until further steps are added.
     *
     * @param divisor finite and above 0, for example {@code Scale.sqrt(dK)}; 1 for unscaled attention
     * @return the first step
     * @throws IllegalArgumentException if the divisor is not finite and above 0
     */
    public static Logits dividedBy(double divisor) {
        Softmax.requirePositive("divisor", divisor);
        return new Logits(divisor, Double.POSITIVE_INFINITY, null, 0, null, false, Double.NEGATIVE_INFINITY);
    }

    /**
     * The soft cap c·tanh(u / c), applied after the divisor and before bias and mask. A score of ±∞ becomes ±c, a NaN stays.
     * Its derivative is 1 / cosh²(u / c).
     *
     * @param c the largest logit, finite and above 0: 50 in Gemma 2
     * @return these steps with the cap
     * @throws IllegalArgumentException if c is not finite and above 0
     * @throws IllegalStateException if there is a cap already
     */
    public Logits cap(double c) {
        Softmax.requirePositive("cap", c);
        requireUnset(!hasCap(), "cap", "give one number");
        return new Logits(divisor, c, bias, slope, mask, causal, sink);
    }

    /**
     * An additive bias: not divided by the divisor and not capped. −∞ masks its position; NaN or +∞ in
     * a position that is not masked makes the row NaN.
     *
     * @param B nQ × nK; copied
     * @return these steps with the bias
     * @throws IllegalArgumentException if B is empty or holds floats; a wrong shape is found when scores are there
     * @throws IllegalStateException if there is a bias already
     */
    public Logits bias(SimpleMatrix B) {
        DMatrixRMaj copy = Matrices.dense("bias", B).copy();
        requireNoBias();
        return new Logits(divisor, cap, copy, slope, mask, causal, sink);
    }

    /**
     * The bias of ALiBi by its rule, −slope · |i + nK − nQ − j|: the same logits as {@code bias(Alibi.bias(slope, nQ, nK))}, but no
     * matrix, so that {@link TiledAttention} stays within O(N · d) memory. There is nothing to learn in it, so it has no gradient: dBias
     * is empty in {@link TiledAttention.Gradients}.
     *
     * @param slope finite and above 0, one of {@link Alibi#slopes}
     * @return these steps with the bias
     * @throws IllegalArgumentException if slope is not finite and above 0
     * @throws IllegalStateException if there is a bias already
     */
    public Logits alibi(double slope) {
        Softmax.requirePositive("slope", slope);
        requireNoBias();
        return new Logits(divisor, cap, bias, slope, mask, causal, sink);
    }

    private void requireNoBias() {
        requireUnset(bias == null && slope == 0, "bias", "add the two matrices first: B1.plus(B2), with Alibi.bias for that of ALiBi");
    }

    /**
     * A mask: query i attends only to keys j with {@code mayAttend[i][j]}. With {@link #causal} both must allow.
     *
     * @param mayAttend nQ rows of nK entries, true where query i <em>may</em> attend to key j; copied
     * @return these steps with the mask
     * @throws IllegalArgumentException if there is no entry, or the rows have different lengths
     * @throws IllegalStateException if there is a mask already
     */
    public Logits mask(boolean[][] mayAttend) {
        if (mayAttend == null) {
            throw new NullPointerException("mask is null: it must be n_q rows of n_k entries, true where a query may attend");
        }
        boolean[][] copy = new boolean[mayAttend.length][];
        for (int i = 0; i < copy.length; i++) {
            if (mayAttend[i] == null) {
                throw new NullPointerException("mask[" + i + "] is null: each row must have n_k entries");
            }
            copy[i] = mayAttend[i].clone();
            if (copy[i].length != copy[0].length) {
                throw new IllegalArgumentException("mask[" + i + "] has " + copy[i].length + " entries, mask[0] has "
                        + copy[0].length + ": each row must have n_k entries");
            }
        }
        if (copy.length == 0 || copy[0].length == 0) {
            throw new IllegalArgumentException("mask is empty: it must have at least one row and one column");
        }
        requireUnset(mask == null, "mask", "combine the two first, entry by entry with &&");
        return new Logits(divisor, cap, bias, slope, copy, causal, sink);
    }

    /**
     * The causal mask, aligned at the bottom right: query i attends to keys j ≤ i + nK − nQ. The last query sees every key, as when
     * the queries are the newest of nK tokens and the older keys come from a cache. With nQ = nK that is j ≤ i. With nQ &gt; nK
     * the first nQ − nK queries see no key and are fully masked rows. (PyTorch's {@code is_causal=True} aligns at the top
     * left, j ≤ i, which differs when nQ ≠ nK.)
     *
     * @return these steps with the causal mask; a second call changes nothing
     */
    public Logits causal() {
        return new Logits(divisor, cap, bias, slope, mask, true, sink);
    }

    /**
     * An attention sink: one more logit z in every row, which takes the weight e^z / (e^z + Σ_j e^{s_j}) and has no value, so the
     * row's weights sum to less than 1 and a query can attend to nothing. It is neither scaled, capped nor masked.
     * z = 0 is softmax with 1 added to the denominator.
     *
     * @param z the sink's logit, finite
     * @return these steps with the sink
     * @throws IllegalArgumentException if z is not finite
     * @throws IllegalStateException if there is a sink already
     */
    public Logits sink(double z) {
        if (!Double.isFinite(z)) {
            throw new IllegalArgumentException("sink is " + z + ": it must be finite. For no sink, leave this step out");
        }
        requireUnset(sink == Double.NEGATIVE_INFINITY, "sink", "give one number");
        return new Logits(divisor, cap, bias, slope, mask, causal, z);
    }

    private static void requireUnset(boolean unset, String name, String wayOut) {
        if (!unset) {
            throw new IllegalStateException(name + " is set already: " + wayOut);
        }
    }

    /**
     * What the scores are divided by.
     *
     * @return the divisor, finite and above 0
     */
    public double divisor() {
        return divisor;
    }

    /**
     * Steps 1 to 4: the logits of the given scores, −∞ where masked. The sink is not among them. O(nQ · nK).
     *
     * @param scores QKᵀ, nQ × nK; not modified
     * @return a new nQ × nK matrix
     * @throws IllegalArgumentException if the bias or the mask has another shape, or scores is empty or holds floats
     */
    public SimpleMatrix of(SimpleMatrix scores) {
        DMatrixRMaj s = Matrices.dense("scores", scores);
        requireShapes(s.numRows, s.numCols);
        boolean[] seen = seen(s.numRows, s.numCols);
        double[] out = new double[s.data.length];
        for (int i = 0; i < s.numRows; i++) {
            for (int j = 0; j < s.numCols; j++) {
                int at = i * s.numCols + j;
                out[at] = seen == null || seen[at] ? ofScaled(s.data[at] / divisor, i, j, s.numRows, s.numCols) : Double.NEGATIVE_INFINITY;
            }
        }
        return SimpleMatrix.wrap(DMatrixRMaj.wrap(s.numRows, s.numCols, out));
    }

    void requireShapes(int nQ, int nK) {
        if (bias != null) {
            Matrices.requireShape("bias", SimpleMatrix.wrap(bias), nQ, nK, "n_q × n_k");
        }
        if (mask != null && (mask.length != nQ || mask[0].length != nK)) {
            throw new IllegalArgumentException("mask is " + mask.length + " × " + mask[0].length + ": it must be "
                    + nQ + " × " + nK + " (n_q × n_k)");
        }
    }

    /** Whether query i may attend to key j. */
    boolean sees(int i, int j, int nQ, int nK) {
        return j < keysBefore(i, nQ, nK) && (mask == null || mask[i][j])
                && (bias == null || bias.data[i * nK + j] != Double.NEGATIVE_INFINITY);
    }

    /** The number of first keys that the causal mask leaves to query i; nK without it. */
    int keysBefore(int i, int nQ, int nK) {
        return causal ? Math.max(0, i + nK - nQ + 1) : nK;
    }

    /** {@link #sees} of every position, row by row; null if nothing is masked. */
    boolean[] seen(int nQ, int nK) {
        if (mask == null && !causal && bias == null) {
            return null;
        }
        boolean[] seen = new boolean[nQ * nK];
        for (int i = 0; i < nQ; i++) {
            for (int j = 0; j < nK; j++) {
                seen[i * nK + j] = sees(i, j, nQ, nK);
            }
        }
        return seen;
    }

    /** Whether a position among these queries and keys is masked. */
    boolean masksAny(int firstQuery, int queries, int firstKey, int keys, int nQ, int nK) {
        if (firstKey + keys > keysBefore(firstQuery, nQ, nK)) {
            return true; // the first query sees the fewest keys
        }
        for (int i = firstQuery; (mask != null || bias != null) && i < firstQuery + queries; i++) {
            for (int j = firstKey; j < firstKey + keys; j++) {
                if (!sees(i, j, nQ, nK)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Steps 2 and 3, cap and bias, for a position that is not masked; u is the score divided by the divisor. */
    double ofScaled(double u, int i, int j, int nQ, int nK) {
        if (hasCap()) {
            u = cap * StrictMath.tanh(u / cap);
        }
        if (slope != 0) {
            u += Alibi.bias(slope, i, j, nQ, nK);
        }
        return bias == null ? u : u + bias.data[i * nK + j];
    }

    /** Whether there is a step 2 or 3. */
    boolean hasMoreThanScale() {
        return hasCap() || bias != null || slope != 0;
    }

    /** ∂L/∂score from ∂L/∂logit, for a position that is not masked. */
    double backward(double dLogit, double score) {
        return throughCap(dLogit, score / divisor) / divisor;
    }

    /** ∂L/∂u from ∂L/∂logit, for u = score / divisor. */
    double throughCap(double dLogit, double u) {
        if (!hasCap()) {
            return dLogit;
        }
        double cosh = StrictMath.cosh(u / cap); // 1/cosh² keeps its digits where 1 − tanh² has none
        return dLogit / cosh / cosh;
    }

    boolean hasCap() {
        return cap != Double.POSITIVE_INFINITY;
    }

    /** Whether there is a bias matrix, which has a gradient. */
    boolean hasBias() {
        return bias != null;
    }

    boolean hasSink() {
        return sink != Double.NEGATIVE_INFINITY;
    }

    /** The sink's logit; −∞, which changes no softmax, if there is none. */
    double sinkLogit() {
        return sink;
    }

    /** The steps in their order, such as {@code divisor 8.0, cap 50.0, bias 4 × 5, mask 4 × 5, causal, sink 0.0}. */
    @Override
    public String toString() {
        return "divisor " + divisor + (hasCap() ? ", cap " + cap : "")
                + (bias == null ? "" : ", bias " + bias.numRows + " × " + bias.numCols)
                + (slope == 0 ? "" : ", ALiBi slope " + slope)
                + (mask == null ? "" : ", mask " + mask.length + " × " + mask[0].length)
                + (causal ? ", causal" : "") + (hasSink() ? ", sink " + sink : "");
    }
}
