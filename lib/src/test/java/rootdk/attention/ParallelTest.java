package rootdk.attention;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ParallelTest {

    @Test
    void everyPartOnce() {
        List<Integer> done = Collections.synchronizedList(new ArrayList<>());
        Parallel.run(100, 3, done::add);
        Collections.sort(done);
        assertEquals(IntStream.range(0, 100).boxed().toList(), done);
        Parallel.run(0, 3, i -> done.add(-1));
        assertEquals(100, done.size());
    }

    /** With one thread in their order, on the caller; and one part needs no other thread either. */
    @Test
    void alone() {
        Thread caller = Thread.currentThread();
        List<Integer> done = new ArrayList<>();
        Parallel.run(4, 1, i -> {
            assertSame(caller, Thread.currentThread());
            done.add(i);
        });
        assertEquals(List.of(0, 1, 2, 3), done);
        Parallel.run(1, 8, i -> assertSame(caller, Thread.currentThread()));
    }

    @Test
    void theCallerWorksToo() {
        Thread caller = Thread.currentThread();
        CountDownLatch both = new CountDownLatch(2);
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        Parallel.run(2, 2, i -> {
            threads.add(Thread.currentThread());
            both.countDown();
            await(both); // so each has one of the parts
        });
        assertEquals(2, threads.size());
        assertTrue(threads.contains(caller));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** One thread fails while the other waits for ever: the exception comes as it is, and the other has been interrupted by then. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFailureStopsTheOthers(boolean ofTheCaller) {
        Thread caller = Thread.currentThread();
        IllegalStateException failure = new IllegalStateException("a part");
        CountDownLatch waiting = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        AtomicInteger parts = new AtomicInteger();
        assertSame(failure, assertThrows(IllegalStateException.class, () -> Parallel.run(9, 2, i -> {
            parts.incrementAndGet();
            if ((Thread.currentThread() == caller) == ofTheCaller) {
                await(waiting);
                throw failure;
            }
            try {
                waiting.countDown();
                Thread.sleep(Long.MAX_VALUE);
            } catch (InterruptedException e) {
                interrupted.set(true);
            }
        })));
        assertTrue(interrupted.get());
        assertEquals(2, parts.get(), "no part was begun after the failure");
        assertFalse(Thread.currentThread().isInterrupted(), "nobody has asked the caller to stop");
        assertThrows(StackOverflowError.class, () -> Parallel.run(2, 2, i -> {
            throw new StackOverflowError();
        }));
    }

    /** The stop button: while the caller has a part of its own, and while it only waits for the other thread's. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anInterruptStopsAll(boolean whileItWorks) {
        Thread caller = Thread.currentThread();
        CountDownLatch both = new CountDownLatch(2);
        AtomicBoolean interrupted = new AtomicBoolean();
        assertThrows(CancellationException.class, () -> Parallel.run(2, 2, i -> {
            both.countDown();
            await(both);
            try {
                if (Thread.currentThread() != caller) {
                    Thread.sleep(100);
                    caller.interrupt();
                    Thread.sleep(Long.MAX_VALUE);
                } else if (whileItWorks) {
                    Thread.sleep(Long.MAX_VALUE);
                }
            } catch (InterruptedException e) {
                interrupted.set(true);
                Thread.currentThread().interrupt();
                Matrices.stopIfInterrupted();
            }
        }));
        assertTrue(Thread.interrupted(), "the flag stays set");
        assertTrue(interrupted.get());
    }
}
