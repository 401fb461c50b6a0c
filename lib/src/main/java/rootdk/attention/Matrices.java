package rootdk.attention;

import java.util.concurrent.CancellationException;
import org.ejml.data.DMatrixRMaj;
import org.ejml.data.MatrixType;
import org.ejml.simple.SimpleMatrix;

/** Checks of matrix arguments, and the three products that attention needs, on row-major {@code double[]}. */
final class Matrices {
    private Matrices() { }

    /** The matrix as row-major doubles: not null, of doubles, at least 1 × 1. Not a copy. */
    static DMatrixRMaj dense(String name, SimpleMatrix m) {
        if (m == null) {
            throw new NullPointerException(name + " is null: it must be a matrix");
        }
        if (m.getType() != MatrixType.DDRM) {
            // new SimpleMatrix(2, 2, true, 0, 1, -1, 0) picks the float overload, so this is met in practice.
            String kind = m.getType() == MatrixType.FDRM ? "float" : m.getType().toString();
            throw new IllegalArgumentException(name + " is a " + kind + " matrix (" + m.getMatrix().getClass().getSimpleName()
                    + "): it must hold doubles. Make it with new SimpleMatrix(double[][]), "
                    + "for example new SimpleMatrix(new double[][] {{0, 1}, {-1, 0}})");
        }
        if (m.getNumRows() == 0 || m.getNumCols() == 0) {
            throw new IllegalArgumentException(name + " is empty (" + shape(m) + "): it must have at least one row and one column");
        }
        return m.getDDRM();
    }

    static String shape(SimpleMatrix m) {
        return m.getNumRows() + " × " + m.getNumCols();
    }

    static void requireShape(String name, SimpleMatrix m, int rows, int columns, String meaning) {
        dense(name, m);
        if (m.getNumRows() != rows || m.getNumCols() != columns) {
            throw new IllegalArgumentException(
                    name + " is " + shape(m) + ": it must be " + rows + " × " + columns + " (" + meaning + ")");
        }
    }

    /** The number of entries of a rows × columns matrix. */
    static int size(String name, int rows, int columns) {
        long size = (long) rows * columns;
        if (size > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException(
                    name + " is " + rows + " × " + columns + ": it has more entries than an array holds; use fewer rows at a time");
        }
        return (int) size;
    }

    /**
     * A Bᵀ for A (n × d) and B (m × d).
     *
     * @param seen which entries of A Bᵀ to compute, row by row; the others are 0. null for all
     */
    static DMatrixRMaj timesTransposed(DMatrixRMaj a, DMatrixRMaj b, boolean[] seen) {
        int n = a.numRows;
        int m = b.numRows;
        int d = a.numCols;
        double[] out = new double[size("a product", n, m)];
        for (int i = 0; i < n; i++) {
            stopIfInterrupted();
            for (int j = 0; j < m; j++) {
                if (seen == null || seen[i * m + j]) {
                    out[i * m + j] = dot(a.data, i * d, b.data, j * d, d);
                }
            }
        }
        return DMatrixRMaj.wrap(n, m, out);
    }

    /**
     * A B for A (n × m) and B (m × d).
     *
     * @param seen which entries of A to use, row by row; the others count as absent, whatever B holds. null for all
     */
    static DMatrixRMaj times(DMatrixRMaj a, DMatrixRMaj b, boolean[] seen) {
        int n = a.numRows;
        int m = b.numRows;
        int d = b.numCols;
        double[] out = new double[size("a product", n, d)];
        for (int i = 0; i < n; i++) {
            stopIfInterrupted();
            for (int j = 0; j < m; j++) {
                if (seen == null || seen[i * m + j]) {
                    addScaled(a.data[i * m + j], b.data, j * d, out, i * d, d);
                }
            }
        }
        return DMatrixRMaj.wrap(n, d, out);
    }

    /**
     * Aᵀ B for A (n × m) and B (n × d).
     *
     * @param seen which entries of A to use, row by row; the others count as absent, whatever B holds. null for all
     */
    static DMatrixRMaj transposedTimes(DMatrixRMaj a, DMatrixRMaj b, boolean[] seen) {
        int n = a.numRows;
        int m = a.numCols;
        int d = b.numCols;
        double[] out = new double[size("a product", m, d)];
        for (int i = 0; i < n; i++) {
            stopIfInterrupted();
            for (int j = 0; j < m; j++) {
                if (seen == null || seen[i * m + j]) {
                    addScaled(a.data[i * m + j], b.data, i * d, out, j * d, d);
                }
            }
        }
        return DMatrixRMaj.wrap(m, d, out);
    }

    /** Σ x[xFrom + t] y[yFrom + t] over t &lt; n, in index order. */
    static double dot(double[] x, int xFrom, double[] y, int yFrom, int n) {
        double sum = 0;
        for (int t = 0; t < n; t++) {
            sum += x[xFrom + t] * y[yFrom + t];
        }
        return sum;
    }

    /** The stop button of a notebook interrupts the thread; a long loop asks here once a row. The flag stays set. */
    static void stopIfInterrupted() {
        if (Thread.currentThread().isInterrupted()) {
            throw new CancellationException("attention was interrupted: it has no result, and nothing was changed");
        }
    }

    static void addScaled(double factor, double[] x, int xFrom, double[] sum, int sumFrom, int n) {
        for (int t = 0; t < n; t++) {
            sum[sumFrom + t] += factor * x[xFrom + t];
        }
    }
}
