package rootdk.stats;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.ejml.simple.SimpleMatrix;
import rootdk.attention.Attention;
import rootdk.attention.Heads;
import rootdk.attention.Logits;

/**
 * What the queries and keys of one attention head are like, and what becomes of them: their moments, what these say about the
 * scores q·k, and the rows of weights. It is for one sequence: each query meets each key. Immutable.
 *
 * <p>With μ_q, Σ_q the mean and covariance of the nQ queries, each counted 1/nQ, and μ_k, Σ_k those of the nK keys, the variance
 * of all nQ·nK scores is exactly
 * <pre>  tr(Σ_qΣ_k) + μ_qᵀΣ_kμ_q + μ_kᵀΣ_qμ_k</pre>
 * whatever the distributions, and however q and k of one token depend on each other: to pick a pair from all is to pick q and k
 * independently. The first two terms are the mean variance <em>within</em> a row, all that softmax sees; the last is the
 * variance of the rows' means.
 */
public final class HeadStatistics {
    /** A row is saturated if one weight is above this. */
    private static final double SATURATED = 0.99;

    private final Attention attention;
    private final Moments q;
    private final Moments k;
    private final SimpleMatrix meanQ;
    private final SimpleMatrix meanK;
    private final SimpleMatrix covarianceQ;
    private final SimpleMatrix covarianceK;

    private HeadStatistics(Attention attention) {
        this.attention = attention;
        SimpleMatrix Q = attention.Q();
        SimpleMatrix K = attention.K();
        q = Moments.of(Q.getDDRM().data);
        k = Moments.of(K.getDDRM().data);
        meanQ = mean(Q);
        meanK = mean(K);
        covarianceQ = covariance(Q, meanQ);
        covarianceK = covariance(K, meanK);
    }

    /**
     * Measures a head. O(nQ·nK·dK + (nQ + nK)·dK²).
     *
     * @param Q nQ × dK, of finite doubles, not yet divided by anything; not modified
     * @param K nK × dK, of finite doubles; not modified
     * @param rule how scores become logits, for example {@code Logits.dividedBy(Scale.sqrt(dK)).causal()}
     * @return the statistics
     * @throws IllegalArgumentException if the shapes do not fit, a matrix is empty or holds floats, or a number is NaN or infinite
     */
    public static HeadStatistics of(SimpleMatrix Q, SimpleMatrix K, Logits rule) {
        Attention attention = Attention.forward(Q, K, K, rule); // the values do not matter here
        requireFinite("Q", Q);
        requireFinite("K", K);
        return new HeadStatistics(attention);
    }

    /**
     * Measures the heads of a layer, whose components stand side by side: head a has the columns a·dK up to (a + 1)·dK.
     *
     * @param Q nQ × (heads · dK), of finite doubles, not yet divided by anything; not modified
     * @param K nK × (heads · dK), of finite doubles; not modified
     * @param heads the number of heads, a divisor of the number of columns
     * @param rule how scores become logits, the same for all heads
     * @return the statistics of each head, in an unmodifiable list
     * @throws IllegalArgumentException if the shapes do not fit, a matrix is empty or holds floats, or a number is NaN or infinite
     */
    public static List<HeadStatistics> ofHeads(SimpleMatrix Q, SimpleMatrix K, int heads, Logits rule) {
        int columns = Checks.notNull("Q", Q).getNumCols();
        if (Checks.notNull("K", K).getNumCols() != columns) {
            throw new IllegalArgumentException("K has " + K.getNumCols() + " columns, Q has " + columns
                    + ": both must be heads · d_k. Where several heads share a key, repeat it for each");
        }
        List<SimpleMatrix> qs = Heads.split(Q, heads);
        List<SimpleMatrix> ks = Heads.split(K, heads);
        return IntStream.range(0, heads).mapToObj(a -> of(qs.get(a), ks.get(a), rule)).toList();
    }

