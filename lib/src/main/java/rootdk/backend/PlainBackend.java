package rootdk.backend;

import java.util.Arrays;
import java.util.concurrent.CancellationException;

/**
 * Loops of a shape that the JIT compiler turns into vector instructions: one counter, the same index in every array, no branch. Each is a
 * method of its own, as the compiler gives up on large ones.
 */
final class PlainBackend implements Backend {
    static final PlainBackend INSTANCE = new PlainBackend();
    private static final int COLUMNS = 192; // of B and C at a time
    private static final int DEEP = 16; // rows of B at a time: 24 KiB, which stay in the nearest cache while they meet all rows of A
    private static final int ROWS = 128; // of A and C at a time

    /**
     * Rows that the loops work on, kept from call to call: new memory would be outside the near caches every time. With six numbers more,
     * and its header of 16 bytes, a row is as long as some whole lines of the cache: all rows, made one after the other, then begin at the
     * same place of a line, and where the JIT compiler has aligned the vectors of one, those of all are.
     */
    private static final ThreadLocal<double[][]> KEPT = ThreadLocal.withInitial(() -> new double[DEEP + ROWS][COLUMNS + 6]);

    private PlainBackend() { }

    @Override
    public void multiply(int m, int n, int k, double[] a, int aFrom, int aRow, int aColumn, double[] b, int bFrom, int bRow,
            double[] c, int cFrom, int cRow, boolean add) {
        for (int top = 0; top < m; top += ROWS) {
            int rows = Math.min(ROWS, m - top);
            for (int left = 0; left < n; left += COLUMNS) {
                int columns = Math.min(COLUMNS, n - left);
                double[][] product = product(rows, columns, k, a, aFrom + top * aRow, aRow, aColumn, b, bFrom + left, bRow);
                for (int i = 0, at = cFrom + top * cRow + left; i < rows; i++, at += cRow) {
                    if (add) { // C into a row of B's, which are free now
                        System.arraycopy(c, at, product[0], 0, columns);
                        addOne(columns, product[DEEP + i], product[0], 1);
                    }
                    System.arraycopy(product[DEEP + i], 0, c, at, columns);
                }
            }
        }
    }

    /** A B in rows from DEEP on, of at most ROWS × COLUMNS. */
    private static double[][] product(int m, int n, int k, double[] a, int aFrom, int aRow, int aColumn, double[] b, int bFrom, int bRow) {
        double[][] rows = KEPT.get();
        for (int i = 0; i < m; i++) {
            Arrays.fill(rows[DEEP + i], 0, n, 0);
        }
        for (int first = 0; first < k; first += DEEP) {
            int deep = Math.min(DEEP, k - first);
            for (int t = 0; t < deep; t++) {
                System.arraycopy(b, bFrom + (first + t) * bRow, rows[t], 0, n);
            }
            for (int i = 0, at = aFrom + first * aColumn; i < m; i++, at += aRow) {
                addRow(n, deep, a, at, aColumn, rows, rows[DEEP + i]);
            }
        }
        return rows;
    }

    /** sum += Σ_t a_t rows[t], four rows in one pass over the sum: with eight, JDK 17 often finds the loop too long to vectorise. */
    private static void addRow(int n, int k, double[] a, int at, int step, double[][] rows, double[] sum) {
        int t = 0;
        for (; t + 4 <= k; t += 4, at += 4 * step) {
            addFour(n, sum, rows[t], rows[t + 1], rows[t + 2], rows[t + 3], a[at], a[at + step], a[at + 2 * step], a[at + 3 * step]);
        }
        for (; t < k; t++, at += step) {
            addOne(n, sum, rows[t], a[at]);
        }
    }

    private static void addFour(int n, double[] sum, double[] x0, double[] x1, double[] x2, double[] x3,
            double a0, double a1, double a2, double a3) {
        for (int j = 0; j < n; j++) {
            sum[j] = Math.fma(a3, x3[j], Math.fma(a2, x2[j], Math.fma(a1, x1[j], Math.fma(a0, x0[j], sum[j]))));
        }
    }

    private static void addOne(int n, double[] sum, double[] x, double a) {
        for (int j = 0; j < n; j++) {
            sum[j] = Math.fma(a, x[j], sum[j]);
        }
    }

    @Override
    public void max(int rows, int n, double[] s, int sFrom, int sRow, double[] max) {
        double[][] kept = KEPT.get();
        for (int left = 0; left < n; left += COLUMNS) {
            int columns = Math.min(COLUMNS, n - left);
            System.arraycopy(max, left, kept[0], 0, columns);
            for (int i = 0; i < rows; i++) {
                System.arraycopy(s, sFrom + i * sRow + left, kept[1], 0, columns);
                larger(columns, kept[1], kept[0]);
            }
            System.arraycopy(kept[0], 0, max, left, columns);
        }
    }

    private static void larger(int n, double[] x, double[] max) {
        for (int j = 0; j < n; j++) {
            max[j] = Math.max(max[j], x[j]);
        }
    }

    @Override
    public void exp(int rows, int n, double[] s, int sFrom, int sRow, double[] max, double[] sum) {
        double[][] kept = KEPT.get();
        for (int left = 0; left < n; left += COLUMNS) {
            int columns = Math.min(COLUMNS, n - left);
            System.arraycopy(max, left, kept[0], 0, columns);
            System.arraycopy(sum, left, kept[1], 0, columns);
            for (int i = 0; i < rows; i++) {
                int at = sFrom + i * sRow + left;
                System.arraycopy(s, at, kept[2], 0, columns);
                fractions(columns, kept[2], kept[0], kept[3]);
                scale(columns, kept[2], kept[3]);
                addOne(columns, kept[1], kept[2], 1);
                System.arraycopy(kept[2], 0, s, at, columns);
            }
            System.arraycopy(kept[1], 0, sum, left, columns);
        }
    }

    private static void fractions(int n, double[] x, double[] max, double[] scaled) {
        for (int j = 0; j < n; j++) {
            double below = x[j] - max[j];
            scaled[j] = Exp.scaled(below);
            x[j] = Exp.fraction(below, scaled[j]);
        }
    }

    /** Apart, as JDK 17 does not vectorise the shift of a double's bits. */
    private static void scale(int n, double[] x, double[] scaled) {
        for (int j = 0; j < n; j++) {
            x[j] = Exp.scale(x[j], scaled[j]);
        }
    }

    @Override
    public void dots(Xoroshiro128PlusPlus random, int dK, int n, double[] dots) {
        for (int i = 0; i < n; i++) {
            stopIfInterrupted();
            dots[i] = random.nextDot(dK);
        }
    }

    /** The stop button of a notebook interrupts the thread; sampling on either backend asks here. The flag stays set. */
    static void stopIfInterrupted() {
        if (Thread.currentThread().isInterrupted()) {
            throw new CancellationException("sampling was interrupted");
        }
    }

    @Override
    public String toString() {
        return "plain";
    }
}
