package rootdk.attention;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ObjIntConsumer;
import org.ejml.data.DMatrixRMaj;
import org.ejml.simple.SimpleMatrix;
import rootdk.backend.Backend;

/**
 * The same attention as {@link Attention}, forward and backward, without ever holding an nQ × nK matrix: the queries are taken a
 * block and the keys a tile at a time, and each query keeps the running maximum m and sum l of its exponentials ({@link StreamingSoftmax})
 * and its output so far. When a query's maximum grows from m to m′, its sum and output so far are multiplied by e^{m − m′}. The backward
 * pass computes the weights again from m and l.
 *
 * <p>Memory: the output, two numbers for each query, and for each thread a few arrays of {@code tile} × 168 and 168 × (dK + dV)
 * numbers: O(nQ · dV + tile) beside Q, K and V, which are kept and not copied: leave them as they are until the last {@link #backward},
 * or it answers for other numbers. Time is that of {@link Attention}, less what the causal mask hides; the backward pass computes the
 * scores and exponentials once more. A bias or a mask in the rule is an nQ × nK matrix of its own; {@link Logits#alibi} is not.
 *
 * <p>Equal to {@link Attention} to rounding, for every tile size. Differences at the edge of the number range: values near
 * 10³⁰⁸ / nK can overflow here, as they are summed before they are divided; Q is divided by the divisor before the product with K, so
 * a divisor far from 1 can overflow or underflow; and dQ, dK have an absolute error of some ε·max|dOutput·V|, where {@code Attention}
 * keeps relative accuracy when a row is nearly one-hot.
 *
 * <p>Blocks of queries are computed on all processors ({@link Runtime#availableProcessors} threads) where the work is worth it, and by
 * the calling thread alone where it is not. The result is the same bit for bit with any number of threads: what blocks add to the same
 * numbers, the gradients of K and V, they add one after the other in their order.
 *
 * <p><strong>Stopping.</strong> When the calling thread is interrupted (the stop button of a notebook) every thread stops before its next
 * tile; the call waits for them, leaves the thread's interrupt flag set and throws {@link java.util.concurrent.CancellationException}.
 *
 * <p>Changes none of its arguments. {@link #output} is not a copy: treat it as read-only.
 *
 * <p>Source: Dao et al. 2022, "FlashAttention", Algorithm 1 (forward) and Appendix B.2 (backward), with the loops exchanged: the outer
 * over queries, the inner over keys.
 */
public final class TiledAttention {
    private static final int BLOCK = 168; // queries at a time: 21 cache lines, as rows of an even number of them would share places of the cache
    private static final int ALL = 0; // threads: as many as there are processors
    private static final double WORK_FOR_THREADS = 1e7; // multiplications: some milliseconds, against tenths of one to start threads

    private final DMatrixRMaj Q;
    private final DMatrixRMaj K;
    private final DMatrixRMaj V;
    private final Logits rule;
    private final int tile;
    private final Backend backend;
    private final int threads;
    private final DMatrixRMaj output;
    private final double[] max; // m of each query
    private final double[] sum; // l of each query

    private TiledAttention(SimpleMatrix Q, SimpleMatrix K, SimpleMatrix V, Logits rule, int tile, Backend backend, int threads) {
        Attention.checkInputs(Q, K, V, rule);
        if (tile < 1) {
            throw new IllegalArgumentException("tile is " + tile + ": it must be at least 1 key");
        }
        if (backend == null) {
            throw new NullPointerException("backend is null: it must be Backend.plain() or what is in Backend.vector()");
        }
        this.Q = Q.getDDRM();
        this.K = K.getDDRM();
        this.V = V.getDDRM();
        this.rule = rule;
        this.tile = Math.min(tile, K.getNumRows());
        this.backend = backend;
        double work = (double) Q.getNumRows() * K.getNumRows() * (Q.getNumCols() + V.getNumCols());
        this.threads = threads != ALL ? threads : work < WORK_FOR_THREADS ? 1 : Runtime.getRuntime().availableProcessors();
        this.output = new DMatrixRMaj(Q.getNumRows(), V.getNumCols());
        this.max = new double[Q.getNumRows()];
        this.sum = new double[Q.getNumRows()];
    }

