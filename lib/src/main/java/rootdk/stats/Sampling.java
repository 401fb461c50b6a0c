package rootdk.stats;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import rootdk.backend.Backend;
import rootdk.backend.Xoroshiro128PlusPlus;

/**
 * Monte Carlo on all processors ({@link Runtime#availableProcessors} threads), with results that depend on the seed alone.
 *
 * <p>The n values are computed in chunks of 1024. Chunk c draws from its own stream, the seed's generator moved c·2⁶⁴ steps on
 * ({@link Draws}), so streams never overlap; finished chunks are merged in the order of c. Neither depends on who computed what
 * and when, so the result is the same bit for bit with 1 thread or with 100.
 *
 * <p><strong>Stopping.</strong> When the calling thread is interrupted (the stop button of a notebook) every thread stops before
 * its next value; the call waits for them, leaves the thread's interrupt flag set and throws {@link CancellationException}.
 * Nothing keeps running. <strong>Failing.</strong> When the statistic throws, no further chunk is begun, and the exception of the
 * first failing value, in the order of the values, is thrown to the caller as it is.
 */
public final class Sampling {
    static final int CHUNK = 1024;
    private static final Progress SILENT = (done, total) -> { };

    private Sampling() { }

    /**
     * The moments of n independent values of a statistic. The memory used does not depend on n.
     *
     * @param seed any number
     * @param n how many values, at least 0
     * @param f the statistic, for example {@code d -> d.dot(64)}; called from several threads
     * @return their moments
     * @throws IllegalArgumentException if n is negative
     * @throws CancellationException if the calling thread is interrupted
     */
    public static Moments moments(long seed, long n, Statistic f) {
        return moments(seed, n, f, SILENT);
    }

    /**
     * {@link #moments(long, long, Statistic)} that tells how far it has come.
     *
     * @param seed any number
     * @param n how many values, at least 0
     * @param f the statistic; called from several threads
     * @param progress hears how many of the n values are done
     * @return their moments
     * @throws IllegalArgumentException if n is negative
     * @throws CancellationException if the calling thread is interrupted
     */
    public static Moments moments(long seed, long n, Statistic f, Progress progress) {
        return moments(seed, n, f, progress, processors());
    }

    static Moments moments(long seed, long n, Statistic f, Progress progress, int threads) {
        Checks.notNull("f", f);
        Moments total = new Moments();
        run(seed, n, progress, threads, (draws, count, stop) -> {
            double[] values = new double[count];
            for (int i = 0; i < count; i++) {
                stop.check();
                values[i] = f.of(draws);
            }
            return Moments.of(values);
        }, total::merge);
        return total;
    }

    /**
     * The moments of n independent values of q·k for fresh q, k ~ N(0, I), by the loops of a backend. With {@link Backend#plain} they are
     * those of {@code moments(seed, n, d -> d.dot(dK))}, to the bit. With {@link Backend#vector} they take about 0.8 of the time once warm,
     * and are made of other random numbers ({@link Backend#dots}): a second sample, not the same one faster. Either depends on the seed
     * alone. O(n · dK) time.
     *
     * @param backend whose loops
     * @param seed any number
     * @param n how many values, at least 0
     * @param dK the components of q and of k, at least 1
     * @return their moments
     * @throws IllegalArgumentException if n is negative, or dK below 1
     * @throws CancellationException if the calling thread is interrupted
     */
    public static Moments dotMoments(Backend backend, long seed, long n, int dK) {
        return dotMoments(backend, seed, n, dK, SILENT);
    }

    /**
     * {@link #dotMoments(Backend, long, long, int)} that tells how far it has come.
     *
     * @param backend whose loops
     * @param seed any number
     * @param n how many values, at least 0
     * @param dK the components of q and of k, at least 1
     * @param progress hears how many of the n values are done
     * @return their moments
     * @throws IllegalArgumentException if n is negative, or dK below 1
     * @throws CancellationException if the calling thread is interrupted
     */
    public static Moments dotMoments(Backend backend, long seed, long n, int dK, Progress progress) {
        return dotMoments(backend, seed, n, dK, progress, processors());
    }

