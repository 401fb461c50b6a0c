package rootdk.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.Collections;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import rootdk.stats.Draws;

/** Arguments that would end in an exception without words, or in a wrong result without one: what is missing, too large, or never filled. */
class BadInputTest {
    private static final int HUGE = Integer.MAX_VALUE;
    private static final int LARGE = 1 << 30;
    private static final Task RECALL = Task.recall(4, 3, 3, 2); // 2 · (3 + 2) symbols, 2 answers
    private static final Draws DRAWS = Draws.of(1);
    private static final double[] TWO = {1, 2};

    private static Arguments refuses(String message, Executable call) {
        return arguments(message, call);
    }

    static Stream<Arguments> calls() {
        return Stream.of(
                // sizes whose product or sum is beyond int
                refuses("tokens to attend to, size × nK: 2147483647 × 3 is more entries than an array holds, 2147483639: "
                        + "make one of the numbers smaller", () -> new Batch(RECALL, HUGE)),
                refuses("symbols to attend to: 1200000000 × 2 is more entries than an array holds, 2147483639: "
                        + "make one of the numbers smaller", () -> new Batch(RECALL, 400_000_000)),
                refuses("keys, size × nK: 1073741824 × 3 is more entries than an array holds, 2147483639: "
                        + "make one of the numbers smaller", () -> new Model(Head.of(1, 1), Task.recall(4, 3, 3, 1), LARGE, 1)),
                refuses("E: 8 × 1073741824 is more entries than an array holds, 2147483639: make one of the numbers smaller",
                        () -> new Model(Head.of(LARGE, 2), RECALL, 2, 1)),
                refuses("W_q: 65536 × 65536 is more entries than an array holds, 2147483639: make one of the numbers smaller",
                        () -> new Model(Head.of(1 << 16, 1 << 16), RECALL, 2, 1)),
                refuses("tokens to attend to, keys × votes: 65536 × 65536 is more entries than an array holds, 2147483639: "
                        + "make one of the numbers smaller", () -> Task.majority(1 << 16, 2, 1 << 16)),
                refuses("keys is 2147483647, values is 2: keys + values + 1 symbols must fit into an int",
                        () -> Task.recall(HUGE, 2, 1, 1)),
                refuses("keys is 1, values is 2147483647: keys + values + 1 symbols must fit into an int",
                        () -> Task.majority(1, HUGE, 1)),

                // a task of one's own
                refuses("the task's nK is -3: it must be at least 1", () -> new Batch(new Cases.Sizes(-3, 2, 4, 3, 0), 2)),
                refuses("the task's nQ is 0: it must be at least 1", () -> new Batch(new Cases.Sizes(3, 0, 4, 3, 0), 2)),
                refuses("the task's symbols is 0: it must be at least 1", () -> new Model(Head.of(4, 2), new Cases.Sizes(3, 2, 0, 3, 0), 2, 1)),
                refuses("the task's classes is 1: it must be at least 2", () -> new Model(Head.of(4, 2), new Cases.Sizes(3, 2, 4, 1, 0), 2, 1)),

                // a batch without sequences, and where they come from
                refuses("batch has no sequences yet: call draw first", () -> model().forward(new Batch(RECALL, 2))),
                refuses("draws is null", () -> new Batch(RECALL, 2).draw(null)),
                refuses("draws is null", () -> RECALL.draw(null, new int[10], new int[2])),
                refuses("tokens is null", () -> RECALL.draw(DRAWS, null, new int[2])),
                refuses("tokens.length is 9: it must be at least 10", () -> RECALL.draw(DRAWS, new int[9], new int[2])),
                refuses("labels.length is 1: it must be at least 2", () -> RECALL.draw(DRAWS, new int[10], new int[1])),
                refuses("tokens.length is 3: it must be at least 4",
                        () -> Task.majority(1, 2, 1).draw(DRAWS, new int[3], new int[1])),

                // matrices
                refuses("matrix is 4 × 2 of type FDRM: it must hold doubles (DDRM). Make it with new SimpleMatrix(double[][])",
                        () -> model().parameter("W_q").set(new SimpleMatrix(4, 2, true, new float[8]))),

                // results made by hand
                refuses("losses is null", () -> new Run(null, TWO, TWO, TWO, Map.of(), 0)),
                refuses("losses.length is 0: it must be at least 1", () -> new Run(new double[0], TWO, TWO, TWO, Map.of(), 0)),
                refuses("divisors has 3 numbers, losses has 2: both must have one for each step",
                        () -> new Run(TWO, TWO, TWO, new double[3], Map.of(), 0)),
                refuses("gradientNorms[b] has 1 numbers, losses has 2: both must have one for each step",
                        () -> new Run(TWO, TWO, TWO, TWO, Map.of("b", new double[1]), 0)),
                refuses("variants[a] is null", () -> Sweep.of(Collections.singletonMap("a", null), TWO, 1)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("calls")
    void badInputGetsOneMessage(String message, Executable call) {
        assertEquals(message, assertThrows(RuntimeException.class, call).getMessage());
    }

    /** A batch whose draw failed half-way has no sequences either. */
    @Test
    void aBatchWhoseDrawFailedIsNotUsed() {
        Batch batch = new Batch(new Cases.Sizes(3, 2, 4, 3, 0), 2).draw(DRAWS);
        assertThrows(NullPointerException.class, () -> batch.draw(null));
        assertTrue(batch.isDrawn(), "refused before anything changed");
        Task failing = new Cases.Sizes(3, 2, 4, 3, 99);
        Batch failed = new Batch(failing, 2);
        assertThrows(IllegalArgumentException.class, () -> failed.draw(DRAWS));
        Model model = new Model(Head.of(4, 2), failing, 2, 1);
        assertEquals("batch has no sequences yet: call draw first",
                assertThrows(IllegalArgumentException.class, () -> model.forward(failed)).getMessage());
    }

    @Test
    void theStopButtonEndsALongIteration() {
        SimpleMatrix g = DRAWS.gaussianMatrix(3, 4);
        Thread.currentThread().interrupt();
        assertEquals("the iteration was interrupted after 0 of 1000000 steps",
                assertThrows(CancellationException.class, () -> NewtonSchulz.iterates(g, 1_000_000)).getMessage());
        assertTrue(Thread.interrupted(), "the flag stays set");
    }

    private static Model model() {
        return new Model(Head.of(4, 2), RECALL, 2, 1);
    }
}
