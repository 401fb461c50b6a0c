package rootdk.stats;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import rootdk.backend.Backend;

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
        Moments one = Sampling.moments(5, n, d -> d.dot(3), (done, total) -> { }, 1);
        Moments many = Sampling.moments(5, n, d -> d.dot(3), (done, total) -> { }, threads);
        assertEqual(one, many);
        assertArrayEquals(Sampling.values(5, n, d -> d.dot(3), (done, total) -> { }, 1), Sampling.values(5, n, d -> d.dot(3), (done, total) -> { }, threads));
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
        assertEquals(scalar.variance(), vector[0].variance(), 1e-14);
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

    static List<Backend> backends() {
        return List.of(Backend.plain(), Backend.vector().orElseThrow());
    }

    @Test
    void thePlainBackendsDotsAreThoseOfDraws() {
        int n = 3 * Sampling.CHUNK + 9;
        assertEqual(Sampling.moments(8, n, d -> d.dot(5)), Sampling.dotMoments(Backend.plain(), 8, n, 5));
    }

    /** Var = d_k and kurtosis = 3 + 6/d_k; the standard error of the kurtosis from 20 seeds. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 64, 100})
    void varianceOfTheVectorBackendsDotProduct(int dK) {
        Backend vector = Backend.vector().orElseThrow();
        Moments m = Sampling.dotMoments(vector, 2024, 200_000, dK);
        assertEquals(200_000, m.count());
        assertEquals(0, m.mean(), 4 * m.meanError());
        assertEquals(dK, m.variance(), 4 * m.varianceError());
        Moments kurtosis = new Moments();
        for (int seed = 0; seed < 20; seed++) {
            kurtosis.add(Sampling.dotMoments(vector, seed, 20_000, dK).kurtosis());
        }
        assertEquals(3 + 6.0 / dK, kurtosis.mean(), 4 * kurtosis.meanError() + 0.01 / dK);
        assertNotEquals(m.mean(), Sampling.dotMoments(Backend.plain(), 2024, 200_000, dK).mean(), "another stream");
    }

    @ParameterizedTest
    @MethodSource("backends")
    void threadsDoNotMatterToDots(Backend backend) {
        int n = 20 * Sampling.CHUNK + 17;
        Progress silent = (done, total) -> { };
        Moments one = Sampling.dotMoments(backend, 5, n, 3, silent, 1);
        assertEqual(one, Sampling.dotMoments(backend, 5, n, 3, silent, 2));
        assertEqual(one, Sampling.dotMoments(backend, 5, n, 3, silent, 7));
        assertNotEquals(one.mean(), Sampling.dotMoments(backend, 6, n, 3).mean());
    }

    private static void assertEqual(Moments expected, Moments actual) {
        assertEquals(expected.count(), actual.count());
        assertEquals(expected.mean(), actual.mean());
        assertEquals(expected.variance(), actual.variance());
        assertEquals(expected.skewness(), actual.skewness());
        assertEquals(expected.kurtosis(), actual.kurtosis());
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
        assertEquals(0, Sampling.dotMoments(Backend.plain(), 1, 0, 1).count());
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
        }, (done, total) -> { }, 7));
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
        String message = interrupted(begun -> Sampling.moments(1, Long.MAX_VALUE / 2, d -> {
            begun.countDown();
            return d.dot(64);
        }));
        assertTrue(message.matches("sampling was interrupted after \\d+ of 4611686018427387903 values"), message);
    }

    /** One chunk of slow values that ignore interrupts: 1000 times 10 ms, were it not for the check before each. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void anInterruptStopsBeforeTheNextValue(int way) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        Statistic slow = d -> {
            begun.countDown();
            for (long end = System.nanoTime() + 10_000_000; System.nanoTime() < end; ) {
                Thread.onSpinWait();
            }
            return 0;
        };
        Thread cell = new Thread(() -> assertThrows(CancellationException.class, () -> {
            switch (way) {
                case 0 -> Sampling.moments(1, 1000, slow);
                case 1 -> Sampling.moments(1, 1000, 1, d -> new double[] {slow.of(d)});
                default -> Sampling.values(1, 1000, slow);
            }
        }));
        cell.start();
        begun.await();
        cell.interrupt();
        cell.join(2000);
        assertTrue(!cell.isAlive(), "stopped within 2 s");
        assertNoWorkers();
    }

    @Test
    void workersDoNotKeepAJvmAlive() {
        assertArrayEquals(new double[] {1}, Sampling.values(1, 1, d -> Thread.currentThread().isDaemon() ? 1 : 0));
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

    /** At most one call in 100 ms, on the calling thread, never falling, and the last with done = total. */
    @Test
    void progressIsToldOnTheCallingThread() {
        List<Long> done = new ArrayList<>();
        List<Long> times = new ArrayList<>();
        Thread caller = Thread.currentThread();
        int n = 3 * Sampling.CHUNK + 7;
        Progress progress = (d, total) -> {
            assertSame(caller, Thread.currentThread());
            assertEquals(n, total);
            done.add(d);
            times.add(System.nanoTime());
        };
        double[] fast = Sampling.values(1, n, Draws::uniform);
        double[] slow = Sampling.values(1, n, d -> {
            double u = d.uniform();
            if (u == fast[n - 1]) {
                sleep(450); // the last chunk waits, the others are done
            }
            return u;
        }, progress);
        assertArrayEquals(fast, slow, "watching changes no value");
        assertEquals(done.stream().sorted().toList(), done);
        assertEquals(3L * Sampling.CHUNK, done.get(done.size() - 2), "the last call before the end");
        assertTrue(done.get(0) < n);
        assertEquals(n, done.get(done.size() - 1));
        for (int i = 1; i < times.size() - 1; i++) {
            assertTrue(times.get(i) - times.get(i - 1) > 95_000_000, "call " + i);
        }
        List<String> calls = new ArrayList<>();
        Sampling.moments(1, 5, Draws::uniform, (d, total) -> calls.add(d + " of " + total));
        Sampling.moments(1, 0, 1, d -> d.gaussians(1), (d, total) -> calls.add(d + " of " + total));
        assertEquals(List.of("5 of 5", "0 of 0"), calls, "quick work makes the last call only");
    }

    @Test
    void anExceptionOfProgressStopsTheWork() {
        IllegalStateException e = assertThrows(IllegalStateException.class,
                () -> Sampling.moments(1, Long.MAX_VALUE, d -> d.dot(64), (done, total) -> {
                    throw new IllegalStateException("enough");
                }));
        assertEquals("enough", e.getMessage());
        assertTrue(!Thread.currentThread().isInterrupted());
        assertNoWorkers();
    }

    @Test
    void failedWorkMakesNoLastCall() {
        assertThrows(ArithmeticException.class, () -> Sampling.values(1, 5, d -> Math.floorMod(1, 0), (done, total) -> {
            throw new AssertionError("done");
        }));
    }

    @ParameterizedTest
    @MethodSource("backends")
    void dotsTellTheirProgressAndStop(Backend backend) throws InterruptedException {
        List<String> calls = new ArrayList<>();
        Sampling.dotMoments(backend, 1, 5, 2, (done, total) -> calls.add(done + " of " + total));
        assertEquals(List.of("5 of 5"), calls);
        String message = interrupted(begun ->
                Sampling.dotMoments(backend, 1, Long.MAX_VALUE, 100_000, (done, total) -> begun.countDown()));
        assertTrue(message.startsWith("sampling was interrupted after "), message);
    }

    /** Makes a call in a thread of its own, interrupts it once it has begun, and gives the message with which it stopped. */
    private static String interrupted(Consumer<CountDownLatch> call) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        boolean[] flag = new boolean[1];
        Thread cell = new Thread(() -> {
            try {
                call.accept(begun);
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
        assertTrue(flag[0], "the interrupt flag is left set");
        assertNoWorkers();
        return thrown.get().getMessage();
    }

    private static void assertNoWorkers() {
        assertEquals(0, Thread.getAllStackTraces().keySet().stream().filter(t -> t.getName().startsWith("sampling-")).count());
    }

    @Test
    void badInput() {
        assertMessage("n is -1: it must be at least 0", () -> Sampling.moments(1, -1, Draws::gaussian));
        assertMessage("n is -1: it must be at least 0", () -> Sampling.values(1, -1, Draws::gaussian));
        assertMessage("n is -1: it must be at least 0", () -> Sampling.dotMoments(Backend.plain(), 1, -1, 1));
        assertMessage("dK is 0: it must be at least 1", () -> Sampling.dotMoments(Backend.plain(), 1, 1, 0));
        assertMessage("backend is null", () -> Sampling.dotMoments(null, 1, 1, 1));
        assertMessage("progress is null", () -> Sampling.dotMoments(Backend.plain(), 1, 1, 1, null));
        assertMessage("f is null", () -> Sampling.moments(1, 1, null));
        assertMessage("f is null", () -> Sampling.moments(1, 1, 1, null));
        assertMessage("f is null", () -> Sampling.values(1, 1, null));
        assertMessage("progress is null", () -> Sampling.moments(1, 1, Draws::gaussian, null));
        assertMessage("progress is null", () -> Sampling.moments(1, 1, 1, d -> d.gaussians(1), null));
        assertMessage("progress is null", () -> Sampling.values(1, 1, Draws::gaussian, null));
        assertMessage("n is -1: it must be at least 0", () -> Sampling.moments(1, -1, 1, d -> d.gaussians(1)));
        assertMessage("size is 0: it must be at least 1", () -> Sampling.moments(1, 1, 0, d -> new double[0]));
        assertMessage("the statistic returned 2 values: size says 3", () -> Sampling.moments(1, 1, 3, d -> d.gaussians(2)));
        assertMessage("the statistic returned null: size says 3", () -> Sampling.moments(1, 1, 3, d -> null));
    }

    private static void assertMessage(String message, org.junit.jupiter.api.function.Executable call) {
        assertEquals(message, assertThrows(RuntimeException.class, call).getMessage());
    }
}
