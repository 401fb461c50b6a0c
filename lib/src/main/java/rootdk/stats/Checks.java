package rootdk.stats;

import java.util.concurrent.CancellationException;

/** Checks of arguments shared by this package. */
final class Checks {
    private Checks() { }

    static int atLeast(int minimum, String name, int value) {
        return (int) atLeast((long) minimum, name, value);
    }

    static long atLeast(long minimum, String name, long value) {
        if (value < minimum) {
            throw new IllegalArgumentException(name + " is " + value + ": it must be at least " + minimum);
        }
        return value;
    }

    static void finite(String name, double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException(name + " is " + value + ": it must be finite");
        }
    }

    static void positive(String name, double value) {
        if (!(value > 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(name + " is " + value + ": it must be finite and above 0");
        }
    }

    static <T> T notNull(String name, T value) {
        if (value == null) {
            throw new NullPointerException(name + " is null");
        }
        return value;
    }

    /** For loops that may run long. The flag stays set. */
    static void notInterrupted() {
        if (Thread.currentThread().isInterrupted()) {
            throw new CancellationException("interrupted");
        }
    }

    /** A sample that can be ordered: at least one number, none of them NaN. */
    static double[] sample(String name, double[] x) {
        if (notNull(name, x).length == 0) {
            throw new IllegalArgumentException(name + " is empty: at least one number is needed");
        }
        for (int i = 0; i < x.length; i++) {
            if (Double.isNaN(x[i])) {
                throw new IllegalArgumentException(name + "[" + i + "] is NaN, which has no place in an order: remove it first");
            }
        }
        return x;
    }
}
