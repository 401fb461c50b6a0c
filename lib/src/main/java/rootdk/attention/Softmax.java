package rootdk.attention;

import java.util.Arrays;
import java.util.Locale;
import org.ejml.data.DMatrixRMaj;
import org.ejml.simple.SimpleMatrix;
import rootdk.backend.Backend;

/**
 * Softmax of one row of N logits, its logarithm, its Jacobian, and two measures of how concentrated a row of weights is.
 *
 * <p>Special logits, the same in every method that takes logits:
 * <ul>
 * <li>−∞ marks a masked key: its weight is exactly 0;
 * <li>all −∞ is a fully masked row: its weights are all 0, not NaN, so that nothing flows through it;
 * <li>NaN or +∞ anywhere makes the whole row NaN: an overflow upstream is to be seen, not hidden behind a 1.
 * </ul>
 *
 * <p>Methods that take weights {@code p} accept what {@link #of} returns: entries that are not negative and sum to 1 within
 * 10⁻⁶, or the all-zero row of a fully masked one, or NaN, which makes the result NaN. Anything else, such as weights rounded to
 * three decimals, is refused: the methods use Σp = 1 to stay accurate when one weight is nearly 1.
 *
 * <p>Source: Goodfellow, Bengio &amp; Courville 2016, "Deep Learning", §4.1 (softmax and overflow) and §6.2.2.3.
 */
public final class Softmax {
    private static final double SUM_TOLERANCE = 1e-6;
    private static final int COLUMNS = 192; // sums that the fast softmax keeps side by side: as many as the plain loops take at a time
    private static final int BLOCK = 64 * COLUMNS; // 96 KiB of logits: read from memory for the maximum, from a near cache for the exponentials

    private Softmax() { }

    /**
     * The weights p_i = e^{s_i − m} / Σ_j e^{s_j − m} with m = max s. Subtracting the maximum changes nothing in exact arithmetic
     * and keeps every exponent at or below 0, so no finite logit overflows. The rounding of s_i − m is made up for, so each weight has a
     * relative error below (N + 5)·2⁻⁵³ however far its logit is from the maximum, down to where weights are subnormal. O(N).
     *
     * @param logits s, N ≥ 1 numbers; not modified
     * @return p, a new array of N weights in [0, 1] that sum to 1 to rounding; special logits as the class says
     * @throws IllegalArgumentException if there is no logit
     */
    public static double[] of(double... logits) {
        return atTemperature(1, logits);
    }

    /**
     * {@link #of(double...)} for many logits, by {@link Backend#max} and {@link Backend#exp}: many times as fast, and less exact. The
     * relative error of p_i is below (|s_i − m| + N/150 + 300)·2⁻⁵³, down to where weights are subnormal: |s_i − m| is at most 708 before
     * that. O(N).
     *
     * @param backend {@code Backend.plain()}, or what is in {@code Backend.vector()}: the same bits, at another speed
     * @param logits s, N ≥ 1 numbers; not modified
     * @return p, a new array of N weights; special logits as the class says
     * @throws IllegalArgumentException if there is no logit
     */
    public static double[] of(Backend backend, double... logits) {
        requireSome("logits", logits);
        double[] p = new double[logits.length];
        into(backend, logits, p);
        return p;
    }

    /**
     * {@link #of(Backend, double...)} into an array that is there: for many logits the memory costs as much time as the exponentials. O(N).
     *
     * @param backend {@code Backend.plain()}, or what is in {@code Backend.vector()}: the same bits, at another speed
     * @param logits s, N ≥ 1 numbers; not modified, unless it is p
     * @param p where the N weights go; may be {@code logits} itself
     * @throws IllegalArgumentException if there is no logit, or p has another length; p is as it was then
     */
    public static void into(Backend backend, double[] logits, double[] p) {
        if (backend == null) {
            throw new NullPointerException("backend is null: it must be Backend.plain() or what is in Backend.vector()");
        }
        requireSome("logits", logits);
        requireSome("p", p);
        if (p.length != logits.length) {
            throw new IllegalArgumentException("p has " + p.length + " places for the weights of " + logits.length + " logits: make it as long as logits");
        }
        double highest = Double.NEGATIVE_INFINITY;
        double[] maxima = new double[(logits.length + BLOCK - 1) / BLOCK]; // what was subtracted from each block's logits: the maximum so far
        double[] max = new double[COLUMNS];
        double[] sums = new double[COLUMNS];
        for (int block = 0; block < maxima.length; block++) {
            Arrays.fill(max, highest);
            inRows(block, logits.length, (rows, n, from) -> backend.max(rows, n, logits, from, n, max));
            maxima[block] = max[indexOfMax(max)];
            multiply(sums, 0, COLUMNS, StreamingSoftmax.growth(highest, maxima[block]));
            highest = maxima[block];
            Arrays.fill(max, highest == Double.NEGATIVE_INFINITY ? 0 : highest);
            inRows(block, logits.length, (rows, n, from) -> {
                System.arraycopy(logits, from, p, from, rows * n); // here, while these few are in the nearest cache
                backend.exp(rows, n, p, from, n, max, sums);
            });
        }
        double sum = 0;
        for (double x : sums) {
            sum += x;
        }
        if (!(sum > 0)) { // 0 if all are masked, or NaN because a logit is NaN or +∞
            Arrays.fill(p, sum == 0 ? 0 : Double.NaN);
            return;
        }
        for (int block = 0; block < maxima.length; block++) {
            int from = block * BLOCK;
            multiply(p, from, Math.min(BLOCK, p.length - from), StreamingSoftmax.growth(maxima[block], highest) / sum);
        }
    }