    private static void requireFinite(String name, SimpleMatrix m) {
        for (int i = 0; i < m.getNumRows(); i++) {
            for (int j = 0; j < m.getNumCols(); j++) {
                if (!Double.isFinite(m.get(i, j))) {
                    throw new IllegalArgumentException(name + " has " + m.get(i, j) + " in row " + i + ", column " + j
                            + " (counted from 0): it must hold finite numbers; leave out rows that are padding");
                }
            }
        }
    }

    private static SimpleMatrix mean(SimpleMatrix m) {
        double[] sum = new double[m.getNumCols()];
        for (int i = 0; i < m.getNumRows(); i++) {
            for (int j = 0; j < sum.length; j++) {
                sum[j] += m.get(i, j);
            }
        }
        return new SimpleMatrix(sum.length, 1, true, sum).divide(m.getNumRows());
    }

    /** Σ over rows of (x − μ)(x − μ)ᵀ / n. */
    private static SimpleMatrix covariance(SimpleMatrix m, SimpleMatrix mean) {
        return crossCovariance(m, mean, m, mean);
    }

    private static SimpleMatrix crossCovariance(SimpleMatrix a, SimpleMatrix meanA, SimpleMatrix b, SimpleMatrix meanB) {
        int d = a.getNumCols();
        SimpleMatrix sum = new SimpleMatrix(d, d);
        for (int row = 0; row < a.getNumRows(); row++) {
            for (int i = 0; i < d; i++) {
                double x = a.get(row, i) - meanA.get(i);
                for (int j = 0; j < d; j++) {
                    sum.set(i, j, sum.get(i, j) + x * (b.get(row, j) - meanB.get(j)));
                }
            }
        }
        return sum.divide(a.getNumRows());
    }

    /**
     * The moments of all components of all queries together.
     *
     * @return moments of nQ·dK numbers; a copy
     */
    public Moments q() {
        return copy(q);
    }

    /**
     * The moments of all components of all keys together.
     *
     * @return moments of nK·dK numbers; a copy
     */
    public Moments k() {
        return copy(k);
    }

    private static Moments copy(Moments m) {
        Moments copy = new Moments();
        copy.merge(m);
        return copy;
    }

    /**
     * Σ_q, with the divisor nQ.
     *
     * @return a new dK × dK matrix
     */
    public SimpleMatrix covarianceQ() {
        return covarianceQ.copy();
    }

    /**
     * Σ_k, with the divisor nK.
     *
     * @return a new dK × dK matrix
     */
    public SimpleMatrix covarianceK() {
        return covarianceK.copy();
    }

    /**
     * tr(Σ_q)·tr(Σ_k)/d_k: the variance of q·k if no direction were stronger than another, and both means 0.
     *
     * @return a variance
     */
    public double ifIsotropic() {
        return covarianceQ.trace() * covarianceK.trace() / covarianceQ.getNumRows();
    }

    /**
     * tr(Σ_qΣ_k), the variance of q·k if both means were 0.
     *
     * @return a variance
     */
    public double trace() {
        return covarianceQ.elementMult(covarianceK).elementSum(); // both are symmetric
    }

    /**
     * μ_qᵀΣ_kμ_q, what the mean query adds to the variance within a row: a preference for the same keys in each row.
     *
     * @return a variance
     */
    public double fromMeanQuery() {
        return meanQ.transpose().mult(covarianceK).dot(meanQ);
    }

    /**
     * μ_kᵀΣ_qμ_k, what the mean key adds to the variance of all scores: the same in a whole row, and so without effect on softmax.
     *
     * @return a variance
     */
    public double fromMeanKey() {
        return meanK.transpose().mult(covarianceQ).dot(meanK);
    }

    /**
     * √(tr(Σ_qΣ_k) + μ_qᵀΣ_kμ_q), the divisor with which the mean variance within a row, over all keys, is 1. For independent
     * components with mean 0 and variance 1 it is √d_k, up to sampling error.
     *
     * @return a divisor; 0 if all keys are equal
     */
    public double impliedDivisor() {
        return Math.sqrt(trace() + fromMeanQuery());
    }

