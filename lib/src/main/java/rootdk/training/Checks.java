package rootdk.training;

import java.util.concurrent.CancellationException;
import org.ejml.data.MatrixType;
import org.ejml.simple.SimpleMatrix;
import rootdk.stats.Draws;

/** Checks of arguments shared by this package. */
final class Checks {
    private Checks() { }

    static int atLeast(int minimum, String name, int value) {
        if (value < minimum) {
            throw new IllegalArgumentException(name + " is " + value + ": it must be at least " + minimum);
        }
        return value;
    }

    static double positive(String name, double value) {
        if (!(value > 0) || value == Double.POSITIVE_INFINITY) {
            throw new IllegalArgumentException(name + " is " + value + ": it must be finite and above 0");
        }
        return value;
    }

    /** A share that decays, such as a momentum: at least 0 and below 1. */
    static double decay(String name, double value) {
        if (!(value >= 0 && value < 1)) {
            throw new IllegalArgumentException(name + " is " + value + ": it must be at least 0 and below 1");
        }
        return value;
    }

    static <T> T notNull(String name, T value) {
        if (value == null) {
            throw new NullPointerException(name + " is null");
        }
        return value;
    }

    /** rows · columns, for the length of an array. */
    static int entries(String name, int rows, int columns) {
        long entries = (long) rows * columns;
        if (entries > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException(name + ": " + rows + " × " + columns + " is more entries than an array holds, "
                    + (Integer.MAX_VALUE - 8) + ": make one of the numbers smaller");
        }
        return (int) entries;
    }

    /** The symbols of a {@link KeyValueTask}. */
    static void symbols(int keys, int values) {
        if ((long) keys + values + 1 > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("keys is " + keys + ", values is " + values
                    + ": keys + values + 1 symbols must fit into an int");
        }
    }

    /** The sizes of a task, which may be anyone's. */
    static Task task(Task task) {
        notNull("task", task);
        atLeast(1, "the task's nK", task.nK());
        atLeast(1, "the task's nQ", task.nQ());
        atLeast(1, "the task's symbols", task.symbols());
        atLeast(2, "the task's classes", task.classes());
        return task;
    }

    /** The arguments of {@link Task#draw}. */
    static void drawing(Task task, Draws draws, int[] tokens, int[] labels) {
        notNull("draws", draws);
        atLeast(2 * (task.nK() + task.nQ()), "tokens.length", notNull("tokens", tokens).length);
        atLeast(task.nQ(), "labels.length", notNull("labels", labels).length);
    }

    static SimpleMatrix doubles(String name, SimpleMatrix m) {
        if (notNull(name, m).getType() != MatrixType.DDRM) {
            // new SimpleMatrix(2, 2, true, 0, 1, -1, 0) picks the float overload, so this is met in practice.
            throw new IllegalArgumentException(name + " is " + m.getNumRows() + " × " + m.getNumCols() + " of type " + m.getType()
                    + ": it must hold doubles (DDRM). Make it with new SimpleMatrix(double[][])");
        }
        return m;
    }

    /** The stop button of a notebook interrupts the thread; a long loop asks here once a step. The flag stays set. */
    static void stopIfInterrupted(String what) {
        if (Thread.currentThread().isInterrupted()) {
            throw new CancellationException(what);
        }
    }
}
