package rootdk.attention;

import java.util.Locale;
import org.ejml.data.DMatrixRMaj;
import org.ejml.simple.SimpleMatrix;

/**
 * One head of dot-product attention with every intermediate step kept, so that it can be looked at and differentiated:
 * {@code output = softmax(Q Kᵀ / divisor) V}, softmax row by row. Made by {@link #forward}.
 *
 * <p>{@code forward} copies Q, K and V, so later changes of the caller's matrices do not reach this record. The accessors hand
 * out the matrices held here, not copies: treat them as read-only, or {@link #backward} answers for the changed numbers.
 *
 * <p>Source: Vaswani et al. 2017, "Attention Is All You Need", §3.2.1, equation (1), where the divisor is √d_k.
 *
 * @param Q the queries, nQ × dK
 * @param K the keys, nK × dK
 * @param V the values, nK × dV
 * @param divisor what the scores are divided by: {@link Scale#sqrt}, or 1 for none, or any finite number above 0
 * @param scores QKᵀ, nQ × nK
 * @param logits scores / divisor, nQ × nK: what softmax sees
 * @param weights softmax of each row of the logits, nQ × nK
 * @param output weights · V, nQ × dV
 */
public record Attention(SimpleMatrix Q, SimpleMatrix K, SimpleMatrix V, double divisor,
        SimpleMatrix scores, SimpleMatrix logits, SimpleMatrix weights, SimpleMatrix output) {

    /**
     * Holds the given parts, after a check of their shapes alone; use {@link #forward}, which computes them.
     *
     * @param Q nQ × dK; not copied
     * @param K nK × dK; not copied
     * @param V nK × dV; not copied
     * @param divisor finite and above 0
     * @param scores nQ × nK; not copied
     * @param logits nQ × nK; not copied
     * @param weights nQ × nK; not copied
     * @param output nQ × dV; not copied
     * @throws IllegalArgumentException if a shape does not fit, a matrix is empty or holds floats, or the divisor is not allowed
     */
    public Attention {
        checkInputs(Q, K, V, divisor);
        Matrices.requireShape("scores", scores, Q.getNumRows(), K.getNumRows(), "n_q × n_k");
        Matrices.requireShape("logits", logits, Q.getNumRows(), K.getNumRows(), "n_q × n_k");
        Matrices.requireShape("weights", weights, Q.getNumRows(), K.getNumRows(), "n_q × n_k");
        Matrices.requireShape("output", output, Q.getNumRows(), V.getNumCols(), "n_q × d_v");
    }

    private static void checkInputs(SimpleMatrix Q, SimpleMatrix K, SimpleMatrix V, double divisor) {
        Matrices.dense("Q", Q);
        Matrices.dense("K", K);
        Matrices.dense("V", V);
        if (K.getNumCols() != Q.getNumCols()) {
            throw new IllegalArgumentException("K has " + K.getNumCols() + " columns, Q has " + Q.getNumCols() + ": both must be d_k");
        }
        if (V.getNumRows() != K.getNumRows()) {
            throw new IllegalArgumentException("V has " + V.getNumRows() + " rows, K has " + K.getNumRows() + ": both must be n_k");
        }
        Softmax.requirePositive("divisor", divisor);
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
     */
    public static Attention forward(SimpleMatrix Q, SimpleMatrix K, SimpleMatrix V, double divisor) {
        checkInputs(Q, K, V, divisor);
        DMatrixRMaj scores = Matrices.timesTransposed(Q.getDDRM(), K.getDDRM());
        SimpleMatrix logits = SimpleMatrix.wrap(Matrices.dividedBy(scores, divisor));
        SimpleMatrix weights = Softmax.rows(logits);
        DMatrixRMaj output = Matrices.times(weights.getDDRM(), V.getDDRM());
        return new Attention(Q.copy(), K.copy(), V.copy(), divisor, SimpleMatrix.wrap(scores), logits, weights,
                SimpleMatrix.wrap(output));
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
     * A row whose weights are NaN has NaN gradients; a fully masked row has zero gradients. O(nQ · nK · (dK + dV)).
     *
     * @param dOutput ∂L/∂output, nQ × dV; not modified
     * @return the six gradients, in new matrices; this record is not modified
     * @throws IllegalArgumentException if dOutput has not the shape of the output, or holds floats
     */
    public Gradients backward(SimpleMatrix dOutput) {
        Matrices.requireShape("dOutput", dOutput, output.getNumRows(), output.getNumCols(), "n_q × d_v, the shape of output");
        DMatrixRMaj p = weights.getDDRM();
        DMatrixRMaj dV = Matrices.transposedTimes(p, dOutput.getDDRM());
        DMatrixRMaj dWeights = Matrices.timesTransposed(dOutput.getDDRM(), V.getDDRM());
        DMatrixRMaj dLogits = new DMatrixRMaj(p.numRows, p.numCols);
        for (int row = 0; row < p.numRows; row++) {
            Softmax.jacobianTimes(p.data, dWeights.data, row * p.numCols, p.numCols, dLogits.data);
        }
        DMatrixRMaj dScores = Matrices.dividedBy(dLogits, divisor);
        DMatrixRMaj dQ = Matrices.times(dScores, K.getDDRM());
        DMatrixRMaj dK = Matrices.transposedTimes(dScores, Q.getDDRM());
        return new Gradients(SimpleMatrix.wrap(dQ), SimpleMatrix.wrap(dK), SimpleMatrix.wrap(dV),
                SimpleMatrix.wrap(dWeights), SimpleMatrix.wrap(dLogits), SimpleMatrix.wrap(dScores));
    }

    /** The shapes and the divisor; the numbers would fill pages. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "Attention: Q %s, K %s, V %s, divisor %s, output %s", Matrices.shape(Q),
                Matrices.shape(K), Matrices.shape(V), divisor, Matrices.shape(output));
    }

    /**
     * What {@link Attention#backward} returns: the derivative of the loss with respect to each part, in that part's shape.
     *
     * @param dQ ∂L/∂Q, nQ × dK
     * @param dK ∂L/∂K, nK × dK
     * @param dV ∂L/∂V, nK × dV
     * @param dWeights ∂L/∂weights, nQ × nK
     * @param dLogits ∂L/∂logits, nQ × nK; each row sums to 0
     * @param dScores ∂L/∂(QKᵀ) = dLogits / divisor, nQ × nK
     */
    public record Gradients(SimpleMatrix dQ, SimpleMatrix dK, SimpleMatrix dV,
            SimpleMatrix dWeights, SimpleMatrix dLogits, SimpleMatrix dScores) {

        /** The shapes; the numbers would fill pages. */
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "Gradients: dQ %s, dK %s, dV %s, dWeights, dLogits and dScores %s",
                    Matrices.shape(dQ), Matrices.shape(dK), Matrices.shape(dV), Matrices.shape(dScores));
        }
    }
}
