package rootdk.attention;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import rootdk.backend.Threads;

/** One call's work in parts, on several threads, of which the calling one is the first: a new thread can take milliseconds to get a processor. */
final class Parallel {
    private final int n;
    private final IntConsumer part;
    private final Thread caller = Thread.currentThread();
    private int begun;
    private Throwable failure; // the first
    private boolean hasInterruptedCaller;

    private Parallel(int n, IntConsumer part) {
        this.n = n;
        this.part = part;
    }

    /**
     * Does part 0, 1, …, n − 1, begun in this order. With one thread, or one part, the calling one does them all. If a part fails, or the
     * caller is interrupted, the threads are interrupted too, and none works any more when the exception reaches the caller.
     */
    static void run(int n, int threads, IntConsumer part) {
        if (n <= 1 || threads == 1) {
            for (int i = 0; i < n; i++) {
                part.accept(i);
            }
            return;
        }
        new Parallel(n, part).run(Math.min(n, threads) - 1);
    }

    private void run(int others) {
        ExecutorService pool = Threads.pool(others, "attention");
        try {
            for (int i = 0; i < others; i++) {
                pool.execute(this::work);
            }
            pool.shutdown();
            work();
            if (failure() == null) {
                pool.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            fail(new CancellationException("attention was interrupted")); // unless it was another thread's failure
            caller.interrupt();
        } finally {
            Threads.stop(pool);
        }
        if (hasInterruptedCaller) {
            Thread.interrupted();
        }
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw (RuntimeException) failure; // an IntConsumer declares no checked exception
        }
    }

    private void work() {
        try {
            for (int i = next(); i < n; i = next()) {
                part.accept(i);
            }
        } catch (Throwable e) {
            fail(e);
        }
    }

    private synchronized int next() {
        return failure == null ? begun++ : n;
    }

    private synchronized Throwable failure() {
        return failure;
    }

    private synchronized void fail(Throwable e) {
        if (failure == null) {
            failure = e;
            if (Thread.currentThread() != caller) {
                hasInterruptedCaller = true;
                caller.interrupt(); // who interrupts the others
            }
        }
    }
}
