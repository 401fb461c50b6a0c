package rootdk.stats;

import org.ejml.simple.SimpleMatrix;

/**
 * The normal distribution of a vector x of n components with mean vector μ and covariance matrix Σ: x = μ + L·z, with L·Lᵀ = Σ
 * (Cholesky) and z of n independent normal draws. Immutable, and a {@link VectorStatistic}.
 *
 * <p>With q from N(μ_q, Σ_q) and an independent k from N(μ_k, Σ_k), {@code d -> Draws.dot(q.of(d), k.of(d))} has mean μ_q·μ_k and
 * variance tr(Σ_qΣ_k) + μ_qᵀΣ_kμ_q + μ_kᵀΣ_qμ_k. For q and k that depend on each other, draw both as one vector of 2·dK components.
 */
public final class MultivariateNormal implements VectorStatistic {
    private final double[] mean;
    private final double[][] root; // the lower triangle L, row i of length i + 1

    private MultivariateNormal(double[] mean, double[][] root) {
        this.mean = mean;
        this.root = root;
    }

    /**
     * With mean 0.
     *
     * @param covariance Σ (n × n), symmetric and positive semidefinite; not modified
     * @return the distribution
     * @throws IllegalArgumentException if Σ is not as said
     */
    public static MultivariateNormal withCovariance(SimpleMatrix covariance) {
        return with(new double[Checks.notNull("covariance", covariance).getNumRows()], covariance);
    }

    /**
     * With any mean. O(n³). A Σ of lower rank is allowed: components may be constant, equal, or sums of others.
     *
     * @param mean μ, n finite numbers; not modified
     * @param covariance Σ (n × n), symmetric and positive semidefinite, both to 12 digits of its largest diagonal entry; not
     *     modified
     * @return the distribution
     * @throws IllegalArgumentException if the sizes do not match or Σ is not as said
     */
    public static MultivariateNormal with(double[] mean, SimpleMatrix covariance) {
        Checks.notNull("mean", mean);
        int n = Checks.notNull("covariance", covariance).getNumRows();
        if (covariance.getNumCols() != n || mean.length != n || n == 0) {
            throw new IllegalArgumentException("covariance is " + n + " × " + covariance.getNumCols() + ", mean has " + mean.length
                    + " components: both must be those of n components, at least 1");
        }
        double largest = 0;
        for (int i = 0; i < n; i++) {
            Checks.finite("mean[" + i + "]", mean[i]);
            for (int j = 0; j < n; j++) {
                Checks.finite("covariance[" + i + ", " + j + "]", covariance.get(i, j));
            }
            largest = Math.max(largest, covariance.get(i, i));
        }
        double tolerance = 1e-12 * largest;
        double[][] root = new double[n][];
        for (int i = 0; i < n; i++) {
            root[i] = new double[i + 1];
            for (int j = 0; j <= i; j++) {
                if (Math.abs(covariance.get(i, j) - covariance.get(j, i)) > tolerance) {
                    throw new IllegalArgumentException("covariance[" + i + ", " + j + "] is " + covariance.get(i, j)
                            + " and [" + j + ", " + i + "] is " + covariance.get(j, i) + ": it must be symmetric");
                }
                double rest = covariance.get(i, j);
                for (int t = 0; t < j; t++) {
                    rest -= root[i][t] * root[j][t];
                }
                // A pivot of 0 says that component j is a combination of earlier ones: then nothing may be left to explain below it.
                double pivot = j == i ? Math.sqrt(Math.max(0, rest)) : root[j][j];
                double pivotOrZero = pivot * pivot <= tolerance ? 0 : pivot;
                if (j == i ? rest < -tolerance : pivotOrZero == 0 && Math.abs(rest) > Math.sqrt(tolerance * largest)) {
                    throw new IllegalArgumentException("covariance is not positive semidefinite, as its first " + (i + 1)
                            + " rows show: no vector has such variances and covariances");
                }
                root[i][j] = j == i ? pivotOrZero : pivotOrZero == 0 ? 0 : rest / pivotOrZero;
            }
        }
        return new MultivariateNormal(mean.clone(), root);
    }

    /**
     * One draw of the vector. O(n²).
     *
     * @param draws where to take random numbers from
     * @return a new array of n components
     */
    @Override
    public double[] of(Draws draws) {
        double[] z = Checks.notNull("draws", draws).gaussians(mean.length);
        double[] x = mean.clone();
        for (int i = 0; i < x.length; i++) {
            for (int j = 0; j <= i; j++) {
                x[i] += root[i][j] * z[j];
            }
        }
        return x;
    }
}
