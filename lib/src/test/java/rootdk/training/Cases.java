package rootdk.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.function.Executable;
import rootdk.stats.Draws;

/** What the tests of this package share. */
final class Cases {
    private Cases() { }

    /** A model and a batch for it, all shapes different. */
    static Model model(Head head, long seed) {
        return new Model(head, TASK, 3, seed);
    }

    static Batch batch(long seed) {
        return new Batch(TASK, 3).draw(Draws.of(seed));
    }

    private static final Task TASK = Task.recall(6, 4, 5, 2);

    static Parameter parameter(int rows, int columns, double... value) {
        Parameter w = new Parameter("w", rows, columns, rows > 1);
        System.arraycopy(value, 0, w.value, 0, value.length);
        return w;
    }

    static Parameter random(int rows, int columns, Draws draws) {
        return parameter(rows, columns, draws.gaussians(rows * columns));
    }

    static void gradient(Parameter w, double... gradient) {
        System.arraycopy(gradient, 0, w.gradient, 0, gradient.length);
    }

    static double[] data(SimpleMatrix m) {
        return m.getDDRM().getData();
    }

    static void assertClose(double[] expected, double[] actual, double tolerance, String name) {
        assertEquals(expected.length, actual.length, name);
        for (int i = 0; i < expected.length; i++) {
            assertEquals(expected[i], actual[i], tolerance, name + "[" + i + "]");
        }
    }

    static void assertMessage(String message, Executable call) {
        assertEquals(message, assertThrows(RuntimeException.class, call).getMessage());
    }

    /** A task of the given sizes that answers with one class, whether it has it or not, and leaves the symbols as they are. */
    record Sizes(int nK, int nQ, int symbols, int classes, int answer) implements Task {
        @Override
        public void draw(Draws draws, int[] tokens, int[] labels) {
            labels[0] = answer;
        }
    }
}