    /**
     * Attention with scale, cap, bias, mask and sink, in that order ({@link Logits}), tile by tile, by {@link Backend#plain}. NaN, ±∞ and
     * fully masked rows as in {@link Attention#forward(SimpleMatrix, SimpleMatrix, SimpleMatrix, Logits)}. O(nQ · nK · (dK + dV)).
     *
     * @param Q nQ × dK; kept, not copied
     * @param K nK × dK; kept, not copied
     * @param V nK × dV; kept, not copied
     * @param rule how scores become logits, for example {@code Logits.dividedBy(Scale.sqrt(dK)).causal()}
     * @param tile the number of keys taken at a time, at least 1; more than nK counts as nK. It changes rounding only; 32 to 256 suit a
     *     processor's cache
     * @return the attention with its output
     * @throws IllegalArgumentException if a shape does not fit, a matrix is empty or holds floats, or tile &lt; 1
     * @throws java.util.concurrent.CancellationException if the thread is interrupted
     */
    public static TiledAttention forward(SimpleMatrix Q, SimpleMatrix K, SimpleMatrix V, Logits rule, int tile) {
        return forward(Q, K, V, rule, tile, Backend.plain());
    }

    /**
     * {@link #forward(SimpleMatrix, SimpleMatrix, SimpleMatrix, Logits, int)} by the given backend, and {@link #backward} too.
     *
     * @param Q nQ × dK; kept, not copied
     * @param K nK × dK; kept, not copied
     * @param V nK × dV; kept, not copied
     * @param rule how scores become logits
     * @param tile the number of keys taken at a time, at least 1
     * @param backend {@code Backend.plain()}, or what is in {@code Backend.vector()}: the same bits, at another speed
     * @return the attention with its output
     * @throws IllegalArgumentException if a shape does not fit, a matrix is empty or holds floats, or tile &lt; 1
     * @throws java.util.concurrent.CancellationException if the thread is interrupted
     */
    public static TiledAttention forward(SimpleMatrix Q, SimpleMatrix K, SimpleMatrix V, Logits rule, int tile, Backend backend) {
        return forward(Q, K, V, rule, tile, backend, ALL);
    }

    static TiledAttention forward(SimpleMatrix Q, SimpleMatrix K, SimpleMatrix V, Logits rule, int tile, Backend backend, int threads) {
        TiledAttention a = new TiledAttention(Q, K, V, rule, tile, backend, threads);
        a.eachBlock(Block::forward);
        return a;
    }

    private void eachBlock(ObjIntConsumer<Block> work) {
        ThreadLocal<Block> own = ThreadLocal.withInitial(Block::new);
        try {
            Parallel.run(blocks(), threads, block -> work.accept(own.get(), block));
        } finally {
            own.remove(); // the calling thread would hold on to Q, K, V and the output
        }
    }

    private int blocks() {
        return (Q.numRows + BLOCK - 1) / BLOCK;
    }

    /**
     * weights · V, nQ × dV.
     *
     * @return the output, not a copy
     */
    public SimpleMatrix output() {
        return SimpleMatrix.wrap(output);
    }

    /**
     * log Σ_j e^{logit_j} of each row, with the sink if there is one: weight_ij = e^{logit_ij − logSumExp_i}.
     *
     * @return a new array of nQ numbers; −∞ for a fully masked row without a sink, NaN for a NaN row
     */
    public double[] logSumExp() {
        double[] out = new double[max.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = max[i] + StrictMath.log(sum[i]);
        }
        return out;
    }

    /**
     * The gradients of a loss L, tile by tile. With D_i = dOutput_i · output_i = Σ_j weight_ij dWeight_ij, the gradient of a logit is
     * weight_ij (dOutput_i · V_j − D_i). Masked positions and fully masked rows as in {@link Attention#backward}: gradient 0,
     * never read. O(nQ · nK · (dK + dV)).
     *
     * @param dOutput ∂L/∂output, nQ × dV; not modified
     * @return the gradients, in new matrices; this attention is not modified
     * @throws IllegalArgumentException if dOutput has not the shape of the output, or holds floats
     * @throws java.util.concurrent.CancellationException if the thread is interrupted
     */
    public Gradients backward(SimpleMatrix dOutput) {
        Matrices.requireShape("dOutput", dOutput, output.numRows, output.numCols, "n_q × d_v, the shape of output");
        DMatrixRMaj dQ = new DMatrixRMaj(Q.numRows, Q.numCols);
        DMatrixRMaj dK = new DMatrixRMaj(K.numRows, K.numCols);
        DMatrixRMaj dV = new DMatrixRMaj(V.numRows, V.numCols);
        DMatrixRMaj dBias = rule.hasBias() ? new DMatrixRMaj(Q.numRows, K.numRows) : null;
        double[] dSink = new double[blocks()];
        Turns turns = new Turns(blocks());
        eachBlock((own, block) -> dSink[block] =
                own.backward(block, dOutput.getDDRM().data, dQ.data, dK, dV, dBias == null ? null : dBias.data, turns));
        return new Gradients(SimpleMatrix.wrap(dQ), SimpleMatrix.wrap(dK), SimpleMatrix.wrap(dV),
                Optional.ofNullable(dBias).map(SimpleMatrix::wrap), rule.hasSink() ? Arrays.stream(dSink).reduce(0, Double::sum) : 0);
    }

