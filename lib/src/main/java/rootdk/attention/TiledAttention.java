package rootdk.attention;

import java.util.Locale;
import java.util.Optional;
import org.ejml.data.DMatrixRMaj;
import org.ejml.simple.SimpleMatrix;

/**
 * The same attention as {@link Attention}, forward and backward, without ever holding an nQ × nK matrix: the keys are taken a
 * tile at a time, and each row keeps its running maximum and sum ({@link StreamingSoftmax}) and its output so far. When a row's
 * maximum grows from m to m′, its output so far is multiplied by e^{m − m′}. The backward pass computes the weights again from the
 * maximum and sum.
 *
 * <p>Memory: the output, two numbers for each query, and one row of {@code tile} logits: O(nQ · dV + tile) beside Q, K and V, which
 * are kept and not copied: leave them as they are until the last {@link #backward}, or it answers for other numbers. Time is that
 * of {@link Attention}; the backward pass computes the scores and exponentials once more. Positions behind the causal mask are
 * skipped. A bias or a mask in the rule is an nQ × nK matrix of its own.
 *
 * <p>Equal to {@link Attention} to rounding, for every tile size. Two differences at the edge of the number range: values near
 * 10³⁰⁸ / nK can overflow here, as they are summed before they are divided; and dQ, dK have an absolute error of some ε·max|dOutput·V|,
 * where {@code Attention} keeps relative accuracy when a row is nearly one-hot.
 *
 * <p>Changes none of its arguments. {@link #output} is not a copy: treat it as read-only.
 *
 * <p>Source: Dao et al. 2022, "FlashAttention", Algorithm 1 (forward) and Appendix B.2 (backward): the outer loop over keys, the
 * inner over queries.
 */
public final class TiledAttention {
    private final DMatrixRMaj Q;
    private final DMatrixRMaj K;
    private final DMatrixRMaj V;
    private final Logits rule;
    private final int tile;
    private final DMatrixRMaj output;
    private final StreamingSoftmax[] rows;

    private TiledAttention(SimpleMatrix Q, SimpleMatrix K, SimpleMatrix V, Logits rule, int tile) {
        Attention.checkInputs(Q, K, V, rule);
        if (tile < 1) {
            throw new IllegalArgumentException("tile is " + tile + ": it must be at least 1 key");
        }
        this.Q = Q.getDDRM();
        this.K = K.getDDRM();
        this.V = V.getDDRM();
        this.rule = rule;
        this.tile = Math.min(tile, K.getNumRows());
        this.output = new DMatrixRMaj(Q.getNumRows(), V.getNumCols());
        this.rows = new StreamingSoftmax[Q.getNumRows()];
    }

    /**
     * Attention with scale, cap, bias, mask and sink, in that order ({@link Logits}), tile by tile. NaN, ±∞ and fully masked rows as in
     * {@link Attention#forward(SimpleMatrix, SimpleMatrix, SimpleMatrix, Logits)}. O(nQ · nK · (dK + dV)).
     *
     * @param Q nQ × dK; kept, not copied
     * @param K nK × dK; kept, not copied
     * @param V nK × dV; kept, not copied
     * @param rule how scores become logits, for example {@code Logits.dividedBy(Scale.sqrt(dK)).causal()}
     * @param tile the number of keys taken at a time, at least 1; more than nK counts as nK. It changes rounding only; 32 to 256 suit a
     *     processor's cache
     * @return the attention with its output
     * @throws IllegalArgumentException if a shape does not fit, a matrix is empty or holds floats, or tile &lt; 1
     * @throws java.util.concurrent.CancellationException if the thread is interrupted
     */
    public static TiledAttention forward(SimpleMatrix Q, SimpleMatrix K, SimpleMatrix V, Logits rule, int tile) {
        TiledAttention a = new TiledAttention(Q, K, V, rule, tile);
        a.run();
        return a;
    }

    private void run() {
        int nQ = Q.numRows;
        int nK = K.numRows;
        int dK = Q.numCols;
        int dV = V.numCols;
        double[] out = output.data;
        double[] s = new double[tile];
        for (int i = 0; i < nQ; i++) {
            rows[i] = StreamingSoftmax.empty().add(rule.sinkLogit());
        }
        for (int number = 0; number <= (nK - 1) / tile; number++) {
            int first = number * tile;
            for (int i = 0; i < nQ; i++) {
                Matrices.stopIfInterrupted();
                int n = Math.min(Math.min(tile, nK - first), rule.keysBefore(i, nQ, nK) - first);
                if (n <= 0) {
                    continue; // saves time only
                }
                for (int j = 0; j < n; j++) {
                    s[j] = rule.sees(i, first + j, nQ, nK)
                            ? rule.logit(Matrices.dot(Q.data, i * dK, K.data, (first + j) * dK, dK), i, first + j)
                            : Double.NEGATIVE_INFINITY;
                }
                StreamingSoftmax before = rows[i];
                rows[i] = before.addKeepingExps(s, n);
                double growth = rows[i].growthFrom(before);
                for (int t = i * dV; t < (i + 1) * dV; t++) {
                    out[t] *= growth;
                }
                for (int j = 0; j < n; j++) {
                    if (rule.sees(i, first + j, nQ, nK)) {
                        Matrices.addScaled(s[j], V.data, (first + j) * dV, out, i * dV, dV);
                    }
                }
            }
        }
        for (int i = 0; i < nQ; i++) {
            for (int t = i * dV; t < (i + 1) * dV; t++) {
                out[t] = rows[i].sum() == 0 ? out[t] : out[t] / rows[i].sum(); // sum 0: out is 0
            }
        }
    }

