package rootdk.stats;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SamplingTest {
    /** E = 0, Var = d_k, kurtosis = 3 + 6/d_k, each within 4 standard errors of its own estimate. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 64})
    void varianceOfADotProductIsItsDimension(int dK) {
        Moments m = Sampling.moments(2024, 200_000, d -> d.dot(dK));
        assertEquals(200_000, m.count());
        assertEquals(0, m.mean(), 4 * m.meanError());
        assertEquals(dK, m.variance(), 4 * m.varianceError());
        // The spread of a sample kurtosis, measured over 20 seeds, since its formula needs the eighth moment.
        Moments kurtosis = new Moments();
        for (int seed = 0; seed < 20; seed++) {
            kurtosis.add(Sampling.moments(seed, 20_000, d -> d.dot(dK)).kurtosis());
        }
        assertEquals(3 + 6.0 / dK, kurtosis.mean(), 4 * kurtosis.meanError() + 0.01 / dK);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 7})
    void threadsDoNotMatter(int threads) {
        int n = 20 * Sampling.CHUNK + 17;
        Moments one = Sampling.moments(5, n, d -> d.dot(3), 1);
        Moments many = Sampling.moments(5, n, d -> d.dot(3), threads);
        assertEquals(one.mean(), many.mean());
        assertEquals(one.variance(), many.variance());
        assertEquals(one.skewness(), many.skewness());
        assertEquals(one.kurtosis(), many.kurtosis());
        assertArrayEquals(Sampling.values(5, n, d -> d.dot(3), 1), Sampling.values(5, n, d -> d.dot(3), threads));
    }

    @Test
    void theThreeWaysDrawTheSameNumbers() {
        int n = 2 * Sampling.CHUNK + 5;
        double[] values = Sampling.values(9, n, Draws::gaussian);
        Moments scalar = Sampling.moments(9, n, Draws::gaussian);
        Moments[] vector = Sampling.moments(9, n, 2, d -> {
            double z = d.gaussian();
            return new double[] {z, -z * z};
        });
        assertEquals(Moments.of(values).variance(), scalar.variance(), 1e-14);
        assertEquals(scalar.variance(), vector[0].variance());
        assertEquals(-scalar.mean() * scalar.mean() - scalar.variance() * (n - 1) / n, vector[1].mean(), 1e-14);
        Draws draws = Draws.of(9);
        for (int i = 0; i < Sampling.CHUNK; i++) {
            assertEquals(draws.gaussian(), values[i]);
        }
        assertNotEquals(draws.gaussian(), values[Sampling.CHUNK], "the second chunk has its own stream");
    }

    @Test
    void seedsMatterAndRepeat() {
        assertArrayEquals(Sampling.values(1, 10, Draws::uniform), Sampling.values(1, 10, Draws::uniform));
        assertNotEquals(Sampling.values(1, 1, Draws::uniform)[0], Sampling.values(2, 1, Draws::uniform)[0]);
        assertNotEquals(Sampling.values(0, 1, Draws::uniform)[0], Sampling.values(-1, 1, Draws::uniform)[0]);
    }

    /** Correlation of equal places in neighbouring chunks: 0 within 4/√n. */
    @Test
    void chunksAreUncorrelated() {
        double[] x = Sampling.values(6, 200 * Sampling.CHUNK, Draws::gaussian);
        double sum = 0;
        int n = x.length - Sampling.CHUNK;
        for (int i = 0; i < n; i++) {
            sum += x[i] * x[i + Sampling.CHUNK];
        }
        assertEquals(0, sum / n, 4 / Math.sqrt(n));
    }

    @Test
    void noValues() {
        assertEquals(0, Sampling.moments(1, 0, Draws::gaussian).count());
        assertEquals(0, Sampling.values(1, 0, Draws::gaussian).length);
    }

    /** Values 5000 and 9000, of different chunks, both fail; whichever fails first by the clock, the caller hears of 5000. */
    @ParameterizedTest
    @ValueSource(ints = {5000, 9000})
    void theFirstFailingValueIsReportedAsItIs(int soonest) {
        double[] values = Sampling.values(3, 10_000, Draws::uniform);
        CountDownLatch bothBegun = new CountDownLatch(2);
        CountDownLatch failed = new CountDownLatch(1);
        IllegalStateException e = assertThrows(IllegalStateException.class, () -> Sampling.moments(3, 10_000, d -> {
            double u = d.uniform();
            if (u == values[5000] || u == values[9000]) {
                bothBegun.countDown();
                await(bothBegun);
                if (u == values[soonest]) {
                    failed.countDown();
                } else {
                    await(failed);
                    sleep(50); // until that failure is recorded
                }
                throw new IllegalStateException("at " + u);
            }
            return u;
        }, 7));
        assertEquals("at " + values[5000], e.getMessage());
        assertEquals(0, e.getSuppressed().length);
        assertNoWorkers();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void sleep(int milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void errorsAreReportedToo() {
        AssertionError error = new AssertionError("errors too");
        assertSame(error, assertThrows(AssertionError.class, () -> Sampling.values(3, 5, d -> {
            throw error;
        })));
        assertNoWorkers();
    }

    @Test
    void anInterruptStopsEveryThread() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        boolean[] flag = new boolean[1];
        Thread cell = new Thread(() -> {
            try {
                Sampling.moments(1, Long.MAX_VALUE / 2, d -> {
                    begun.countDown();
                    return d.dot(64);
                });
            } catch (CancellationException e) {
                thrown.set(e);
                flag[0] = Thread.currentThread().isInterrupted();
            }
        });
        cell.start();
        begun.await();
        cell.interrupt();
        cell.join(2000);
        assertTrue(!cell.isAlive(), "stopped within 2 s");
        assertTrue(thrown.get().getMessage().matches("sampling was interrupted after \\d+ of 4611686018427387903 values"),
                thrown.get().getMessage());
        assertTrue(flag[0], "the interrupt flag is left set");
        assertNoWorkers();
    }

    @Test
    void anInterruptReachesAStatisticThatSamplesOrWaits() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        Thread cell = new Thread(() -> assertThrows(CancellationException.class, () -> Sampling.values(1, 3, d -> {
            begun.countDown();
            return Sampling.moments(2, Long.MAX_VALUE / 2, Draws::gaussian).mean();
        })));
        cell.start();
        begun.await();
        cell.interrupt();
        cell.join(2000);
        assertTrue(!cell.isAlive(), "stopped within 2 s");
        assertNoWorkers();
    }

    private static void assertNoWorkers() {
        assertEquals(0, Thread.getAllStackTraces().keySet().stream().filter(t -> t.getName().startsWith("sampling-")).count());
    }

    @Test
    void badInput() {
        assertMessage("n is -1: it must be at least 0", () -> Sampling.moments(1, -1, Draws::gaussian));
        assertMessage("n is -1: it must be at least 0", () -> Sampling.values(1, -1, Draws::gaussian));
        assertMessage("f is null", () -> Sampling.moments(1, 1, null));
        assertMessage("size is 0: it must be at least 1", () -> Sampling.moments(1, 1, 0, d -> new double[0]));
        assertMessage("the statistic returned 2 values: size says 3", () -> Sampling.moments(1, 1, 3, d -> d.gaussians(2)));
        assertMessage("the statistic returned null: size says 3", () -> Sampling.moments(1, 1, 3, d -> null));
    }

    private static void assertMessage(String message, org.junit.jupiter.api.function.Executable call) {
        assertEquals(message, assertThrows(RuntimeException.class, call).getMessage());
    }
}