    /**
     * n consecutive queries and, one after another, the tiles of keys they meet. What belongs to a query stands in a column, so that the
     * inner loops run over queries: a tile's matrices are keys × n, the sums for the queries d × n. A thread fills its one Block anew for
     * the next queries, as new arrays would not be in the near caches; what they hold beyond n columns is left over and not read.
     */
    private final class Block {
        final int most = Math.min(BLOCK, Q.numRows);
        final double[] q = new double[most * Q.numCols]; // Q / divisor of these queries, n × dK
        final double[] qT = new double[q.length]; // dK × n
        final double[] shift = new double[most]; // each query's maximum
        final double[] weights = new double[tile * most]; // of the tile: scores, then logits, then e^{logit − shift}
        final double[] sums = new double[Math.max(Q.numCols, V.numCols) * most]; // over the tiles: dV × n of the output, or dK × n of dQ
        int first;
        int n;
        int key; // the tile's first
        int keys; // how many it has
        boolean masked; // whether it has a masked position

        private void begin(int block) {
            first = block * BLOCK;
            n = Math.min(BLOCK, Q.numRows - first);
            for (int at = 0; at < n * Q.numCols; at++) {
                q[at] = Q.data[first * Q.numCols + at] / rule.divisor();
            }
            transpose(n, Q.numCols, q, qT);
            Arrays.fill(sums, 0);
        }

        void forward(int block) {
            begin(block);
            double[] highest = new double[n];
            double[] before = new double[n];
            double[] l = new double[n];
            Arrays.fill(highest, rule.sinkLogit());
            Arrays.fill(l, rule.hasSink() ? 1 : 0);
            for (key = 0; take(); key += tile) {
                computeLogits(null);
                System.arraycopy(highest, 0, before, 0, n);
                backend.max(keys, n, weights, 0, n, highest);
                rescale(before, highest, l);
                shiftBy(highest, 0);
                backend.exp(keys, n, weights, 0, n, shift, l);
                addToQueries(weights, V);
            }
            System.arraycopy(highest, 0, max, first, n);
            System.arraycopy(l, 0, sum, first, n);
            for (int i = 0; i < n; i++) {
                for (int c = 0; c < V.numCols; c++) {
                    double x = sums[c * n + i];
                    output.data[(first + i) * V.numCols + c] = l[i] == 0 ? x : x / l[i]; // if l is 0, so is x
                }
            }
        }

        /** Fills its part of dQ, and of dBias unless that is null, adds to dK and dV in its turn, and returns its part of dSink. */
        double backward(int block, double[] dOutput, double[] dQ, DMatrixRMaj dK, DMatrixRMaj dV, double[] dBias, Turns turns) {
            begin(block);
            shiftBy(max, first);
            double[] up = new double[n * V.numCols]; // dOutput / l, so that weights below need no division by l
            double[] mean = new double[n]; // D / l
            double dSink = 0;
            for (int i = 0; i < n; i++) {
                divideByL(i, dOutput, up);
                mean[i] = Matrices.dot(up, i * V.numCols, output.data, (first + i) * V.numCols, V.numCols);
                dSink -= StrictMath.exp(rule.sinkLogit() - shift[i]) * mean[i];
            }
            double[] upT = new double[up.length];
            transpose(n, V.numCols, up, upT);
            double[] scaled = rule.hasCap() ? new double[weights.length] : null;
            double[] gradient = new double[weights.length]; // of the tile: dWeights, then dLogits, then dScores · divisor
            double[] unused = new double[n];
            for (key = 0; take(); key += tile) {
                computeLogits(scaled);
                backend.exp(keys, n, weights, 0, n, shift, unused);
                hide(weights, 0); // a NaN row is not 0 there
                backend.multiply(keys, n, V.numCols, V.data, key * V.numCols, V.numCols, 1, upT, 0, n, gradient, 0, n, false);
                for (int row = 0; row < keys * n; row += n) {
                    timesDifference(n, weights, gradient, row, mean);
                }
                hide(gradient, 0);
                copyTransposed(gradient, dBias);
                if (scaled != null) {
                    for (int at = 0; at < keys * n; at++) {
                        gradient[at] = rule.throughCap(gradient[at], scaled[at]);
                    }
                    hide(gradient, 0); // the cap of a masked NaN
                }
                addToQueries(gradient, K);
                turns.await(block, key / tile);
                addToKeys(weights, up, dV);
                addToKeys(gradient, q, dK);
                turns.pass(block, key / tile);
            }
            turns.pass(block, Integer.MAX_VALUE); // also the tiles that the causal mask hides
            for (int i = 0; i < n; i++) {
                for (int c = 0; c < Q.numCols; c++) {
                    dQ[(first + i) * Q.numCols + c] = sums[c * n + i] / rule.divisor();
                }
            }
            return dSink;
        }

