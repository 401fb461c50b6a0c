package rootdk.attention;

import org.ejml.data.DMatrixRMaj;
import org.ejml.simple.SimpleMatrix;

/**
 * How scores become logits, and so weights. The order is fixed, whatever the order of the calls that set it up:
 * <ol>
 * <li><em>scale</em>: u = score / divisor;
 * <li><em>cap</em>: u ← c·tanh(u / c), so |u| ≤ c and small u stay as they are ({@link #cap});
 * <li><em>bias</em>: u ← u + B[i][j] ({@link #bias});
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
    private final boolean[][] mask; // null: none
    private final boolean causal;
    private final double sink; // −∞: none

    private Logits(double divisor, double cap, DMatrixRMaj bias, boolean[][] mask, boolean causal, double sink) {
        this.divisor = divisor;
        this.cap = cap;
        this.bias = bias;
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
        return new Logits(divisor, Double.POSITIVE_INFINITY, null, null, false, Double.NEGATIVE_INFINITY);
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
        requireUnset(cap == Double.POSITIVE_INFINITY, "cap", "give one number");
        return new Logits(divisor, c, bias, mask, causal, sink);
    }

    /**
     * An additive bias, such as {@link Alibi#bias}: not divided by the divisor and not capped. −∞ masks its position; NaN or +∞ in
     * a position that is not masked makes the row NaN.
     *
     * @param B nQ × nK; copied
     * @return these steps with the bias
     * @throws IllegalArgumentException if B is empty or holds floats; a wrong shape is found when scores are there
     * @throws IllegalStateException if there is a bias already
     */
    public Logits bias(SimpleMatrix B) {
        DMatrixRMaj copy = Matrices.dense("bias", B).copy();
        requireUnset(bias == null, "bias", "add the two matrices first: B1.plus(B2)");
        return new Logits(divisor, cap, copy, mask, causal, sink);
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
        return new Logits(divisor, cap, bias, copy, causal, sink);
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
        return new Logits(divisor, cap, bias, mask, true, sink);
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
        return new Logits(divisor, cap, bias, mask, causal, z);
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
                out[at] = seen == null || seen[at] ? logit(s.data[at], i, j) : Double.NEGATIVE_INFINITY;
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

    /** Steps 1 to 3, for a position that is not masked. */
    double logit(double score, int i, int j) {
        double u = score / divisor;
        if (cap != Double.POSITIVE_INFINITY) {
            u = cap * StrictMath.tanh(u / cap);
        }
        return bias == null ? u : u + bias.data[i * bias.numCols + j];
    }

    /** ∂L/∂score from ∂L/∂logit, for a position that is not masked. */
    double backward(double dLogit, double score) {
        if (cap != Double.POSITIVE_INFINITY) {
            double cosh = StrictMath.cosh(score / divisor / cap); // 1/cosh² keeps its digits where 1 − tanh² has none
            dLogit = dLogit / cosh / cosh;
        }
        return dLogit / divisor;
    }

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
        return "divisor " + divisor + (cap == Double.POSITIVE_INFINITY ? "" : ", cap " + cap)
                + (bias == null ? "" : ", bias " + bias.numRows + " × " + bias.numCols)
                + (mask == null ? "" : ", mask " + mask.length + " × " + mask[0].length)
                + (causal ? ", causal" : "") + (hasSink() ? ", sink " + sink : "");
    }
}
