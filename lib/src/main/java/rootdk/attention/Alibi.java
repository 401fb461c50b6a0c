package rootdk.attention;

import org.ejml.simple.SimpleMatrix;

/**
 * ALiBi, attention with linear biases: instead of positions in Q and K, each head subtracts slope · distance from its logits, after
 * the divisor. {@link Logits#alibi} does so by the rule, {@link #bias} makes the matrix for {@link Logits#bias}.
 *
 * <p>Sources: Press, Smith &amp; Lewis 2022, "Train Short, Test Long", §3; for numbers of heads that are not powers of two,
 * {@code get_slopes} in the authors' code, github.com/ofirpress/attention_with_linear_biases, fairseq/models/transformer.py,
 * which calls its rule a workaround.
 */
public final class Alibi {
    private Alibi() { }

    /**
     * The slopes of h heads. For h a power of two, 2^(−8/h), 2^(−16/h), …, 2^(−8): a geometric sequence, ½ … 1/256 for 8 heads.
     * Otherwise, with p the largest power of two below h, the slopes of p heads followed by the first h − p of the 1st,
     * 3rd, 5th, … slopes of 2p heads. O(h).
     *
     * @param heads h, at least 1
     * @return a new array of h slopes in (0, 1), those of head 0 first; not sorted unless h is a power of two
     * @throws IllegalArgumentException if heads &lt; 1
     */
    public static double[] slopes(int heads) {
        if (heads < 1) {
            throw new IllegalArgumentException("heads is " + heads + ": there must be at least 1 head");
        }
        int p = Integer.highestOneBit(heads);
        double[] slopes = new double[heads];
        for (int head = 0; head < heads; head++) {
            // Slope number k of n heads is 2^(−8k/n). An odd number k = 2(head − p) + 1 of n = 2p gives the rest.
            slopes[head] = head < p ? StrictMath.pow(2, -8.0 * (head + 1) / p) : StrictMath.pow(2, -4.0 * (2 * (head - p) + 1) / p);
        }
        return slopes;
    }

    /**
     * The bias of one head, B[i][j] = −slope · |i + nK − nQ − j|. Aligned at the bottom right as {@link Logits#causal} is: the last
     * query stands at the last key, and the bias is 0 there. The paper is causal and has the keys j ≤ i + nK − nQ only; for
     * keys ahead this takes the distance too, which a causal mask hides. O(nQ · nK).
     *
     * @param slope finite and above 0, one of {@link #slopes}
     * @param nQ the number of queries, at least 1
     * @param nK the number of keys, at least 1
     * @return a new nQ × nK matrix of numbers ≤ 0
     * @throws IllegalArgumentException if slope is not finite and above 0, a number is below 1, or nQ · nK is more than an array holds
     */
    public static SimpleMatrix bias(double slope, int nQ, int nK) {
        Softmax.requirePositive("slope", slope);
        if (nQ < 1 || nK < 1) {
            throw new IllegalArgumentException("nQ is " + nQ + ", nK is " + nK + ": there must be at least 1 query and 1 key");
        }
        Matrices.size("the bias", nQ, nK);
        SimpleMatrix bias = new SimpleMatrix(nQ, nK);
        for (int i = 0; i < nQ; i++) {
            for (int j = 0; j < nK; j++) {
                bias.set(i, j, bias(slope, i, j, nQ, nK));
            }
        }
        return bias;
    }

    /** One entry of it. */
    static double bias(double slope, int i, int j, int nQ, int nK) {
        return 0 - slope * Math.abs(i + nK - nQ - j); // 0 − 0 is 0, −0 is not
    }
}
