package rootdk.attention;

/**
 * Softmax over logits that arrive one after another: two numbers, the running maximum m = max s and the running sum
 * l = Σ_j e^{s_j − m}, are all that must be remembered. When the maximum grows from m to m′, the old sum is multiplied by e^{m − m′}.
 * Two halves seen apart are put together the same way ({@link #merge}).
 *
 * <p>Special logits as in {@link Softmax}: −∞ is a masked key and changes nothing; as long as there is no other, the sum is 0 and
 * every weight is 0; NaN or +∞ makes the sum and every later weight NaN.
 *
 * <p>Immutable. The result equals {@link Softmax#of} to rounding, not to the bit: each growth of the maximum rounds the sum once more.
 *
 * <p>Source: Milakov &amp; Gimelshein 2018, "Online normalizer calculation for softmax", Algorithm 3 and §3.1.
 *
 * @param max m; −∞ before the first logit
 * @param sum l, between 1 and the number of logits; 0 before the first
 */
public record StreamingSoftmax(double max, double sum) {
    private static final StreamingSoftmax EMPTY = new StreamingSoftmax(Double.NEGATIVE_INFINITY, 0);

    /**
     * A state made of its two numbers; {@link #empty} and {@link #add} make them from logits.
     *
     * @param max any number
     * @param sum not negative
     * @throws IllegalArgumentException if sum is negative
     */
    public StreamingSoftmax {
        if (sum < 0) {
            throw new IllegalArgumentException("sum is " + sum + ": a sum of exponentials is not negative");
        }
    }

    /**
     * No logit seen yet.
     *
     * @return m = −∞, l = 0
     */
    public static StreamingSoftmax empty() {
        return EMPTY;
    }

    /**
     * These logits and N more. O(N).
     *
     * @param logits any number of them, also none; not modified
     * @return the new maximum and sum
     */
    public StreamingSoftmax add(double... logits) {
        if (logits == null) {
            throw new NullPointerException("logits is null: it must be an array of numbers");
        }
        double m = max;
        for (double s : logits) {
            m = Math.max(m, s); // NaN if any is NaN
        }
        double l = sum * growth(max, m);
        for (double s : logits) {
            l += m == Double.NEGATIVE_INFINITY ? 0 : Softmax.expOfDifference(s, m, 1);
        }
        return new StreamingSoftmax(m, l);
    }

    /**
     * The union of two disjoint sets of logits.
     *
     * @param other the state of the other set
     * @return the state of both together
     */
    public StreamingSoftmax merge(StreamingSoftmax other) {
        if (other == null) {
            throw new NullPointerException("other is null: it must be a StreamingSoftmax; for none, StreamingSoftmax.empty()");
        }
        double m = Math.max(max, other.max);
        return new StreamingSoftmax(m, sum * growth(max, m) + other.sum * growth(other.max, m));
    }

    /** What a sum relative to one maximum is multiplied by to be relative to another: e^{from − to}. */
    static double growth(double from, double to) {
        return from == to ? 1 : Softmax.expOfDifference(from, to, 1); // also for −∞ to −∞
    }

    /**
     * The weight of one of the logits that were added: e^{s − m} / l.
     *
     * @param logit s
     * @return the weight; 0 if s is −∞ or nothing but −∞ was added, NaN if a NaN or +∞ was
     */
    public double weight(double logit) {
        return sum == 0 ? 0 : Softmax.expOfDifference(logit, max, 1) / sum;
    }

    /**
     * log Σ_j e^{s_j} = m + log l.
     *
     * @return the logarithm of the sum; −∞ if nothing but −∞ was added, NaN if a NaN or +∞ was
     */
    public double logSumExp() {
        return max + StrictMath.log(sum);
    }
}