    static Moments dotMoments(Backend backend, long seed, long n, int dK, Progress progress, int threads) {
        Checks.notNull("backend", backend);
        Checks.atLeast(1, "dK", dK);
        Moments total = new Moments();
        run(seed, n, progress, threads, (draws, count, stop) -> {
            stop.check();
            double[] dots = new double[count];
            backend.dots(draws.random, dK, count, dots); // looks itself whether it is to stop
            return Moments.of(dots);
        }, total::merge);
        return total;
    }

    /**
     * The moments of each entry of n independent values of a vector statistic, for statistics that share their draws.
     *
     * @param seed any number
     * @param n how many vectors, at least 0
     * @param size the length of the statistic's vectors, at least 1
     * @param f the statistic; called from several threads
     * @return the moments of entry 0, 1, …, size − 1
     * @throws IllegalArgumentException if n is negative, size is below 1, or f returns a vector of another length
     * @throws CancellationException if the calling thread is interrupted
     */
    public static Moments[] moments(long seed, long n, int size, VectorStatistic f) {
        return moments(seed, n, size, f, SILENT);
    }

    /**
     * {@link #moments(long, long, int, VectorStatistic)} that tells how far it has come.
     *
     * @param seed any number
     * @param n how many vectors, at least 0
     * @param size the length of the statistic's vectors, at least 1
     * @param f the statistic; called from several threads
     * @param progress hears how many of the n vectors are done
     * @return the moments of entry 0, 1, …, size − 1
     * @throws IllegalArgumentException if n is negative, size is below 1, or f returns a vector of another length
     * @throws CancellationException if the calling thread is interrupted
     */
    public static Moments[] moments(long seed, long n, int size, VectorStatistic f, Progress progress) {
        Checks.notNull("f", f);
        Moments[] total = none(Checks.atLeast(1, "size", size));
        run(seed, n, progress, processors(), (draws, count, stop) -> {
            Moments[] part = none(size);
            for (int i = 0; i < count; i++) {
                stop.check();
                double[] values = f.of(draws);
                if (values == null || values.length != size) {
                    throw new IllegalArgumentException("the statistic returned "
                            + (values == null ? "null" : values.length + " values") + ": size says " + size);
                }
                for (int j = 0; j < size; j++) {
                    part[j].add(values[j]);
                }
            }
            return part;
        }, part -> {
            for (int j = 0; j < size; j++) {
                total[j].merge(part[j]);
            }
        });
        return total;
    }

    /**
     * n independent values of a statistic, to draw histograms and take quantiles of. The first 1024 are what f makes of
     * {@code Draws.of(seed)}.
     *
     * @param seed any number
     * @param n how many values, at least 0
     * @param f the statistic; called from several threads
     * @return a new array of n values, always in the same order
     * @throws IllegalArgumentException if n is negative
     * @throws CancellationException if the calling thread is interrupted
     */
    public static double[] values(long seed, int n, Statistic f) {
        return values(seed, n, f, SILENT);
    }

    /**
     * {@link #values(long, int, Statistic)} that tells how far it has come.
     *
     * @param seed any number
     * @param n how many values, at least 0
     * @param f the statistic; called from several threads
     * @param progress hears how many of the n values are done
     * @return a new array of n values, always in the same order
     * @throws IllegalArgumentException if n is negative
     * @throws CancellationException if the calling thread is interrupted
     */
    public static double[] values(long seed, int n, Statistic f, Progress progress) {
        return values(seed, n, f, progress, processors());
    }

    static double[] values(long seed, int n, Statistic f, Progress progress, int threads) {
        Checks.notNull("f", f);
        double[] all = new double[Checks.atLeast(0, "n", n)];
        int[] filled = new int[1];
        run(seed, n, progress, threads, (draws, count, stop) -> {
            double[] part = new double[count];
            for (int i = 0; i < count; i++) {
                stop.check();
                part[i] = f.of(draws);
            }
            return part;
        }, part -> {
            System.arraycopy(part, 0, all, filled[0], part.length);
            filled[0] += part.length;
        });
        return all;
    }

