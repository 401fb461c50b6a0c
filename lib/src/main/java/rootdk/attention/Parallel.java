package rootdk.attention;

import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/** One call's work in parts, on several threads. */
final class Parallel {
    private Parallel() { }

    /**
     * Does part 0, 1, …, n − 1, begun in this order. With one thread, or one part, it is the calling one; else the caller waits. If a part
     * fails, or the caller is interrupted, the threads are interrupted too, and none works any more when the exception reaches the caller.
     */
    static void run(int n, int threads, IntConsumer part) {
        if (n <= 1 || threads == 1) {
            for (int i = 0; i < n; i++) {
                part.accept(i);
            }
            return;
        }
        ExecutorService pool = Executors.newFixedThreadPool(Math.min(n, threads), task -> {
            Thread thread = new Thread(task, "attention");
            thread.setDaemon(true);
            return thread;
        });
        try {
            CompletionService<Void> done = new ExecutorCompletionService<>(pool);
            for (int i = 0; i < n; i++) {
                int each = i;
                done.submit(() -> part.accept(each), null);
            }
            for (int i = 0; i < n; i++) {
                done.take().get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            Matrices.stopIfInterrupted();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) e.getCause(); // an IntConsumer declares no checked exception
        } finally {
            stop(pool);
        }
    }

    private static void stop(ExecutorService pool) {
        pool.shutdownNow();
        boolean interrupted = false;
        for (boolean stopped = false; !stopped; ) {
            try {
                stopped = pool.awaitTermination(1, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
