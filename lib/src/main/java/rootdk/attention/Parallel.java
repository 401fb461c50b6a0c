package rootdk.attention;

import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.function.IntConsumer;
import rootdk.backend.Threads;

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
        ExecutorService pool = Threads.pool(Math.min(n, threads), "attention");
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
            Threads.stop(pool);
        }
    }
}
