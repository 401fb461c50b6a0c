package rootdk.stats;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import rootdk.attention.Logits;
import rootdk.attention.Scale;

class HeadStatisticsTest {
    private static final SimpleMatrix Q = new SimpleMatrix(new double[][] {{1, 2, 0}, {0, -1, 3}, {2, 1, -1}, {1, 0, 1}});
    private static final SimpleMatrix K = new SimpleMatrix(new double[][] {{2, 0, 1}, {1, 1, -1}, {0, 3, 2}, {-1, 0, 2}});
    private static final Logits SCALED = Logits.dividedBy(Scale.sqrt(3));

    /** Two queries (±1, 0) and two keys (1, ±2): all by hand. */
    @Test
    void byHand() {
        HeadStatistics head = HeadStatistics.of(new SimpleMatrix(new double[][] {{1, 0}, {-1, 0}}),
                new SimpleMatrix(new double[][] {{1, 2}, {1, -2}}), Logits.dividedBy(1));
        assertEquals(0, head.q().mean());
        assertEquals(0.5, head.k().mean());
        assertArrayEquals(new double[] {1, 0, 0, 0}, head.covarianceQ().getDDRM().data);
        assertArrayEquals(new double[] {0, 0, 0, 4}, head.covarianceK().getDDRM().data);
        assertEquals(2, head.ifIsotropic(), "1 · 4 / 2");
        assertEquals(0, head.trace(), "q varies where k does not");
        assertEquals(0, head.fromMeanQuery(), "the mean query is 0");
        assertEquals(1, head.fromMeanKey(), "the scores are ±1, the same in a row");
        assertEquals(0, head.sigma());
        assertEquals(0, head.impliedDivisor());
        assertTrue(Double.isNaN(head.directions()));
        assertEquals(0, head.correlation());
        assertArrayEquals(new double[] {0.5, 0.5}, head.topWeights(), 1e-15);
        assertArrayEquals(new double[] {2, 2}, head.effectiveCounts(), 1e-15);
        assertArrayEquals(new double[] {0.5, 0.5}, head.received(), 1e-15);
        assertEquals(0, head.saturatedRows());
    }

    /** Python with NumPy 2.4.6: np.cov(Q.T, bias=True), np.trace, and softmax written out. */
    @Test
    void agreesWithNumpy() {
        HeadStatistics head = HeadStatistics.of(Q, K, SCALED);
        assertEquals(6.34375, head.trace(), 1e-12);
        assertEquals(1.28125, head.fromMeanQuery(), 1e-12);
        assertEquals(0.3125, head.fromMeanKey(), 1e-12);
        assertEquals(5.578125, head.ifIsotropic(), 1e-12);
        assertEquals(1.2405996929283198, head.directions(), 1e-12);
        assertEquals(-0.4277926319464986, head.correlation(), 1e-12);
        assertEquals(1.594260539142416, head.sigma(), 1e-12);
        assertArrayEquals(new double[] {0.7729087, 0.73694614, 0.57202684, 0.48698365}, head.topWeights(), 1e-8);
        assertArrayEquals(new double[] {1.60729268, 1.7328215, 2.26957533, 2.91655993}, head.effectiveCounts(), 1e-8);
        assertArrayEquals(new double[] {0.25381439, 0.19930489, 0.31946964, 0.22741107}, head.received(), 1e-8);
    }

    /** The identity of the class comment, for queries and keys as dependent as they can be: the same, skewed and shifted ones. */
    @Test
    void theVarianceOfAllScoresHasThreeParts() {
        Draws draws = Draws.of(3);
        SimpleMatrix X = new SimpleMatrix(40, 5);
        for (int i = 0; i < X.getNumElements(); i++) {
            X.set(i, 1 + i % 5 * Distribution.exponential().of(draws));
        }
        HeadStatistics head = HeadStatistics.of(X, X, Logits.dividedBy(2));
        Moments all = Moments.of(X.mult(X.transpose()).getDDRM().data);
        double variance = all.variance() * (all.count() - 1) / all.count();
        assertEquals(variance, head.trace() + head.fromMeanQuery() + head.fromMeanKey(), 1e-12 * variance);
        assertEquals(head.sigma(), head.impliedDivisor() / 2, 1e-12 * head.sigma());
        assertEquals(1, head.correlation(), 1e-12);
    }

