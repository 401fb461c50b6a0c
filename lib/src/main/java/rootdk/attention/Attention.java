package rootdk.attention;

import java.util.Locale;
import org.ejml.data.DMatrixRMaj;
import org.ejml.simple.SimpleMatrix;

/**
 * One head of dot-product attention with every intermediate step kept, so that it can be looked at and differentiated:
 * {@code output = softmax(Q Kᵀ / divisor) V}, softmax row by row. Made by {@link #forward(SimpleMatrix, SimpleMatrix,
 * SimpleMatrix, double)}; with a cap, bias, mask or sink by {@link #forward(SimpleMatrix, SimpleMatrix, SimpleMatrix, Logits)}.
 * {@link TiledAttention} computes the same without the nQ × nK matrices.
 *
 * <p>{@code forward} copies Q, K and V, so later changes of the caller's matrices do not reach this record. The accessors hand
 * out the matrices held here, not copies: treat them as read-only, or {@link #backward} answers for the changed numbers.
 *
 * <p>Source: Vaswani et al. 2017, "Attention Is All You Need", §3.2.1, equation (1), where the divisor is √d_k.
 *
 * @param Q the queries, nQ × dK
 * @param K the keys, nK × dK
 * @param V the values, nK × dV
 * @param rule how scores become logits: the divisor, and cap, bias, mask and sink if there are any
 * @param scores QKᵀ, nQ × nK, also where masked
 * @param logits what softmax sees, nQ × nK: scores / divisor in the plain case; −∞ where masked
 * @param weights softmax of each row of the logits, nQ × nK; rows sum to 1, with a sink to 1 − {@link #sinkWeights}
 * @param output weights · V, nQ × dV
 */
