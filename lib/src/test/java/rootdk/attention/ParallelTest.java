package rootdk.attention;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

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

    /** Part 1 waits for ever; part 0 fails: the exception comes as it is, and part 1 has been interrupted by then. */
    @Test
    void aFailureStopsTheOthers() {
        IllegalStateException failure = new IllegalStateException("part 0");
        CountDownLatch waiting = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        assertSame(failure, assertThrows(IllegalStateException.class, () -> Parallel.run(9, 2, i -> {
            try {
                if (i == 0) {
                    waiting.await();
                    throw failure;
                }
                waiting.countDown();
                Thread.sleep(Long.MAX_VALUE);
            } catch (InterruptedException e) {
                interrupted.set(true);
            }
        })));
        assertTrue(interrupted.get());
        assertThrows(StackOverflowError.class, () -> Parallel.run(2, 2, i -> {
            throw new StackOverflowError();
        }));
    }
}
