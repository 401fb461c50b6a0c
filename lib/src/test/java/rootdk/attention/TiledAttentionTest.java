package rootdk.attention;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rootdk.attention.Cases.assertClose;
import static rootdk.attention.Cases.assertMessage;
import static rootdk.attention.Cases.data;
import static rootdk.attention.Cases.matrix;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import rootdk.backend.Backend;
import rootdk.stats.Draws;

/** That it equals the plain attention for every tile size is in AttentionPropertiesTest; masked positions are in LogitsTest. */
class TiledAttentionTest {
    private static final double INF = Double.POSITIVE_INFINITY;
    private static final double NAN = Double.NaN;

    /** Logits 0, ln 2, ln 5 in tiles of one: the maximum grows twice. Weights 1/8, 2/8, 5/8, and log Σ = ln 8. */
    @Test
    void byHand() {
        TiledAttention a = TiledAttention.forward(matrix(new double[] {1}),
                matrix(new double[] {0}, new double[] {StrictMath.log(2)}, new double[] {StrictMath.log(5)}),
                matrix(new double[] {8, 0}, new double[] {0, 8}, new double[] {8, 8}), Logits.dividedBy(1), 1);
        assertArrayEquals(new double[] {6, 7}, data(a.output()), 1e-15);
        assertEquals(StrictMath.log(8), a.logSumExp()[0], 1e-15);
        assertEquals("TiledAttention: Q 1 × 1, K 3 × 1, V 3 × 2, divisor 1.0, tile 1, output 1 × 2", a.toString());
        assertEquals("Gradients: dQ 1 × 1, dK 3 × 1, dV 3 × 2, dBias none, dSink 0.0", a.backward(new SimpleMatrix(1, 2)).toString());
    }

    /** Logits of ±2000 one after the other, largest last and largest first: a sum without rescaling would be ∞ or 0. */
    @Test
    void largeLogitsInAnyOrder() {
        SimpleMatrix v = matrix(new double[] {1}, new double[] {2}, new double[] {4});
        for (int tile = 1; tile <= 3; tile++) {
            assertEquals(4, output(v, tile, -2000, 0, 2000));
            assertEquals(1, output(v, tile, 2000, 0, -2000));
            assertEquals(3, output(v, tile, -2000, 2000, 2000));
        }
    }

    private static double output(SimpleMatrix v, int tile, double... keys) {
        return TiledAttention.forward(matrix(new double[] {1}), new SimpleMatrix(keys.length, 1, true, keys), v,
                Logits.dividedBy(1), tile).output().get(0);
    }

    /** The rows of Attention's test: −∞ scores everywhere give 0, a NaN stays in its row, +∞ is NaN. */
    @Test
    void specialScores() {
        SimpleMatrix q = matrix(new double[] {-INF}, new double[] {NAN}, new double[] {0}, new double[] {INF});
        SimpleMatrix k = matrix(new double[] {1}, new double[] {1}, new double[] {1});
        SimpleMatrix v = matrix(new double[] {2}, new double[] {4}, new double[] {6});
        SimpleMatrix up = matrix(new double[] {1}, new double[] {1}, new double[] {1}, new double[] {1});
        Attention plain = Attention.forward(q, k, v, 1);
        assertEquals(0, plain.backward(up).dSink());
        for (int tile = 1; tile <= 3; tile++) {
            TiledAttention a = TiledAttention.forward(q, k, v, Logits.dividedBy(1), tile);
            assertArrayEquals(new double[] {0, NAN, 4, NAN}, data(a.output()));
            assertArrayEquals(new double[] {-INF, NAN, StrictMath.log(3), NAN}, a.logSumExp());
            assertClose("dV", plain.backward(up).dV(), a.backward(up).dV(), 0);
            assertClose("dK", plain.backward(up).dK(), a.backward(up).dK(), 0);
            assertEquals(0, a.backward(up).dSink(), "no sink, no gradient, also beside a NaN");
        }
    }

    /** With a cap of 2, a score of ±∞ is an ordinary logit of ±2. */
    @Test
    void infiniteScoresUnderACap() {
        SimpleMatrix q = matrix(new double[] {INF});
        SimpleMatrix k = matrix(new double[] {1}, new double[] {-1});
        SimpleMatrix v = matrix(new double[] {1}, new double[] {0});
        double p = Softmax.of(2, -2)[0];
        assertEquals(p, Attention.forward(q, k, v, Logits.dividedBy(1).cap(2)).output().get(0));
        assertEquals(p, TiledAttention.forward(q, k, v, Logits.dividedBy(1).cap(2), 1).output().get(0), 1e-16);
    }