    /**
     * How many directions share in q·k: tr(Σ_qΣ_k)² / tr((Σ_qΣ_k)²), from 1 to d_k. It takes the place of d_k in the tails: for
     * normal q and k with mean 0 the excess kurtosis of q·k is 6 over this number.
     *
     * @return the number of directions; NaN if q·k has no variance
     */
    public double directions() {
        SimpleMatrix product = covarianceQ.mult(covarianceK);
        return trace() * trace() / product.mult(product).trace();
    }

    /**
     * ρ = tr(Σ_qk) / √(tr(Σ_q)·tr(Σ_k)), the correlation of a component of a token's query with the same component of its own key,
     * weighted by their sizes; Σ_qk is the covariance of q_i and k_i over i.
     *
     * @return a number in [−1, 1]; NaN if there are not as many keys as queries, or all queries or all keys are equal
     */
    public double correlation() {
        if (attention.Q().getNumRows() != attention.K().getNumRows()) {
            return Double.NaN;
        }
        double covariance = crossCovariance(attention.Q(), meanQ, attention.K(), meanK).trace();
        return covariance / Math.sqrt(covarianceQ.trace() * covarianceK.trace());
    }

    /**
     * The standard deviation of the logits within a row: the root of the mean variance, over the rows, of a row's logits about their
     * mean. What is masked does not count. Without mask, bias and cap it is {@link #impliedDivisor} / divisor.
     *
     * @return σ
     */
    public double sigma() {
        SimpleMatrix logits = attention.logits();
        Moments variances = new Moments();
        for (int i = 0; i < logits.getNumRows(); i++) {
            Moments row = Moments.of(Arrays.stream(row(logits, i)).filter(Double::isFinite).toArray());
            if (row.count() > 0) {
                variances.add(row.count() == 1 ? 0 : row.variance() * (row.count() - 1) / row.count());
            }
        }
        return Math.sqrt(variances.mean());
    }

    /**
     * The head itself: scores, logits and weights.
     *
     * @return the attention with the keys as values
     */
    public Attention attention() {
        return attention;
    }

    /**
     * The largest weight of each row.
     *
     * @return nQ numbers in [0, 1]
     */
    public double[] topWeights() {
        return ofRows(p -> Arrays.stream(p).max().getAsDouble());
    }

    /**
     * N_eff = (Σp)²/Σp² of each row, the number of keys that take part.
     *
     * @return nQ numbers in [1, nK]; 0 for a row that attends to nothing
     */
    public double[] effectiveCounts() {
        return ofRows(p -> {
            double sum = 0; // less than 1 beside a sink
            double squares = 0;
            for (double x : p) {
                sum += x;
                squares += x * x;
            }
            return sum == 0 ? 0 : sum * sum / squares;
        });
    }

    /**
     * The share of rows in which one weight is above 0.99.
     *
     * @return a number in [0, 1]
     */
    public double saturatedRows() {
        double[] top = topWeights();
        return Arrays.stream(top).filter(p -> p > SATURATED).count() / (double) top.length;
    }

    /**
     * The mean weight of each key over all rows: 1/nK each if the attention is even.
     *
     * @return nK numbers in [0, 1]
     */
    public double[] received() {
        SimpleMatrix weights = attention.weights();
        double[] sum = new double[weights.getNumCols()];
        for (int i = 0; i < weights.getNumRows(); i++) {
            for (int j = 0; j < sum.length; j++) {
                sum[j] += weights.get(i, j);
            }
        }
        return Arrays.stream(sum).map(x -> x / weights.getNumRows()).toArray();
    }

    private double[] ofRows(ToDoubleFunction<double[]> f) {
        SimpleMatrix weights = attention.weights();
        return IntStream.range(0, weights.getNumRows()).mapToDouble(i -> f.applyAsDouble(row(weights, i))).toArray();
    }

    private static double[] row(SimpleMatrix m, int i) {
        int n = m.getNumCols();
        return Arrays.copyOfRange(m.getDDRM().data, i * n, (i + 1) * n);
    }
}
