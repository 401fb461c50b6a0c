/**
 * Softmax and scaled dot-product attention, forward and backward, with the divisor left to the caller; cap, bias, masks and sink
 * ({@link rootdk.attention.Logits}); the same in tiles ({@link rootdk.attention.TiledAttention}); positions
 * ({@link rootdk.attention.Rope}, {@link rootdk.attention.Alibi}), normalised queries and keys
 * ({@link rootdk.attention.QkNorm}), heads and half precision.
 *
 * <p>Shapes: {@code Q} is nQ × dK, {@code K} is nK × dK, {@code V} is nK × dV. Words: <em>scores</em> are QKᵀ, <em>logits</em> are
 * what softmax sees: scores / divisor, unless {@link rootdk.attention.Logits} says more; <em>weights</em> are the rows of
 * softmax, <em>output</em> is weights · V.
 *
 * <p>No method changes its arguments. Transcendental functions come from {@link java.lang.StrictMath} and every sum runs in index
 * order, so results are the same bit for bit on every Java and every machine.
 */
package rootdk.attention;