    /** 3000 queries and keys have 72 MB of scores; here 64 keys at a time. Three rows are checked one by one. */
    @Test
    void manyKeys() {
        Draws draws = Draws.of(3);
        SimpleMatrix q = draws.gaussianMatrix(3000, 4);
        SimpleMatrix k = draws.gaussianMatrix(3000, 4);
        SimpleMatrix v = draws.gaussianMatrix(3000, 2);
        TiledAttention a = TiledAttention.forward(q, k, v, Logits.dividedBy(2).causal(), 64);
        for (int row : new int[] {0, 1500, 2999}) {
            Attention one = Attention.forward(q.getRow(row), k.rows(0, row + 1), v.rows(0, row + 1), 2);
            assertClose("row " + row, one.output(), a.output().getRow(row), 1e-14);
        }
    }

    /** Three blocks of queries, three tiles of keys, every step of the rule: the same bits with any number of threads. */
    @ParameterizedTest
    @MethodSource("rootdk.backend.BackendTest#backends")
    void threadsDoNotChangeABit(Backend backend) {
        Cases c = new Cases(450, 470, 5, 3, 31, 6);
        TiledAttention alone = TiledAttention.forward(c.Q, c.K, c.V, c.rule(), 200, backend, 1);
        TiledAttention.Gradients expected = alone.backward(c.dOutput);
        for (int threads : new int[] {2, 3, 50}) {
            TiledAttention a = TiledAttention.forward(c.Q, c.K, c.V, c.rule(), 200, backend, threads);
            TiledAttention.Gradients g = a.backward(c.dOutput);
            assertArrayEquals(data(alone.output()), data(a.output()));
            assertArrayEquals(alone.logSumExp(), a.logSumExp());
            assertArrayEquals(data(expected.dQ()), data(g.dQ()));
            assertArrayEquals(data(expected.dK()), data(g.dK()));
            assertArrayEquals(data(expected.dV()), data(g.dV()));
            assertArrayEquals(data(expected.dBias().orElseThrow()), data(g.dBias().orElseThrow()));
            assertEquals(expected.dSink(), g.dSink());
        }
    }

    /** A thread takes the same arrays for block after block: a full one of NaN leaves nothing behind for the shorter one after it. */
    @ParameterizedTest
    @MethodSource("rootdk.backend.BackendTest#backends")
    void eachBlockBeginsAnew(Backend backend) {
        Draws draws = Draws.of(5);
        SimpleMatrix k = draws.gaussianMatrix(200, 3);
        SimpleMatrix v = draws.gaussianMatrix(200, 7);
        SimpleMatrix q = draws.gaussianMatrix(20, 3);
        SimpleMatrix up = draws.gaussianMatrix(20, 7);
        SimpleMatrix before = new SimpleMatrix(180, 3);
        before.fill(NAN);
        TiledAttention alone = TiledAttention.forward(q, k, v, Logits.dividedBy(2).causal(), 64, backend, 1);
        TiledAttention after = TiledAttention.forward(before.concatRows(q), k, v, Logits.dividedBy(2).causal(), 64, backend, 1);
        assertArrayEquals(data(alone.output()), data(after.output().rows(180, 200)));
        assertArrayEquals(data(alone.backward(up).dQ()), data(after.backward(new SimpleMatrix(180, 7).concatRows(up)).dQ().rows(180, 200)));
    }

    /** The arrays that a thread keeps during a call do not outlive it: else the calling thread would keep Q, K, V and the output alive. */
    @Test
    void nothingIsKept() throws InterruptedException {
        SimpleMatrix x = Draws.of(5).gaussianMatrix(10, 4);
        WeakReference<TiledAttention> attention = new WeakReference<>(TiledAttention.forward(x, x, x, Logits.dividedBy(2), 4));
        for (int tries = 0; tries < 100 && attention.get() != null; tries++) {
            System.gc();
            Thread.sleep(10);
        }
        assertNull(attention.get());
    }

    /** Interrupted in the middle of work for many seconds, forward and backward: an exception at once, the flag set, no thread left. */
    @Test
    void everyThreadStops() throws InterruptedException {
        SimpleMatrix x = Draws.of(7).gaussianMatrix(20_000, 64);
        assertStops(() -> TiledAttention.forward(x, x, x, Logits.dividedBy(8), 64, Backend.plain(), 3));
        TiledAttention a = TiledAttention.forward(x, x.rows(0, 1000), x.rows(0, 1000), Logits.dividedBy(8), 64, Backend.plain(), 3);
        assertStops(() -> a.backward(x));
    }

