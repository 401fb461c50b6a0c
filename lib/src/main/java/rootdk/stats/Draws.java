package rootdk.stats;

import java.util.concurrent.CancellationException;
import org.apache.commons.rng.sampling.distribution.SharedStateContinuousSampler;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;
import org.ejml.simple.SimpleMatrix;
import rootdk.backend.Xoroshiro128PlusPlus;

/**
 * A stream of random draws. Not thread-safe; {@link Sampling} gives each of its threads streams of their own.
 *
 * <p>Generator and normal draws are those of {@link Xoroshiro128PlusPlus}: xoroshiro128++, of those in Commons RNG the fastest here,
 * which can jump 2⁶⁴ steps ahead, so that {@link Sampling} gets streams that cannot overlap; and McFarland's ziggurat.
 *
 * <p><strong>The same numbers everywhere.</strong> Generator and tables are integers and constants, and a draw is their product.
 * The only call that Java lets differ in the last bit between machines is {@code Math.exp}, met by 1 draw in 100 or so, and it
 * decides there only whether a candidate is kept: the exponential is compared with a random height and then thrown away. The
 * draws change only if that height falls between two neighbouring doubles, about once in 10¹⁶ such comparisons. A test compares a
 * digest of 10⁵ draws on every Java it runs on.
 */
public final class Draws {
    final Xoroshiro128PlusPlus random;
    private final SharedStateContinuousSampler exponential;

    Draws(Xoroshiro128PlusPlus random) {
        this.random = random;
        this.exponential = ZigguratSampler.Exponential.of(random);
    }

    /**
     * A stream that depends on the seed alone: the one that the first values of {@link Sampling#values} come from.
     *
     * @param seed any number; different seeds give unrelated streams
     * @return a new stream at its beginning
     */
    public static Draws of(long seed) {
        return new Draws(Xoroshiro128PlusPlus.of(seed));
    }

    /**
     * A draw from the normal distribution with mean 0 and variance 1.
     *
     * @return the draw
     */
    public double gaussian() {
        return random.nextGaussian();
    }

    /**
     * A draw from the uniform distribution on [0, 1): mean ½, variance 1/12.
     *
     * @return the draw, a multiple of 2⁻⁵³
     */
    public double uniform() {
        return random.nextDouble();
    }

    /**
     * −1 or 1, each with probability ½: mean 0, variance 1, kurtosis 1, as light as tails get.
     *
     * @return the draw
     */
    public double rademacher() {
        return random.nextLong() < 0 ? -1 : 1;
    }

    /**
     * A draw from the exponential distribution with mean 1: density e^{−x} for x ≥ 0, by the ziggurat of the same source.
     *
     * @return the draw
     */
    public double exponential() {
        return exponential.sample();
    }

    /**
     * n independent draws of {@link #gaussian}.
     *
     * @param n at least 0
     * @return a new array
     * @throws IllegalArgumentException if n is negative
     */
    public double[] gaussians(int n) {
        double[] x = new double[Checks.atLeast(0, "n", n)];
        for (int i = 0; i < n; i++) {
            x[i] = random.nextGaussian();
        }
        return x;
    }