    /** One block of so many numbers as rows of 192: eight rows at a time, which stay in the nearest cache, and last the incomplete row. */
    private static void inRows(int block, int length, Rows work) {
        int first = block * BLOCK;
        int numbers = Math.min(BLOCK, length - first);
        int whole = numbers / COLUMNS;
        for (int row = 0; row < whole; row += 8) {
            work.at(Math.min(8, whole - row), COLUMNS, first + row * COLUMNS);
        }
        work.at(1, numbers % COLUMNS, first + whole * COLUMNS);
    }

    /** So many rows of n numbers from an index on. */
    private interface Rows {
        void at(int rows, int n, int from);
    }

    private static void multiply(double[] p, int from, int n, double factor) {
        for (int i = from; i < from + n; i++) {
            p[i] *= factor;
        }
    }

    /**
     * softmax(s / T). T → 0 approaches one-hot, T → ∞ approaches uniform; T = √d_k is scaled attention. Computed as
     * (s_i − max s) / T, so a tiny T cannot overflow. O(N).
     *
     * @param temperature T, finite and above 0
     * @param logits s, N ≥ 1 numbers; not modified
     * @return a new array of N weights; special logits as the class says
     * @throws IllegalArgumentException if T is not finite and above 0, or there is no logit
     */
    public static double[] atTemperature(double temperature, double... logits) {
        requirePositive("temperature", temperature);
        requireSome("logits", logits);
        double[] p = new double[logits.length];
        weights(logits, 0, logits.length, temperature, p);
        return p;
    }

    /** The one softmax of this package: n logits from {@code from} on, into the same places of p, which may be s. */
    static void weights(double[] s, int from, int n, double temperature, double[] p) {
        double max = Double.NEGATIVE_INFINITY;
        for (int i = from; i < from + n; i++) {
            max = Math.max(max, s[i]); // NaN if any is NaN
        }
        if (!Double.isFinite(max)) {
            Arrays.fill(p, from, from + n, max == Double.NEGATIVE_INFINITY ? 0 : Double.NaN);
            return;
        }
        double sum = 0;
        for (int i = from; i < from + n; i++) {
            p[i] = expOfDifference(s[i], max, temperature);
            sum += p[i];
        }
        for (int i = from; i < from + n; i++) {
            p[i] /= sum;
        }
    }

    /**
     * e^{(s − m) / T} for s ≤ m, of the exact quotient: e^x changes by a factor 1 + r when x is off by a small r, and r, what the
     * rounding of the difference and of the quotient lost, can be computed. At x = −700 it is some hundred units in the last place.
     *
     * <p>Source: Knuth, "The Art of Computer Programming", vol. 2, §4.2.2, Theorem B, for the error of a difference.
     */
    static double expOfDifference(double s, double m, double temperature) {
        double difference = s - m;
        double x = difference / temperature;
        double e = StrictMath.exp(x);
        if (e == 0) {
            return 0; // x may be −∞, and then there is no r
        }
        double minusM = difference - s;
        double lost = (s - (difference - minusM)) - (m + minusM);
        double r = (Math.fma(-x, temperature, difference) + lost) / temperature;
        return e + e * r;
    }