        /** Sets the size of the tile at {@code key}; false if the causal mask hides it from all these queries, or there is none. */
        private boolean take() {
            Matrices.stopIfInterrupted();
            keys = Math.min(tile, rule.keysBefore(first + n - 1, Q.numRows, K.numRows) - key);
            masked = keys > 0 && rule.masksAny(first, n, key, keys, Q.numRows, K.numRows);
            return keys > 0;
        }

        /** The tile's logits into {@code weights}, −∞ where masked; the scaled scores too into {@code scaled}, unless it is null. */
        private void computeLogits(double[] scaled) {
            backend.multiply(keys, n, Q.numCols, K.data, key * Q.numCols, Q.numCols, 1, qT, 0, n, weights, 0, n, false);
            if (scaled != null) {
                System.arraycopy(weights, 0, scaled, 0, keys * n);
            }
            if (rule.hasMoreThanScale()) {
                for (int j = 0; j < keys; j++) {
                    for (int i = 0; i < n; i++) {
                        weights[j * n + i] = rule.ofScaled(weights[j * n + i], first + i, key + j, Q.numRows, K.numRows);
                    }
                }
            }
            hide(weights, Double.NEGATIVE_INFINITY);
        }

        private boolean sees(int i, int j) {
            return rule.sees(first + i, key + j, Q.numRows, K.numRows);
        }

        private void hide(double[] x, double value) {
            for (int j = 0; masked && j < keys; j++) {
                for (int i = 0; i < n; i++) {
                    x[j * n + i] = sees(i, j) ? x[j * n + i] : value;
                }
            }
        }

        /** The shift is the maximum, or 0 where that is −∞: e^{−∞ − 0} is 0, e^{−∞ − (−∞)} is not. */
        private void shiftBy(double[] maxima, int from) {
            for (int i = 0; i < n; i++) {
                shift[i] = maxima[from + i] == Double.NEGATIVE_INFINITY ? 0 : maxima[from + i];
            }
        }

        /** For the queries whose maximum has grown: few of them, after the first tiles. */
        private void rescale(double[] before, double[] highest, double[] l) {
            for (int i = 0; i < n; i++) {
                if (before[i] != highest[i] && l[i] != 0) { // while l is 0, so are the sums
                    double growth = StreamingSoftmax.growth(before[i], highest[i]);
                    l[i] *= growth;
                    for (int at = i; at < V.numCols * n; at += n) {
                        sums[at] *= growth;
                    }
                }
            }
        }

        /** sums (d × n) += Xᵀ w with the tile's rows of X (nK × d), w keys × n. */
        private void addToQueries(double[] w, DMatrixRMaj X) {
            int d = X.numCols;
            if (!masked || areFinite(X.data, key * d, keys * d)) {
                backend.multiply(d, n, keys, X.data, key * d, 1, d, w, 0, n, sums, 0, n, true);
                return;
            }
            for (int j = 0; j < keys; j++) {
                for (int i = 0; i < n; i++) {
                    for (int c = 0; c < d && sees(i, j); c++) { // 0 · NaN is NaN: the masked must be left out
                        sums[c * n + i] += w[j * n + i] * X.data[(key + j) * d + c];
                    }
                }
            }
        }