public record Attention(SimpleMatrix Q, SimpleMatrix K, SimpleMatrix V, Logits rule,
        SimpleMatrix scores, SimpleMatrix logits, SimpleMatrix weights, SimpleMatrix output) {

    /**
     * Holds the given parts, after a check of their shapes alone; use {@code forward}, which computes them.
     *
     * @param Q nQ × dK; not copied
     * @param K nK × dK; not copied
     * @param V nK × dV; not copied
     * @param rule not null; its bias and mask, if any, nQ × nK
     * @param scores nQ × nK; not copied
     * @param logits nQ × nK; not copied
     * @param weights nQ × nK; not copied
     * @param output nQ × dV; not copied
     * @throws IllegalArgumentException if a shape does not fit, or a matrix is empty or holds floats
     */
    public Attention {
        checkInputs(Q, K, V, rule);
        Matrices.requireShape("scores", scores, Q.getNumRows(), K.getNumRows(), "n_q × n_k");
        Matrices.requireShape("logits", logits, Q.getNumRows(), K.getNumRows(), "n_q × n_k");
        Matrices.requireShape("weights", weights, Q.getNumRows(), K.getNumRows(), "n_q × n_k");
        Matrices.requireShape("output", output, Q.getNumRows(), V.getNumCols(), "n_q × d_v");
    }

    /** The checks that every kind of attention makes of its inputs. */
    static void checkInputs(SimpleMatrix Q, SimpleMatrix K, SimpleMatrix V, Logits rule) {
        Matrices.dense("Q", Q);
        Matrices.dense("K", K);
        Matrices.dense("V", V);
        if (K.getNumCols() != Q.getNumCols()) {
            throw new IllegalArgumentException("K has " + K.getNumCols() + " columns, Q has " + Q.getNumCols() + ": both must be d_k");
        }
        if (V.getNumRows() != K.getNumRows()) {
            throw new IllegalArgumentException("V has " + V.getNumRows() + " rows, K has " + K.getNumRows() + ": both must be n_k");
        }
        if (rule == null) {
            throw new NullPointerException("rule is null: it must be a Logits, such as Logits.dividedBy(Scale.sqrt(dK))");
        }
        rule.requireShapes(Q.getNumRows(), K.getNumRows());
    }

    /**
     * softmax(Q Kᵀ / divisor) V and all its intermediate steps. A NaN or +∞ among a row's logits makes that row of the weights
     * and of the output NaN; a row of −∞ gets weights 0 ({@link Softmax}). O(nQ · nK · (dK + dV)).
     *
     * @param Q nQ × dK; copied
     * @param K nK × dK; copied
     * @param V nK × dV; copied
     * @param divisor finite and above 0, for example {@code Scale.sqrt(dK)}; 1 for unscaled attention
     * @return the attention with its scores, logits, weights and output
     * @throws IllegalArgumentException if a shape does not fit, a matrix is empty or holds floats, or the divisor is not allowed
     * @throws java.util.concurrent.CancellationException if the thread is interrupted
     */
    public static Attention forward(SimpleMatrix Q, SimpleMatrix K, SimpleMatrix V, double divisor) {
        return forward(Q, K, V, Logits.dividedBy(divisor));
    }

    /**
     * Attention with scale, cap, bias, mask and sink, in that order ({@link Logits}), and all its intermediate steps. A NaN or
     * +∞ among a row's unmasked logits makes that row's unmasked weights and its output NaN. Masked positions are never read: their
     * weight is 0, and a row in which all are masked has output 0. O(nQ · nK · (dK + dV)).
     *
     * @param Q nQ × dK; copied
     * @param K nK × dK; copied
     * @param V nK × dV; copied
     * @param rule how scores become logits, for example {@code Logits.dividedBy(Scale.sqrt(dK)).causal()}
     * @return the attention with its scores, logits, weights and output
     * @throws IllegalArgumentException if a shape does not fit, a matrix is empty or holds floats, or there are 2³¹ scores or more
     * @throws java.util.concurrent.CancellationException if the thread is interrupted
     */
    public static Attention forward(SimpleMatrix Q, SimpleMatrix K, SimpleMatrix V, Logits rule) {
        checkInputs(Q, K, V, rule);
        int nQ = Q.getNumRows();
        int nK = K.getNumRows();
        if ((long) nQ * nK > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException("Q has " + nQ + " rows, K has " + nK + ": their " + nQ + " × " + nK
                    + " scores do not fit into an array. TiledAttention needs none");
        }
        SimpleMatrix scores = SimpleMatrix.wrap(Matrices.timesTransposed(Q.getDDRM(), K.getDDRM(), null));
        SimpleMatrix logits = rule.of(scores);
        boolean[] seen = rule.seen(nQ, nK);
        DMatrixRMaj weights = new DMatrixRMaj(nQ, nK);
        double[] row = new double[nK + 1];
        for (int i = 0; i < nQ; i++) {
            softmaxWithSink(logits, i, rule, row);
            for (int j = 0; j < nK; j++) {
                weights.data[i * nK + j] = seen == null || seen[i * nK + j] ? row[j] : 0;
            }
        }
        DMatrixRMaj output = Matrices.times(weights, V.getDDRM(), seen);
        return new Attention(Q.copy(), K.copy(), V.copy(), rule, scores, logits, SimpleMatrix.wrap(weights),
                SimpleMatrix.wrap(output));
    }

    /** Softmax of row i of the logits with the sink as its last entry; without one that entry is −∞ and gets weight 0. */
    private static void softmaxWithSink(SimpleMatrix logits, int i, Logits rule, double[] row) {
        int nK = row.length - 1;
        System.arraycopy(logits.getDDRM().data, i * nK, row, 0, nK);
        row[nK] = rule.sinkLogit();
        Softmax.weights(row, 0, nK + 1, 1, row);
    }

    /**
     * What the scores are divided by.
     *
     * @return the divisor of the rule, finite and above 0
     */
    public double divisor() {
        return rule.divisor();
    }

    /**
     * The weight that the sink takes in each row, e^z / (e^z + Σ_j e^{logit_j}): what is missing from 1 in the row's sum. Computed
     * from the logits, so it keeps its digits when it is small. O(nQ · nK).
     *
     * @return a new array of nQ weights: 1 for a fully masked row, NaN for a NaN row, all 0 if there is no sink
     */
    public double[] sinkWeights() {
        double[] out = new double[logits.getNumRows()];
        double[] row = new double[logits.getNumCols() + 1];
        for (int i = 0; rule.hasSink() && i < out.length; i++) {
            softmaxWithSink(logits, i, rule, row);
            out[i] = row[row.length - 1];
        }
        return out;
    }

    /**
     * The gradients of a loss L with respect to everything, by the chain rule from the output back:
     * <pre>
     * dV       = weightsᵀ dOutput                       nK × dV
     * dWeights = dOutput Vᵀ                             nQ × nK
     * dLogits  = J dWeights, row by row, J = diag(p) − ppᵀ   nQ × nK
     * dScores  = dLogits / divisor                      nQ × nK
     * dQ       = dScores K                              nQ × dK
     * dK       = dScoresᵀ Q                             nK × dK
     * </pre>
     * With a cap c, dScores is also divided by cosh²(score / divisor / c). A bias is added to the logits, so its gradient is dLogits
     * ({@link Gradients#dBias}). With a sink, J is that of the row with the sink in it.
     *
     * <p>Masked positions have gradient 0 and are not read, so a fully masked row has zero gradients, whatever dOutput holds there.
     * A row whose weights are NaN has NaN gradients where it is not masked. O(nQ · nK · (dK + dV)).
     *
     * @param dOutput ∂L/∂output, nQ × dV; not modified
     * @return the gradients, in new matrices; this record is not modified
     * @throws IllegalArgumentException if dOutput has not the shape of the output, or holds floats
     * @throws java.util.concurrent.CancellationException if the thread is interrupted
     */
    public Gradients backward(SimpleMatrix dOutput) {
        Matrices.requireShape("dOutput", dOutput, output.getNumRows(), output.getNumCols(), "n_q × d_v, the shape of output");
        DMatrixRMaj p = weights.getDDRM();
        int nQ = p.numRows;
        int nK = p.numCols;
        boolean[] seen = rule.seen(nQ, nK);
        DMatrixRMaj dV = Matrices.transposedTimes(p, dOutput.getDDRM(), seen);
        DMatrixRMaj dWeights = Matrices.timesTransposed(dOutput.getDDRM(), V.getDDRM(), seen);
        DMatrixRMaj dLogits = new DMatrixRMaj(nQ, nK);
        DMatrixRMaj dScores = new DMatrixRMaj(nQ, nK);
        double[] sinkWeights = sinkWeights();
        double dSink = 0;
        double[] row = new double[nK + 1]; // a row's weights and, last, its sink's; the sink has no value, so its dWeight is 0
        double[] dRow = new double[nK + 1];
        double[] dRowLogits = new double[nK + 1];
        for (int i = 0; i < nQ; i++) {
            System.arraycopy(p.data, i * nK, row, 0, nK);
            System.arraycopy(dWeights.data, i * nK, dRow, 0, nK);
            row[nK] = sinkWeights[i];
            Softmax.jacobianTimes(row, dRow, 0, nK + 1, dRowLogits);
            dSink += dRowLogits[nK];
            for (int j = 0; j < nK; j++) {
                int at = i * nK + j;
                if (seen == null || seen[at]) {
                    dLogits.data[at] = dRowLogits[j];
                    dScores.data[at] = rule.backward(dRowLogits[j], scores.get(i, j));
                }
            }
        }
        DMatrixRMaj dQ = Matrices.times(dScores, K.getDDRM(), seen);
        DMatrixRMaj dK = Matrices.transposedTimes(dScores, Q.getDDRM(), seen);
        return new Gradients(SimpleMatrix.wrap(dQ), SimpleMatrix.wrap(dK), SimpleMatrix.wrap(dV), SimpleMatrix.wrap(dWeights),
                SimpleMatrix.wrap(dLogits), SimpleMatrix.wrap(dScores), rule.hasSink() ? dSink : 0);
    }

    /** The shapes and the rule; the numbers would fill pages. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "Attention: Q %s, K %s, V %s, %s, output %s", Matrices.shape(Q),
                Matrices.shape(K), Matrices.shape(V), rule, Matrices.shape(output));
    }

    /**
     * What {@link Attention#backward} returns: the derivative of the loss with respect to each part, in that part's shape.
     *
     * @param dQ ∂L/∂Q, nQ × dK
     * @param dK ∂L/∂K, nK × dK
     * @param dV ∂L/∂V, nK × dV
     * @param dWeights ∂L/∂weights, nQ × nK; 0 where masked, where the weight is constant
     * @param dLogits ∂L/∂logits, nQ × nK; each row sums to 0, with a sink to minus the row's part of dSink; 0 where masked
     * @param dScores ∂L/∂(QKᵀ), nQ × nK: dLogits / divisor unless there is a cap; 0 where masked
     * @param dSink ∂L/∂z for the sink's logit z, which all rows share: a sum over rows; 0 if there is no sink
     */
    public record Gradients(SimpleMatrix dQ, SimpleMatrix dK, SimpleMatrix dV,
            SimpleMatrix dWeights, SimpleMatrix dLogits, SimpleMatrix dScores, double dSink) {

        /**
         * The parts as given; {@link Attention#backward} makes them.
         *
         * @param dQ nQ × dK; not copied
         * @param dK nK × dK; not copied
         * @param dV nK × dV; not copied
         * @param dWeights nQ × nK; not copied
         * @param dLogits nQ × nK; not copied
         * @param dScores nQ × nK; not copied
         * @param dSink any number
         * @throws IllegalArgumentException if a matrix is empty or holds floats
         */
        public Gradients {
            Matrices.dense("dQ", dQ);
            Matrices.dense("dK", dK);
            Matrices.dense("dV", dV);
            Matrices.dense("dWeights", dWeights);
            Matrices.dense("dLogits", dLogits);
            Matrices.dense("dScores", dScores);
        }

        /**
         * ∂L/∂bias, nQ × nK: a bias is added to the logits, so this is dLogits itself, 0 where masked.
         *
         * @return dLogits, not a copy
         */
        public SimpleMatrix dBias() {
            return dLogits;
        }

        /** The shapes; the numbers would fill pages. */
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "Gradients: dQ %s, dK %s, dV %s, dWeights, dLogits and dScores %s",
                    Matrices.shape(dQ), Matrices.shape(dK), Matrices.shape(dV), Matrices.shape(dScores));
        }
    }
}