    /**
     * weights · V, nQ × dV.
     *
     * @return the output, not a copy
     */
    public SimpleMatrix output() {
        return SimpleMatrix.wrap(output);
    }

    /**
     * log Σ_j e^{logit_j} of each row, with the sink if there is one: weight_ij = e^{logit_ij − logSumExp_i}.
     *
     * @return a new array of nQ numbers; −∞ for a fully masked row without a sink, NaN for a NaN row
     */
    public double[] logSumExp() {
        double[] out = new double[rows.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = rows[i].logSumExp();
        }
        return out;
    }

    /**
     * The gradients of a loss L, tile by tile. With D_i = dOutput_i · output_i = Σ_j weight_ij dWeight_ij, the gradient of a logit is
     * weight_ij (dOutput_i · V_j − D_i). Masked positions and fully masked rows as in {@link Attention#backward}: gradient 0,
     * never read. O(nQ · nK · (dK + dV)).
     *
     * @param dOutput ∂L/∂output, nQ × dV; not modified
     * @return the gradients, in new matrices; this attention is not modified
     * @throws IllegalArgumentException if dOutput has not the shape of the output, or holds floats
     * @throws java.util.concurrent.CancellationException if the thread is interrupted
     */
    public Gradients backward(SimpleMatrix dOutput) {
        Matrices.requireShape("dOutput", dOutput, output.numRows, output.numCols, "n_q × d_v, the shape of output");
        int nQ = Q.numRows;
        int nK = K.numRows;
        int dK = Q.numCols;
        int dV = V.numCols;
        double[] dOut = dOutput.getDDRM().data;
        DMatrixRMaj dQs = new DMatrixRMaj(nQ, dK);
        DMatrixRMaj dKs = new DMatrixRMaj(nK, dK);
        DMatrixRMaj dVs = new DMatrixRMaj(nK, dV);
        DMatrixRMaj dBias = rule.hasBias() ? new DMatrixRMaj(nQ, nK) : null;
        double[] mean = new double[nQ]; // D
        double dSink = 0;
        for (int i = 0; i < nQ; i++) {
            if (seesAny(i)) { // otherwise D is 0, whatever dOutput holds
                mean[i] = Matrices.dot(dOut, i * dV, output.data, i * dV, dV);
                dSink -= rows[i].weight(rule.sinkLogit()) * mean[i];
            }
        }
        for (int number = 0; number <= (nK - 1) / tile; number++) {
            int first = number * tile;
            for (int i = 0; i < nQ; i++) {
                Matrices.stopIfInterrupted();
                int end = Math.min(first + Math.min(tile, nK - first), rule.keysBefore(i, nQ, nK));
                for (int j = first; j < end; j++) {
                    if (rule.sees(i, j, nQ, nK)) {
                        double score = Matrices.dot(Q.data, i * dK, K.data, j * dK, dK);
                        double p = rows[i].weight(rule.logit(score, i, j));
                        double dLogit = p * (Matrices.dot(dOut, i * dV, V.data, j * dV, dV) - mean[i]);
                        double dScore = rule.backward(dLogit, score);
                        if (dBias != null) {
                            dBias.data[i * nK + j] = dLogit;
                        }
                        Matrices.addScaled(p, dOut, i * dV, dVs.data, j * dV, dV);
                        Matrices.addScaled(dScore, K.data, j * dK, dQs.data, i * dK, dK);
                        Matrices.addScaled(dScore, Q.data, i * dK, dKs.data, j * dK, dK);
                    }
                }
            }
        }
        return new Gradients(SimpleMatrix.wrap(dQs), SimpleMatrix.wrap(dKs), SimpleMatrix.wrap(dVs),
                Optional.ofNullable(dBias).map(SimpleMatrix::wrap), rule.hasSink() ? dSink : 0);
    }

    private boolean seesAny(int i) {
        for (int j = 0; j < K.numRows; j++) {
            if (rule.sees(i, j, Q.numRows, K.numRows)) {
                return true;
            }
        }
        return false;
    }

    /** The shapes, the rule and the tile; the numbers would fill pages. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "TiledAttention: Q %s, K %s, V %s, %s, tile %d, output %s",
                Matrices.shape(SimpleMatrix.wrap(Q)), Matrices.shape(SimpleMatrix.wrap(K)), Matrices.shape(SimpleMatrix.wrap(V)), rule, tile, Matrices.shape(output()));
    }

    /**
     * What {@link TiledAttention#backward} returns: the derivative of the loss with respect to each input.
     *
     * @param dQ ∂L/∂Q, nQ × dK
     * @param dK ∂L/∂K, nK × dK
     * @param dV ∂L/∂V, nK × dV
     * @param dBias ∂L/∂bias, nQ × nK, if the rule has a bias
     * @param dSink ∂L/∂z for the sink's logit z, which all rows share; 0 if there is no sink
     */
    public record Gradients(SimpleMatrix dQ, SimpleMatrix dK, SimpleMatrix dV, Optional<SimpleMatrix> dBias, double dSink) {

        /** The shapes; the numbers would fill pages. */
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "Gradients: dQ %s, dK %s, dV %s, dBias %s, dSink %s", Matrices.shape(dQ),
                    Matrices.shape(dK), Matrices.shape(dV), dBias.map(Matrices::shape).orElse("none"), dSink);
        }
    }
}
