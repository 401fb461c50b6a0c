package rootdk.backend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A pool's threads, and that none works any more when it has been stopped. */
class ThreadsTest {

    @Test
    void aThreadHasItsNameAndKeepsNoJvmAlive() throws Exception {
        ExecutorService pool = Threads.pool(1, "sums");
        Thread thread = pool.submit(Thread::currentThread).get();
        Threads.stop(pool);
        assertEquals("sums", thread.getName());
        assertTrue(thread.isDaemon());
    }

    @Test
    void stoppingInterruptsAndWaitsEvenIfTheCallerIsInterrupted() throws Exception {
        ExecutorService pool = Threads.pool(1, "sleeps");
        CountDownLatch begun = new CountDownLatch(1);
        AtomicBoolean ended = new AtomicBoolean();
        pool.execute(() -> {
            begun.countDown();
            try {
                Thread.sleep(60_000);
            } catch (InterruptedException e) {
                ended.set(true);
            }
        });
        begun.await();
        Thread.currentThread().interrupt();
        Threads.stop(pool);
        assertTrue(Thread.interrupted());
        assertTrue(ended.get());
        assertThrows(RejectedExecutionException.class, () -> pool.execute(() -> { }));
    }

    @Test
    void aPoolOfNoThreadsIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> Threads.pool(0, "none"));
    }
}
