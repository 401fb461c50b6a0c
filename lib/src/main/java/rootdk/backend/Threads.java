package rootdk.backend;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The threads of one call, which are gone when it returns. */
public final class Threads {
    private Threads() { }

    /**
     * A pool of daemon threads, which do not keep a JVM alive.
     *
     * @param n how many, at least 1
     * @param name the name of each, for who looks at a running JVM
     * @return the pool, to be given to {@link #stop}
     * @throws IllegalArgumentException if n is below 1
     */
    public static ExecutorService pool(int n, String name) {
        return Executors.newFixedThreadPool(n, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Interrupts what the pool's threads do, and waits until none works any more. An interrupt of the caller does not cut the waiting
     * short; its flag is set afterwards.
     *
     * @param pool the pool; takes no more tasks
     */
    public static void stop(ExecutorService pool) {
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