    private static void assertStops(Runnable work) throws InterruptedException {
        List<Object> seen = new ArrayList<>();
        Thread caller = new Thread(() -> {
            seen.add(assertThrows(CancellationException.class, work::run).getMessage());
            seen.add(Thread.currentThread().isInterrupted());
        });
        caller.start();
        List<Thread> workers = List.of();
        while (caller.isAlive() && workers.isEmpty()) {
            Thread.sleep(1);
            workers = Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().equals("attention")).toList();
        }
        caller.interrupt();
        caller.join();
        assertEquals(List.of("attention was interrupted: it has no result, and nothing was changed", true), seen);
        for (Thread worker : workers) {
            worker.join(1000); // it has left its work, but may not have ended yet
            assertFalse(worker.isAlive());
        }
    }

    @Test
    void changesNoArgumentAndCanGoBackTwice() {
        Cases c = new Cases(3, 4, 2, 2, 0, 5);
        Cases same = new Cases(3, 4, 2, 2, 0, 5);
        TiledAttention a = TiledAttention.forward(c.Q, c.K, c.V, c.rule(), 2);
        SimpleMatrix dK = a.backward(c.dOutput).dK();
        assertClose("dK", dK, a.backward(c.dOutput).dK(), 0);
        assertClose("Q", same.Q, c.Q, 0);
        assertClose("K", same.K, c.K, 0);
        assertClose("V", same.V, c.V, 0);
        assertClose("dOutput", same.dOutput, c.dOutput, 0);
    }

    @Test
    void badInput() {
        SimpleMatrix one = new SimpleMatrix(1, 1);
        Logits rule = Logits.dividedBy(1);
        assertMessage("tile is 0: it must be at least 1 key", () -> TiledAttention.forward(one, one, one, rule, 0));
        assertMessage("K has 2 columns, Q has 1: both must be d_k",
                () -> TiledAttention.forward(one, new SimpleMatrix(1, 2), one, rule, 1));
        assertMessage("rule is null: it must be a Logits, such as Logits.dividedBy(Scale.sqrt(dK))",
                () -> TiledAttention.forward(one, one, one, null, 1));
        assertMessage("mask is 2 × 1: it must be 1 × 1 (n_q × n_k)",
                () -> TiledAttention.forward(one, one, one, rule.mask(new boolean[2][1]), 1));
        assertMessage("dOutput is 2 × 1: it must be 1 × 1 (n_q × d_v, the shape of output)",
                () -> TiledAttention.forward(one, one, one, rule, 1).backward(new SimpleMatrix(2, 1)));
    }

    @Test
    void streamingByHand() {
        StreamingSoftmax s = StreamingSoftmax.empty().add(0, StrictMath.log(2)).add(StrictMath.log(5));
        assertEquals(StrictMath.log(5), s.max());
        assertEquals(8 / 5.0, s.sum(), 1e-15);
        assertEquals(5 / 8.0, s.weight(StrictMath.log(5)), 1e-15);
        assertEquals(StrictMath.log(8), s.logSumExp(), 1e-15);
        double[] logits = {1, 2};
        s.add(logits);
        assertArrayEquals(new double[] {1, 2}, logits, "the argument is not changed");
        assertEquals(s, s.add().merge(StreamingSoftmax.empty()).add(-INF), "none, an empty half and a masked key change nothing");
    }

    @Test
    void streamingSpecialLogits() {
        StreamingSoftmax masked = StreamingSoftmax.empty().add(-INF, -INF);
        assertEquals(StreamingSoftmax.empty(), masked.merge(masked));
        assertEquals(0, masked.weight(-INF));
        assertEquals(-INF, masked.logSumExp());
        for (double bad : new double[] {NAN, INF}) {
            StreamingSoftmax s = StreamingSoftmax.empty().add(1).add(bad).add(2);
            assertTrue(Double.isNaN(s.weight(1)) && Double.isNaN(s.logSumExp()), "after " + bad);
            assertTrue(Double.isNaN(masked.merge(s).weight(1)) && Double.isNaN(s.merge(StreamingSoftmax.empty().add(3)).weight(1)));
            assertTrue(Double.isNaN(s.merge(s).weight(1)));
        }
        assertMessage("logits is null: it must be an array of numbers", () -> masked.add((double[]) null));
        assertMessage("other is null: it must be a StreamingSoftmax; for none, StreamingSoftmax.empty()", () -> masked.merge(null));
        assertMessage("sum is -1.0: a sum of exponentials is not negative", () -> new StreamingSoftmax(0, -1));
    }
}
