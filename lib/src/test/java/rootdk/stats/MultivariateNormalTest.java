package rootdk.stats;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;

class MultivariateNormalTest {
    /** [[4, 2], [2, 5]] = L·Lᵀ with L = [[2, 0], [1, 2]]. */
    @Test
    void byHand() {
        double[] z = Draws.of(6).gaussians(2);
        double[] x = MultivariateNormal.with(new double[] {10, 20}, matrix(new double[][] {{4, 2}, {2, 5}})).of(Draws.of(6));
        assertArrayEquals(new double[] {10 + 2 * z[0], 20 + z[0] + 2 * z[1]}, x, 1e-14);
    }

    /** All 3 means and 6 covariances within 4 standard errors. */
    @Test
    void samplesHaveTheMeanAndTheCovariance() {
        double[] mean = {0.5, -1, 0.2};
        SimpleMatrix sigma = gram(new double[][] {{2, 0, 0}, {0.5, 1, 0}, {-1, 0.3, 0.5}});
        MultivariateNormal x = MultivariateNormal.with(mean, sigma);
        Moments[] m = Sampling.moments(12, 100_000, 12, d -> {
            double[] v = x.of(d);
            double[] all = Arrays.copyOf(v, 12);
            for (int i = 0; i < 9; i++) {
                all[3 + i] = (v[i / 3] - mean[i / 3]) * (v[i % 3] - mean[i % 3]);
            }
            return all;
        });
        for (int i = 0; i < 3; i++) {
            assertEquals(mean[i], m[i].mean(), 4 * m[i].meanError());
        }
        for (int i = 0; i < 9; i++) {
            assertEquals(sigma.get(i / 3, i % 3), m[3 + i].mean(), 4 * m[3 + i].meanError());
        }
    }

    /** Var(q·k) = tr(Σ_qΣ_k) + μ_qᵀΣ_kμ_q + μ_kᵀΣ_qμ_k, and E = μ_q·μ_k. */
    @Test
    void varianceOfAnAnisotropicDotProduct() {
        SimpleMatrix sigmaQ = gram(new double[][] {{2, 0, 0}, {0.5, 1, 0}, {-1, 0.3, 0.5}});
        SimpleMatrix sigmaK = gram(new double[][] {{1, 0, 0}, {-0.8, 0.6, 0}, {0.4, 0.2, 1.5}});
        SimpleMatrix muQ = new SimpleMatrix(new double[] {0.5, -1, 0.2});
        SimpleMatrix muK = new SimpleMatrix(new double[] {1, 0.3, -0.7});
        MultivariateNormal q = MultivariateNormal.with(muQ.getDDRM().getData(), sigmaQ);
        MultivariateNormal k = MultivariateNormal.with(muK.getDDRM().getData(), sigmaK);
        Moments m = Sampling.moments(13, 200_000, d -> Draws.dot(q.of(d), k.of(d)));
        assertEquals(muQ.dot(muK), m.mean(), 4 * m.meanError());
        assertEquals(sigmaQ.mult(sigmaK).trace() + muQ.dot(sigmaK.mult(muQ)) + muK.dot(sigmaQ.mult(muK)), m.variance(),
                4 * m.varianceError());
    }

    /** q and k as one vector with cross-covariance C: E[q·k] = tr C, Var = tr(Σ_qΣ_k) + tr(C²). */
    @Test
    void queryAndKeyThatDependOnEachOther() {
        SimpleMatrix joint = matrix(new double[][] {{1, 0, 0.5, 0.2}, {0, 1, -0.1, 0.3}, {0.5, -0.1, 1, 0}, {0.2, 0.3, 0, 1}});
        MultivariateNormal both = MultivariateNormal.withCovariance(joint);
        Moments m = Sampling.moments(14, 200_000, d -> {
            double[] x = both.of(d);
            return x[0] * x[2] + x[1] * x[3];
        });
        assertEquals(0.8, m.mean(), 4 * m.meanError());
        assertEquals(2 + 0.25 + 2 * 0.2 * -0.1 + 0.09, m.variance(), 4 * m.varianceError());
    }