    /**
     * log softmax: s_i − m − log Σ_j e^{s_j − m} with m = max s. The maximum's own term, 1, is kept out of the sum and goes into
     * log1p, so the logarithm of a weight near 1 keeps its digits: log softmax(40, 0) = (−4.248·10⁻¹⁸, −40), where
     * the logarithm of the rounded weight would be 0. O(N).
     *
     * @param logits s, N ≥ 1 numbers; not modified
     * @return a new array of N numbers ≤ 0; −∞ for a masked key, all −∞ for a fully masked row, all NaN if a logit is NaN or +∞
     * @throws IllegalArgumentException if there is no logit
     */
    public static double[] log(double... logits) {
        requireSome("logits", logits);
        double[] out = new double[logits.length];
        int top = indexOfMax(logits);
        double max = logits[top];
        if (!Double.isFinite(max)) {
            Arrays.fill(out, max == Double.NEGATIVE_INFINITY ? max : Double.NaN);
            return out;
        }
        double others = 0;
        for (int i = 0; i < logits.length; i++) {
            if (i != top) {
                others += expOfDifference(logits[i], max, 1);
            }
        }
        double logSum = StrictMath.log1p(others);
        for (int i = 0; i < logits.length; i++) {
            out[i] = logits[i] - max - logSum;
        }
        return out;
    }

    /**
     * {@link #of} applied to each row. O(nQ · nK).
     *
     * @param logits nQ × nK, of doubles, at least 1 × 1; not modified
     * @return a new nQ × nK matrix of weights; special logits as the class says, row by row
     * @throws IllegalArgumentException if the matrix is empty or holds floats
     */
    public static SimpleMatrix rows(SimpleMatrix logits) {
        DMatrixRMaj s = Matrices.dense("logits", logits);
        DMatrixRMaj p = new DMatrixRMaj(s.numRows, s.numCols);
        for (int row = 0; row < s.numRows; row++) {
            weights(s.data, row * s.numCols, s.numCols, 1, p.data);
        }
        return SimpleMatrix.wrap(p);
    }

    /**
     * The Jacobian of softmax, J = diag(p) − p pᵀ: entry (i, j) is ∂p_i/∂s_j = p_i (δ_ij − p_j). Symmetric, rows sum to 0. O(N²).
     *
     * @param p N ≥ 1 weights, as the class says; not modified
     * @return a new N × N matrix; zeros for the all-zero row
     * @throws IllegalArgumentException if p is not a row of weights
     */
    public static SimpleMatrix jacobian(double... p) {
        int top = requireWeights(p);
        double others = sumWithout(top, p);
        SimpleMatrix j = new SimpleMatrix(p.length, p.length);
        for (int row = 0; row < p.length; row++) {
            for (int column = 0; column < p.length; column++) {
                j.set(row, column, -p[row] * p[column]);
            }
            // 1 − p of the largest weight loses every digit near one-hot; the sum of the others does not.
            j.set(row, row, p[row] * (row == top ? others : 1 - p[row]));
        }
        return j;
    }

    /**
     * J v = p ∘ (v − p·v) without forming J. This is also Jᵀ v, as J is symmetric: the backward pass of softmax. Computed with v
     * taken relative to its entry at the largest weight, which changes nothing (J sends constants to 0) and avoids the
     * cancellation near one-hot. O(N).
     *
     * @param p N ≥ 1 weights, as the class says; not modified
     * @param v N numbers; not modified; a NaN or an infinity among them makes the result NaN
     * @return a new array of N numbers, which sum to 0 to rounding; zeros for the all-zero row
     * @throws IllegalArgumentException if p is not a row of weights, or v has another length
     */
    public static double[] jacobianTimes(double[] p, double[] v) {
        requireWeights(p);
        requireSome("v", v);
        if (v.length != p.length) {
            throw new IllegalArgumentException("v has " + v.length + " entries, p has " + p.length + ": both must be N");
        }
        double[] out = new double[p.length];
        jacobianTimes(p, v, 0, p.length, out);
        return out;
    }

    /** J v for the n weights and numbers from {@code from} on, unchecked. */
    static void jacobianTimes(double[] p, double[] v, int from, int n, double[] out) {
        int top = from;
        for (int i = from; i < from + n; i++) {
            if (p[i] > p[top]) {
                top = i;
            }
        }
        double mean = 0;
        for (int i = from; i < from + n; i++) {
            mean += p[i] * (v[i] - v[top]);
        }
        for (int i = from; i < from + n; i++) {
            out[i] = p[i] * (v[i] - v[top] - mean);
        }
    }

