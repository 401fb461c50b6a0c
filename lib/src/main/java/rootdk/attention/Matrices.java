package rootdk.attention;

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

    /** Room for a rows × columns matrix. */
    private static double[] array(int rows, int columns) {
        long size = (long) rows * columns;
        if (size > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException(
                    "a product is " + rows + " × " + columns + ": it has more entries than an array holds; use fewer rows at a time");
        }
        return new double[(int) size];
    }

    /** A Bᵀ for A (n × d) and B (m × d). */
    static DMatrixRMaj timesTransposed(DMatrixRMaj a, DMatrixRMaj b) {
        int n = a.numRows;
        int m = b.numRows;
        int d = a.numCols;
        double[] out = array(n, m);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) {
                double sum = 0;
                for (int t = 0; t < d; t++) {
                    sum += a.data[i * d + t] * b.data[j * d + t];
                }
                out[i * m + j] = sum;
            }
        }
        return DMatrixRMaj.wrap(n, m, out);
    }

    /** A B for A (n × m) and B (m × d). */
    static DMatrixRMaj times(DMatrixRMaj a, DMatrixRMaj b) {
        int n = a.numRows;
        int m = b.numRows;
        int d = b.numCols;
        double[] out = array(n, d);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) {
                addScaled(a.data[i * m + j], b.data, j * d, out, i * d, d);
            }
        }
        return DMatrixRMaj.wrap(n, d, out);
    }

    /** Aᵀ B for A (n × m) and B (n × d). */
    static DMatrixRMaj transposedTimes(DMatrixRMaj a, DMatrixRMaj b) {
        int n = a.numRows;
        int m = a.numCols;
        int d = b.numCols;
        double[] out = array(m, d);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) {
                addScaled(a.data[i * m + j], b.data, i * d, out, j * d, d);
            }
        }
        return DMatrixRMaj.wrap(m, d, out);
    }

    /** A / divisor, entry by entry. */
    static DMatrixRMaj dividedBy(DMatrixRMaj a, double divisor) {
        double[] out = new double[a.getNumElements()];
        for (int i = 0; i < out.length; i++) {
            out[i] = a.data[i] / divisor;
        }
        return DMatrixRMaj.wrap(a.numRows, a.numCols, out);
    }

    private static void addScaled(double factor, double[] x, int xFrom, double[] sum, int sumFrom, int n) {
        for (int t = 0; t < n; t++) {
            sum[sumFrom + t] += factor * x[xFrom + t];
        }
    }
}