    private static int processors() {
        return Runtime.getRuntime().availableProcessors();
    }

    private static Moments[] none(int size) {
        Moments[] moments = new Moments[size];
        for (int j = 0; j < size; j++) {
            moments[j] = new Moments();
        }
        return moments;
    }

    /** Computes one chunk of {@code count} values from its own stream. */
    private interface Chunk<R> {
        R compute(Draws draws, int count, Run<?> stop);
    }

    private static <R> void run(long seed, long n, Progress progress, int threads, Chunk<R> chunk, Consumer<R> inOrder) {
        Checks.notNull("progress", progress);
        Run<R> run = new Run<>(Xoroshiro128PlusPlus.of(seed), Checks.atLeast(0, "n", n), chunk, inOrder);
        Thread[] workers = new Thread[(int) Math.min(threads, n / CHUNK + (n % CHUNK == 0 ? 0 : 1))];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Thread(run, "sampling-" + i);
            workers[i].setDaemon(true);
            workers[i].start();
        }
        boolean interrupted = false;
        Throwable fromProgress = null;
        for (Thread worker : workers) {
            while (worker.isAlive()) {
                try {
                    worker.join(Progress.INTERVAL);
                    if (worker.isAlive() && !run.stopped) {
                        progress.at(run.done(), n);
                    }
                } catch (InterruptedException e) {
                    interrupted = true;
                    run.stop(workers);
                } catch (RuntimeException | Error e) {
                    fromProgress = e;
                    run.stop(workers);
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        throwUnchecked(fromProgress);
        run.report();
        progress.at(n, n);
    }

    private static void throwUnchecked(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        if (e != null) {
            throw (RuntimeException) e; // neither Statistic nor Progress declares a checked exception
        }
    }

    /** One call of {@link #run}: hands out chunks in order, takes their results in any order, merges them in order. */
    private static final class Run<R> implements Runnable {
        private final Xoroshiro128PlusPlus source;
        private final long n;
        private final Chunk<R> chunk;
        private final Consumer<R> inOrder;
        private final Map<Long, R> waiting = new HashMap<>(); // finished before an earlier chunk was
        private long begun;
        private long merged;
        private long failedChunk = Long.MAX_VALUE;
        private Throwable failure;
        private volatile boolean stopped;

        Run(Xoroshiro128PlusPlus source, long n, Chunk<R> chunk, Consumer<R> inOrder) {
            this.source = source;
            this.n = n;
            this.chunk = chunk;
            this.inOrder = inOrder;
        }

        private record Task(long index, int count, Draws draws) { }

        @Override
        public void run() {
            for (Task task = next(); task != null; task = next()) {
                try {
                    finish(task.index, chunk.compute(task.draws, task.count, this));
                } catch (Throwable e) {
                    fail(task.index, e);
                }
            }
        }

        private synchronized Task next() {
            long first = begun * CHUNK;
            if (stopped || failure != null || first >= n) {
                return null;
            }
            return new Task(begun++, (int) Math.min(CHUNK, n - first), new Draws(source.jump()));
        }

        private synchronized void finish(long index, R result) {
            waiting.put(index, result);
            for (R part = waiting.remove(merged); part != null; part = waiting.remove(merged)) {
                inOrder.accept(part);
                merged++;
            }
        }

        /** Chunks begun before this one still run, so the failure kept is that of the first failing value. */
        private synchronized void fail(long index, Throwable e) {
            if (index < failedChunk) {
                failedChunk = index;
                failure = e;
            }
        }

        void check() {
            if (stopped) {
                throw new CancellationException();
            }
        }

        /** The threads are interrupted too, for a statistic that waits or samples on its own. */
        void stop(Thread[] workers) {
            stopped = true;
            for (Thread worker : workers) {
                worker.interrupt();
            }
        }

        synchronized long done() {
            return Math.min(n, merged * CHUNK);
        }

        synchronized void report() {
            if (stopped) {
                throw new CancellationException(
                        "sampling was interrupted after " + done() + " of " + n + " values");
            }
            throwUnchecked(failure);
        }
    }
}