        /** The tile's rows of X (nK × d) += w y, w keys × n, y n × d. */
        private void addToKeys(double[] w, double[] y, DMatrixRMaj X) {
            int d = X.numCols;
            if (!masked || areFinite(y, 0, n * d)) {
                backend.multiply(keys, d, n, w, 0, n, 1, y, 0, d, X.data, key * d, d, true);
                return;
            }
            for (int j = 0; j < keys; j++) {
                for (int i = 0; i < n; i++) {
                    if (sees(i, j)) {
                        Matrices.addScaled(w[j * n + i], y, i * d, X.data, (key + j) * d, d);
                    }
                }
            }
        }

        /** Row i of dOutput divided by l; zeros for a fully masked row, whatever it holds, and for l = 0, where every weight is 0. */
        private void divideByL(int i, double[] dOutput, double[] up) {
            int d = V.numCols;
            double l = sum[first + i];
            for (int c = 0; c < d && seesAny(first + i); c++) {
                double x = dOutput[(first + i) * d + c];
                up[i * d + c] = l == 0 ? x * 0 : x / l;
            }
        }

        private void copyTransposed(double[] dLogits, double[] dBias) {
            for (int j = 0; dBias != null && j < keys; j++) {
                for (int i = 0; i < n; i++) {
                    dBias[(first + i) * K.numRows + key + j] = dLogits[j * n + i];
                }
            }
        }
    }

    /**
     * Who may add to the gradients of a tile's keys and values: the blocks one after the other, in their order. A block waits at each tile
     * until the block before it is past that tile. It never waits for long: {@link Parallel} begins the blocks in the same order.
     */
    private static final class Turns {
        private final int[] past; // the last tile that each block is past

        Turns(int blocks) {
            past = new int[blocks];
            Arrays.fill(past, -1);
        }

        synchronized void await(int block, int tile) {
            try {
                while (block > 0 && past[block - 1] < tile) {
                    wait();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                Matrices.stopIfInterrupted();
            }
        }

        synchronized void pass(int block, int tile) {
            past[block] = tile;
            notifyAll();
        }
    }

    private boolean seesAny(int i) {
        for (int j = 0; j < K.numRows; j++) {
            if (rule.sees(i, j, Q.numRows, K.numRows)) {
                return true;
            }
        }
        return false;
    }

    /** x ← w ∘ (x − y) for the n numbers from {@code at} on; y has n. */
    private static void timesDifference(int n, double[] w, double[] x, int at, double[] y) {
        for (int i = 0; i < n; i++) {
            x[at + i] = w[at + i] * (x[at + i] - y[i]);
        }
    }

    private static boolean areFinite(double[] x, int from, int n) {
        double sum = 0;
        for (int at = from; at < from + n; at++) {
            sum += x[at] * 0; // NaN unless all are finite
        }
        return sum == 0;
    }

    private static void transpose(int rows, int columns, double[] x, double[] out) {
        for (int i = 0; i < rows; i++) {
            for (int c = 0; c < columns; c++) {
                out[c * rows + i] = x[i * columns + c];
            }
        }
    }

    /** The shapes, the rule and the tile; the numbers would fill pages. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "TiledAttention: Q %s, K %s, V %s, %s, tile %d, output %s",
                Matrices.shape(SimpleMatrix.wrap(Q)), Matrices.shape(SimpleMatrix.wrap(K)), Matrices.shape(SimpleMatrix.wrap(V)), rule, tile, Matrices.shape(output()));
    }

    /**
     * What {@link TiledAttention#backward} returns: the derivative of the loss with respect to each input.
     *
     * @param dQ ∂L/∂Q, nQ × dK
     * @param dK ∂L/∂K, nK × dK
     * @param dV ∂L/∂V, nK × dV
     * @param dBias ∂L/∂bias, nQ × nK, if the rule has a bias
     * @param dSink ∂L/∂z for the sink's logit z, which all rows share; 0 if there is no sink
     */
    public record Gradients(SimpleMatrix dQ, SimpleMatrix dK, SimpleMatrix dV, Optional<SimpleMatrix> dBias, double dSink) {

        /** The shapes; the numbers would fill pages. */
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "Gradients: dQ %s, dK %s, dV %s, dBias %s, dSink %s", Matrices.shape(dQ),
                    Matrices.shape(dK), Matrices.shape(dV), dBias.map(Matrices::shape).orElse("none"), dSink);
        }
    }
}