    /**
     * The Frobenius norm of the Jacobian, ‖J‖_F = √(Σ_i p_i² ((1 − p_i)² + Σ_{j≠i} p_j²)), in O(N) and without forming J. Between 0
     * (one-hot) and ½ (two weights of ½); the uniform row has √(N−1)/N. With m the largest weight, everything is measured in
     * units of c = 1 − p_m, summed from the other weights, so the result keeps its relative accuracy until c itself underflows,
     * though c may be far below the rounding error of p_m.
     *
     * @param p N ≥ 1 weights, as the class says; not modified
     * @return ‖J‖_F; 0 for one-hot, for N = 1 and for the all-zero row
     * @throws IllegalArgumentException if p is not a row of weights
     */
    public static double jacobianNorm(double... p) {
        int top = requireWeights(p);
        double c = sumWithout(top, p);
        if (c == 0) {
            return Double.isNaN(p[top]) ? Double.NaN : 0;
        }
        double squares = 0; // Σ_{j≠m} (p_j/c)²
        for (int j = 0; j < p.length; j++) {
            squares += j == top ? 0 : (p[j] / c) * (p[j] / c);
        }
        double sum = p[top] * p[top] * (1 + squares);
        double allSquares = p[top] * p[top] + c * c * squares;
        for (int i = 0; i < p.length; i++) {
            if (i != top) { // here p_i ≤ ½, so 1 − p_i loses nothing
                double relative = p[i] / c;
                sum += relative * relative * ((1 - p[i]) * (1 - p[i]) + allSquares - p[i] * p[i]);
            }
        }
        return c * Math.sqrt(sum);
    }

    /**
     * The entropy −Σ p_i ln p_i in nats, with 0 ln 0 = 0: 0 for one-hot, ln N for uniform. The largest weight's logarithm is
     * taken as log1p(−Σ of the others), so an entropy near 0 keeps its digits. The relative error is below N·10⁻¹⁶. O(N).
     *
     * @param p N ≥ 1 weights, as the class says; not modified
     * @return the entropy, in [0, ln N] to rounding; 0 for the all-zero row
     * @throws IllegalArgumentException if p is not a row of weights
     */
    public static double entropy(double... p) {
        int top = requireWeights(p);
        double sum = 0;
        for (int i = 0; i < p.length; i++) {
            if (i != top && p[i] != 0) {
                sum -= p[i] * StrictMath.log(p[i]);
            }
        }
        if (p[top] == 0) {
            return 0;
        }
        double logTop = p[top] > 0.5 ? StrictMath.log1p(-sumWithout(top, p)) : StrictMath.log(p[top]);
        return sum - p[top] * logTop;
    }

    /**
     * The number of keys that effectively share the weight, N_eff = 1 / Σ p_i²: 1 for one-hot, N for uniform (the inverse
     * participation ratio; Kish's effective sample size). O(N).
     *
     * @param p N ≥ 1 weights, as the class says; not modified
     * @return N_eff in [1, N] to rounding; 0 for the all-zero row, which attends to nothing
     * @throws IllegalArgumentException if p is not a row of weights
     */
    public static double effectiveCount(double... p) {
        int top = requireWeights(p);
        double squares = 0;
        for (double x : p) {
            squares += x * x;
        }
        return p[top] == 0 ? 0 : 1 / squares;
    }

    static void requirePositive(String name, double x) {
        if (!(x > 0) || x == Double.POSITIVE_INFINITY) {
            throw new IllegalArgumentException(name + " is " + x + ": it must be finite and above 0");
        }
    }

    private static void requireSome(String name, double[] x) {
        if (x == null) {
            throw new NullPointerException(name + " is null: it must be an array of numbers");
        }
        if (x.length == 0) {
            throw new IllegalArgumentException(name + " is empty: at least one number is needed");
        }
    }

    /** Checks p and returns the index of its largest weight, or of its first NaN. */
    private static int requireWeights(double[] p) {
        requireSome("p", p);
        double sum = 0;
        for (int i = 0; i < p.length; i++) {
            if (p[i] < 0) {
                throw new IllegalArgumentException("p[" + i + "] is " + p[i] + ": a weight is not negative");
            }
            sum += p[i];
        }
        if (sum != 0 && Math.abs(sum - 1) > SUM_TOLERANCE) {
            throw new IllegalArgumentException(String.format(Locale.ROOT,
                    "p sums to %.7g: weights sum to 1. Pass them unrounded, as Softmax.of returns them", sum));
        }
        return indexOfMax(p);
    }

    private static int indexOfMax(double[] x) {
        int top = 0;
        for (int i = 0; i < x.length && !Double.isNaN(x[top]); i++) {
            if (!(x[i] <= x[top])) {
                top = i;
            }
        }
        return top;
    }

    private static double sumWithout(int skipped, double[] p) {
        double sum = 0;
        for (int i = 0; i < p.length; i++) {
            sum += i == skipped ? 0 : p[i];
        }
        return sum;
    }
}
