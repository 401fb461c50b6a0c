/**
 * Softmax and scaled dot-product attention, forward and backward, with the divisor left to the caller.
 *
 * <p>Shapes: {@code Q} is nQ × dK, {@code K} is nK × dK, {@code V} is nK × dV. Words: <em>scores</em> are QKᵀ, <em>logits</em> are
 * scores / divisor (what softmax sees), <em>weights</em> are the rows of softmax, <em>output</em> is weights · V.
 *
 * <p>No method changes its arguments. Transcendental functions come from {@link java.lang.StrictMath} and every sum runs in index
 * order, so results are the same bit for bit on every Java and every machine.
 */
package rootdk.attention;
