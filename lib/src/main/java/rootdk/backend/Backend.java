package rootdk.backend;

import java.util.Optional;

/**
 * The inner loops on {@code double[]}. Two implementations:
 * <ul>
 * <li>{@link #plain()}, loops that the JIT compiler vectorises by itself: always there, fast at once;
 * <li>{@link #vector()}, the Vector API: about twice as fast once warm, but its first use costs up to a second, and it is there only if the
 * JVM was started with {@code --add-modules jdk.incubator.vector}.
 * </ul>
 * Both give the same bits, on every processor and JDK: each number is computed by the same operations in the same order, and these,
 * {@code Math.fma} among them, are exactly rounded. So the choice is one of speed alone, but for {@link #dots}, where each makes other
 * random numbers.
 *
 * <p>Both are stateless and can be used by many threads at once. Arguments are not checked beyond the arrays' own bounds: these are
 * building blocks for code that knows its shapes. Two arrays of one call may not overlap unless it says so. NaN and ±∞ are computed
 * with like any number.
 */
public interface Backend {

    /**
     * Loops in plain Java.
     *
     * @return the one instance
     */
    static Backend plain() {
        return PlainBackend.INSTANCE;
    }

    /**
     * Loops in the Vector API.
     *
     * @return the one instance; empty if this JVM runs without {@code --add-modules jdk.incubator.vector}
     */
    static Optional<Backend> vector() {
        return VectorLookup.FOUND;
    }

    /**
     * C = A B, or C += A B. Each entry of A B is a chain of {@code Math.fma} over t = 0 … k − 1 that starts from 0, and then is added
     * to C or replaces it, so it does not depend on where the entry stands. O(m · n · k) time. Memory beside C:
     * plain ¼ MiB, vector up to 81 · k numbers; each thread keeps up to ¾ MiB of it.
     *
     * @param m rows of A and C, ≥ 0
     * @param n columns of B and C, ≥ 0
     * @param k columns of A and rows of B, ≥ 0; 0 makes the product 0
     * @param a A, m × k: entry (i, t) at {@code a[aFrom + i * aRow + t * aColumn]}, so a transposed A is a matter of strides
     * @param aFrom where A begins
     * @param aRow from one row of A to the next
     * @param aColumn from one column of A to the next
     * @param b B, k × n: entry (t, j) at {@code b[bFrom + t * bRow + j]}
     * @param bFrom where B begins
     * @param bRow from one row of B to the next
     * @param c C, m × n: entry (i, j) at {@code c[cFrom + i * cRow + j]}; written
     * @param cFrom where C begins
     * @param cRow from one row of C to the next
     * @param add whether to add to C, or to replace what is there, which is not read then
     */
    void multiply(int m, int n, int k, double[] a, int aFrom, int aRow, int aColumn, double[] b, int bFrom, int bRow,
            double[] c, int cFrom, int cRow, boolean add);

    /**
     * The largest number of each column: max[j] ← max(max[j], s_ij over all rows i). With a NaN in the column it is NaN or the
     * largest of the others, and with both zeros either of them: here alone the backends may differ. O(rows · n).
     *
     * @param rows rows of s, ≥ 0
     * @param n columns of s, ≥ 0
     * @param s entry (i, j) at {@code s[sFrom + i * sRow + j]}; not modified
     * @param sFrom where s begins
     * @param sRow from one row of s to the next
     * @param max n numbers or more; the first n are updated
     */
    void max(int rows, int n, double[] s, int sFrom, int sRow, double[] max);

    /**
     * Exponentials below their column's maximum, and their sums: s_ij ← e^{s_ij − max[j]} and sum[j] ← sum[j] + Σ_i s_ij, row by row.
     * The exponential is within 1 ulp of that of the rounded difference, also where it is subnormal; e^−∞ is 0, and NaN is NaN. The
     * rounding of the difference changes the result by a factor of up to 1 ± 2⁻⁵³ |s_ij − max[j]|. O(rows · n).
     *
     * @param rows rows of s, ≥ 0
     * @param n columns of s, ≥ 0
     * @param s entry (i, j) at {@code s[sFrom + i * sRow + j]}, at most max[j], or NaN; replaced
     * @param sFrom where s begins
     * @param sRow from one row of s to the next
     * @param max n finite numbers or more; with ±∞ or NaN the column becomes NaN, or 0
     * @param sum n numbers or more; the first n are updated
     */
    void exp(int rows, int n, double[] s, int sFrom, int sRow, double[] max, double[] sum);

    /**
     * n independent values of q·k = Σ q_t k_t for fresh q, k ~ N(0, I) of dK components each. They depend on the generator and on the
     * backend alone, not on the processor or the JDK, and each backend has its own:
     * <ul>
     * <li>plain draws q₁, k₁, q₂, k₂, … by the ziggurat: the values of {@link rootdk.stats.Draws#dot(int)}, one after the other;
     * <li>vector takes 64 words of the generator as the states of 16 generators xoshiro256+ (Blackman &amp; Vigna 2021, "Scrambled Linear
     * Pseudorandom Number Generators", ACM Transactions on Mathematical Software 47(4)), two for each of 8 values at a time, and makes q_t
     * and k_t of one word of either (Box &amp; Muller 1958, "A note on the generation of random normal deviates", Annals of Mathematical
     * Statistics 29, 610–611). Normal numbers end at ±8.49, which only one in 6·10¹⁶ would pass.
     * </ul>
     * O(n · dK).
     *
     * @param random the generator, in whatever state it is; moved on
     * @param dK the number of components, ≥ 1
     * @param n how many values, ≥ 0
     * @param dots n numbers or more; the first n are written
     * @throws java.util.concurrent.CancellationException if the thread is interrupted; the flag stays set, and dots may be half written
     */
    void dots(Xoroshiro128PlusPlus random, int dK, int n, double[] dots);
}