    /**
     * A matrix of independent draws of {@link #gaussian}, filled row by row.
     *
     * @param rows at least 1
     * @param columns at least 1
     * @return a new rows × columns matrix
     * @throws IllegalArgumentException if a size is below 1
     */
    public SimpleMatrix gaussianMatrix(int rows, int columns) {
        SimpleMatrix m = new SimpleMatrix(Checks.atLeast(1, "rows", rows), Checks.atLeast(1, "columns", columns));
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) {
                m.set(i, j, random.nextGaussian());
            }
        }
        return m;
    }

    /**
     * q·k = Σ q_i k_i for a fresh query and a fresh key, all components independent normal draws: mean 0, variance dK, kurtosis
     * 3 + 6/dK. The components are drawn as q₁, k₁, q₂, k₂, … and not stored. O(dK).
     *
     * @param dK at least 1
     * @return q·k, not scaled
     * @throws IllegalArgumentException if dK is below 1
     */
    public double dot(int dK) {
        Checks.atLeast(1, "dK", dK);
        return random.nextDot(dK);
    }

    /**
     * q·k = Σ q_i k_i for a fresh query and a fresh key, all components independent with the given distribution, drawn as
     * q₁, k₁, q₂, k₂, …. With variance 1 and mean 0 of x, q·k has mean 0, variance dK and kurtosis 3 + (κ² − 3)/dK for a kurtosis κ
     * of x. O(dK).
     *
     * @param x the distribution of the components of both
     * @param dK at least 1
     * @return q·k, not scaled
     * @throws IllegalArgumentException if dK is below 1
     */
    public double dot(Distribution x, int dK) {
        return dot(x, x, dK);
    }

    /**
     * The same with a distribution for the components of q and one for those of k: with means m and variances v, q·k has mean
     * dK·m_q·m_k and variance dK·(v_q·v_k + m_q²·v_k + m_k²·v_q). O(dK).
     *
     * @param q the distribution of the components of q
     * @param k the distribution of the components of k
     * @param dK at least 1
     * @return q·k, not scaled
     * @throws IllegalArgumentException if dK is below 1
     */
    public double dot(Distribution q, Distribution k, int dK) {
        Checks.notNull("q", q);
        Checks.notNull("k", k);
        Checks.atLeast(1, "dK", dK);
        double sum = 0;
        for (int i = 0; i < dK; i++) {
            sum += q.of(this) * k.of(this);
        }
        return sum;
    }

    /**
     * The same with correlation ρ between q_i and k_i: with x and e two draws and m their mean, q_i = x and
     * k_i = m + ρ·(x − m) + √(1 − ρ²)·(e − m). Both have the mean and the variance of x; q_i has its distribution, and k_i has it
     * too if x is Gaussian, else it is one between x and a sum of two. With variance 1 and mean 0, q·k has mean ρ·dK and variance
     * dK·(1 + ρ²·(κ − 2)), which is dK·(1 + ρ²) for a Gaussian. O(dK).
     *
     * <p>Unless ρ = 0 there is a square of x in q·k, so q·k has a moment of order p only if x has one of 2p: under Student's t its
     * variance is infinite for ν ≤ 4, and its kurtosis, with it {@link Moments#varianceError}, for ν ≤ 8.
     *
     * @param x the distribution, of finite variance
     * @param rho ρ, in [−1, 1]
     * @param dK at least 1
     * @return q·k, not scaled
     * @throws IllegalArgumentException if rho is outside [−1, 1], dK is below 1, or x has no finite variance
     */
    public double dot(Distribution x, double rho, int dK) {
        Checks.notNull("x", x);
        Checks.atLeast(1, "dK", dK);
        if (!(rho >= -1 && rho <= 1)) {
            throw new IllegalArgumentException("rho is " + rho + ": a correlation is in [-1, 1]");
        }
        if (!Double.isFinite(x.variance())) {
            throw new IllegalArgumentException(x + " has no finite variance, so there is no correlation: choose another distribution");
        }
        double rest = Math.sqrt((1 - rho) * (1 + rho));
        double mean = x.mean();
        double sum = 0;
        for (int i = 0; i < dK; i++) {
            double q = x.of(this);
            sum += q * (mean + rho * (q - mean) + rest * (x.of(this) - mean));
        }
        return sum;
    }

    /**
     * The largest of n fresh draws of {@link #gaussian}, which are not stored. Its mean is {@link NormalMaximum#expected}. O(n).
     *
     * @param n at least 1
     * @return the largest
     * @throws IllegalArgumentException if n is below 1
     * @throws CancellationException if the thread is interrupted
     */
    public double maximum(long n) {
        Checks.atLeast(1, "n", n);
        double largest = Double.NEGATIVE_INFINITY;
        for (long i = 0; i < n; i++) {
            if (i % 4096 == 4095) {
                Checks.notInterrupted();
            }
            largest = Math.max(largest, random.nextGaussian());
        }
        return largest;
    }

    /**
     * One row of scores: q·k_j for one fresh query and n fresh keys, not scaled. The entries share q, so given q they are
     * independent N(0, ‖q‖²), and across rows they are uncorrelated but not independent. O(n·dK).
     *
     * @param dK at least 1
     * @param n the number of keys, at least 1
     * @return a new array of n scores
     * @throws IllegalArgumentException if dK or n is below 1
     * @throws CancellationException if the thread is interrupted
     */
    public double[] logits(int dK, int n) {
        double[] q = gaussians(Checks.atLeast(1, "dK", dK));
        double[] scores = new double[Checks.atLeast(1, "n", n)];
        for (int j = 0; j < n; j++) {
            Checks.notInterrupted();
            double sum = 0;
            for (double x : q) {
                sum += x * random.nextGaussian();
            }
            scores[j] = sum;
        }
        return scores;
    }

    /**
     * q·k = Σ q_i k_i of two given vectors, summed in index order.
     *
     * @param q dK numbers; not modified
     * @param k dK numbers; not modified
     * @return q·k; 0 for empty vectors; NaN as the arithmetic gives it
     * @throws IllegalArgumentException if the lengths differ
     */
    public static double dot(double[] q, double[] k) {
        Checks.notNull("q", q);
        Checks.notNull("k", k);
        if (k.length != q.length) {
            throw new IllegalArgumentException("k has " + k.length + " components, q has " + q.length + ": both must be d_k");
        }
        double sum = 0;
        for (int i = 0; i < q.length; i++) {
            sum += q[i] * k[i];
        }
        return sum;
    }
}