    /** The third component is the sum of the others, the fourth is constant. */
    @Test
    void lowerRank() {
        SimpleMatrix l = matrix(new double[][] {{0.3, 0}, {0.1, 0.7}, {0.4, 0.7}, {0, 0}});
        double[] x = MultivariateNormal.with(new double[] {0, 0, 0, 7}, l.mult(l.transpose())).of(Draws.of(8));
        assertEquals(x[0] + x[1], x[2], 1e-7);
        assertEquals(7, x[3]);
        double[] first = MultivariateNormal.withCovariance(matrix(new double[][] {{0, 0}, {0, 9}})).of(Draws.of(8));
        assertArrayEquals(new double[] {0, 3 * Draws.of(8).gaussians(2)[1]}, first);
        assertArrayEquals(new double[2], MultivariateNormal.withCovariance(new SimpleMatrix(2, 2)).of(Draws.of(8)));
    }

    /** Σ = B·Bᵀ of every rank is accepted, at any size of its entries, and L·Lᵀ is Σ again: the components' variances show it. */
    @Test
    void everySemidefiniteMatrixIsAccepted() {
        Draws draws = Draws.of(9);
        for (double size : new double[] {1e-100, 1, 1e100}) {
            for (int rank = 1; rank <= 8; rank++) {
                SimpleMatrix b = draws.gaussianMatrix(8, rank);
                MultivariateNormal.withCovariance(b.mult(b.transpose()).scale(size));
            }
        }
    }

    @Test
    void resultsAndArgumentsAreCopies() {
        double[] mean = {1};
        MultivariateNormal x = MultivariateNormal.with(mean, new SimpleMatrix(1, 1));
        mean[0] = 5;
        x.of(Draws.of(1))[0] = 6;
        assertArrayEquals(new double[] {1}, x.of(Draws.of(1)));
    }

    @Test
    void badInput() {
        assertMessage("covariance is null", () -> MultivariateNormal.withCovariance(null));
        assertMessage("covariance is null", () -> MultivariateNormal.with(new double[1], null));
        assertMessage("draws is null", () -> MultivariateNormal.withCovariance(SimpleMatrix.identity(2)).of(null));
        assertMessage("mean is null", () -> MultivariateNormal.with(null, new SimpleMatrix(1, 1)));
        assertMessage("covariance is 2 × 3, mean has 2 components: both must be those of n components, at least 1",
                () -> MultivariateNormal.withCovariance(new SimpleMatrix(2, 3)));
        assertMessage("covariance is 2 × 2, mean has 3 components: both must be those of n components, at least 1",
                () -> MultivariateNormal.with(new double[3], new SimpleMatrix(2, 2)));
        assertMessage("covariance is 0 × 0, mean has 0 components: both must be those of n components, at least 1",
                () -> MultivariateNormal.withCovariance(new SimpleMatrix(0, 0)));
        assertMessage("mean[1] is NaN: it must be finite",
                () -> MultivariateNormal.with(new double[] {0, Double.NaN}, SimpleMatrix.identity(2)));
        assertMessage("covariance[1, 0] is Infinity: it must be finite",
                () -> MultivariateNormal.withCovariance(matrix(new double[][] {{1, 0}, {Double.POSITIVE_INFINITY, 1}})));
        assertMessage("covariance[1, 0] is 0.5 and [0, 1] is 0.4: it must be symmetric",
                () -> MultivariateNormal.withCovariance(matrix(new double[][] {{1, 0.4}, {0.5, 1}})));
        for (double[][] bad : new double[][][] {{{1, 2}, {2, 1}}, {{1, 0}, {0, -1}}, {{0, 0.5}, {0.5, 1}}}) {
            assertMessage("covariance is not positive semidefinite, as its first 2 rows show: "
                    + "no vector has such variances and covariances", () -> MultivariateNormal.withCovariance(matrix(bad)));
        }
    }

    private static SimpleMatrix matrix(double[][] rows) {
        return new SimpleMatrix(rows);
    }

    private static SimpleMatrix gram(double[][] l) {
        return matrix(l).mult(matrix(l).transpose());
    }

    private static void assertMessage(String message, org.junit.jupiter.api.function.Executable call) {
        assertEquals(message, assertThrows(RuntimeException.class, call).getMessage());
    }
}
