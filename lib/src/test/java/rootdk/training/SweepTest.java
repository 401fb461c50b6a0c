package rootdk.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rootdk.training.Cases.assertMessage;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import rootdk.attention.Scale;

class SweepTest {
    private static final Training NONE = Training.of(Task.recall(6, 4, 5, 2), Head.of(8, 6), Optimizer.sgd(1, 0)).batch(4).steps(12);
    private static final double[] RATES = {0.1, 1, 1e6};

    private static Map<String, Training> variants() {
        Map<String, Training> variants = new LinkedHashMap<>();
        variants.put("none", NONE);
        variants.put("√dₖ", NONE.head(Head.of(8, 6).dividedBy(Scale.sqrt(6))));
        return variants;
    }

    /** Each cell of the sweep is the run that its training would do alone, with 1 thread and with 5. */
    @Test
    void everyRunIsTheRunAlone() {
        Sweep one = Sweep.of(variants(), RATES, 3, (done, total) -> { }, 1);
        Sweep many = Sweep.of(variants(), RATES, 3, (done, total) -> { }, 5);
        assertEquals(List.of("none", "√dₖ"), one.variants());
        assertArrayEquals(RATES, one.rates());
        for (String variant : one.variants()) {
            for (double rate : RATES) {
                for (int seed = 0; seed < 3; seed++) {
                    double[] alone = variants().get(variant).rate(rate).run(seed).losses();
                    assertArrayEquals(alone, one.runs(variant, rate).get(seed).losses());
                    assertArrayEquals(alone, many.runs(variant, rate).get(seed).losses());
                }
            }
        }
        assertEquals("sweep of none, √dₖ at 3 rates with 3 seeds each", one.toString());
    }

    @Test
    void mediansAndUsableRates() {
        Sweep sweep = Sweep.of(variants(), RATES, 3);
        double[] medians = sweep.medians("none");
        double[] finals = sweep.runs("none", 1).stream().mapToDouble(Run::finalLoss).sorted().toArray();
        assertEquals(finals[1], medians[1]);
        assertEquals(finals[2], sweep.finalLosses("none", 1)[1]);
        assertEquals(Double.POSITIVE_INFINITY, medians[2], "at 10⁶ all seeds diverge");
        assertArrayEquals(new double[] {0.1, 1}, sweep.usable("none", 10));
        assertArrayEquals(new double[0], sweep.usable("none", 0));
    }

    @Test
    void progressEndsWithTheTotal() {
        List<Long> heard = new ArrayList<>();
        Thread caller = Thread.currentThread();
        Sweep.of(variants(), RATES, 2, (done, total) -> {
            assertSame(caller, Thread.currentThread());
            assertEquals(12, total);
            heard.add(done);
        });
        assertEquals(12, heard.get(heard.size() - 1));
        assertEquals(heard.stream().sorted().toList(), heard);
        assertThrows(IllegalStateException.class, () -> Sweep.of(variants(), RATES, 2, (done, total) -> {
            throw new IllegalStateException();
        }));
        assertNoThreadsLeft();
    }

    @Test
    void interruptStopsAllRuns() {
        Training endless = NONE.steps(1_000_000).rate(1e-6);
        Thread.currentThread().interrupt();
        assertEquals("the sweep was interrupted after 0 of 4 runs", assertThrows(CancellationException.class,
                () -> Sweep.of(Map.of("endless", endless), new double[] {1e-6}, 4)).getMessage());
        assertTrue(Thread.interrupted(), "the flag stays set");
        assertNoThreadsLeft();
    }

    /** A pool has terminated when its threads have done their last task, which is a moment before they end. */
    private static void assertNoThreadsLeft() {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals("sweep")) {
                assertDoesNotThrow(() -> thread.join(5000));
                assertFalse(thread.isAlive());
            }
        }
    }

    /** A task that fails in the middle: the failure reaches the caller as it is, and nothing keeps running. */
    @Test
    void aFailingTaskFailsTheSweep() {
        Training failing = Training.of(new Cases.Sizes(1, 1, 2, 2, 9), Head.of(2, 2), Optimizer.adam(1));
        assertMessage("the task drew class 9: it says it has 2, from 0 to 1", () -> Sweep.of(Map.of("failing", failing), RATES, 2));
        assertNoThreadsLeft();
    }

    @Test
    void badInput() {
        Sweep sweep = Sweep.of(variants(), new double[] {0.1}, 1);
        assertMessage("there is no variant d_k: this sweep has none, √dₖ", () -> sweep.medians("d_k"));
        assertMessage("there is no rate 0.2: this sweep has [0.1]", () -> sweep.runs("none", 0.2));
        assertMessage("variant is null", () -> sweep.medians(null));
        assertMessage("the number of variants is 0: it must be at least 1", () -> Sweep.of(Map.of(), RATES, 1));
        assertMessage("the number of rates is 0: it must be at least 1", () -> Sweep.of(variants(), new double[0], 1));
        assertMessage("seeds is 0: it must be at least 1", () -> Sweep.of(variants(), RATES, 0));
        assertMessage("rate is -1.0: it must be finite and above 0", () -> Sweep.of(variants(), new double[] {1, -1}, 1));
        assertMessage("progress is null", () -> Sweep.of(variants(), RATES, 1, null));
        assertNoThreadsLeft();
    }
}