    /** Eigenvalues 3, 1, 1 in the same directions: 6/directions() is the excess kurtosis of q·k for normal q and k. */
    @Test
    void directionsTakeThePlaceOfTheHeadSize() {
        double root = Math.sqrt(3);
        SimpleMatrix x = new SimpleMatrix(new double[][] {{3, 0, 0}, {-3, 0, 0}, {0, root, 0}, {0, -root, 0}, {0, 0, root}, {0, 0, -root}});
        HeadStatistics head = HeadStatistics.of(x, x, SCALED);
        assertEquals((9 + 1 + 1) * (9 + 1 + 1) / (81.0 + 1 + 1), head.directions(), 1e-12);
        Moments s = Sampling.moments(5, 400_000, draws -> 3 * draws.gaussian() * draws.gaussian()
                + draws.gaussian() * draws.gaussian() + draws.gaussian() * draws.gaussian());
        assertEquals(6 / head.directions(), s.excessKurtosis(), 0.4, "the standard error is about 0.1");
    }

    @Test
    void masksAndSinks() {
        HeadStatistics causal = HeadStatistics.of(Q, K, SCALED.causal());
        assertEquals(1, causal.topWeights()[0], "the first token sees itself alone");
        assertEquals(1, causal.effectiveCounts()[0]);
        assertEquals(0.25, causal.saturatedRows());
        // scores 3 | 3 −4 | 3 4 1 | 3 0 2 1: variances 0, 49/4, 14/9, 5/4
        assertEquals(Math.sqrt((49 / 4.0 + 14 / 9.0 + 5 / 4.0) / 4 / 3), causal.sigma(), 1e-12, "masked logits do not count");
        HeadStatistics sink = HeadStatistics.of(Q, K, SCALED.sink(2));
        assertTrue(sink.topWeights()[0] < 0.7729087);
        assertArrayEquals(HeadStatistics.of(Q, K, SCALED).effectiveCounts(), sink.effectiveCounts(), 1e-12);
    }

    @Test
    void otherNumbersOfKeysHaveNoCorrelation() {
        assertTrue(Double.isNaN(HeadStatistics.of(Q, K.rows(0, 3), SCALED).correlation()));
    }

    @Test
    void headsStandSideBySide() {
        List<HeadStatistics> heads = HeadStatistics.ofHeads(Q.concatColumns(K), K.concatColumns(Q), 2, SCALED);
        assertEquals(2, heads.size());
        assertArrayEquals(HeadStatistics.of(Q, K, SCALED).received(), heads.get(0).received());
        assertArrayEquals(HeadStatistics.of(K, Q, SCALED).received(), heads.get(1).received());
    }

    @Test
    void theMomentsAreCopies() {
        HeadStatistics head = HeadStatistics.of(Q, K, SCALED);
        Moments q = head.q();
        assertEquals(Moments.of(Q.getDDRM().data).toString(), q.toString());
        q.add(100);
        assertEquals(12, head.q().count());
    }

    @Test
    void badInput() {
        assertMessage("K has 2 columns, Q has 3: both must be d_k", () -> HeadStatistics.of(Q, K.cols(0, 2), SCALED));
        SimpleMatrix holed = K.copy();
        holed.set(1, 2, Double.NaN);
        assertMessage("K has NaN in row 1, column 2 (counted from 0): it must hold finite numbers; leave out rows that are padding",
                () -> HeadStatistics.of(Q, holed, SCALED));
        assertMessage("K has 2 columns, Q has 3: both must be heads · d_k. Where several heads share a key, repeat it for each",
                () -> HeadStatistics.ofHeads(Q, K.cols(0, 2), 1, SCALED));
        assertMessage("X has 3 columns, heads is 2: heads must divide d_model. It can be 1, 3",
                () -> HeadStatistics.ofHeads(Q, K, 2, SCALED));
        assertMessage("K is null", () -> HeadStatistics.ofHeads(Q, null, 1, SCALED));
        assertMessage("Q is null: it must be a matrix", () -> HeadStatistics.of(null, K, SCALED));
    }

    private static void assertMessage(String message, org.junit.jupiter.api.function.Executable call) {
        assertEquals(message, assertThrows(RuntimeException.class, call).getMessage());
    }
}
