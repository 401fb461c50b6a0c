package rootdk.training;

import java.util.Arrays;
import org.ejml.simple.SimpleMatrix;

/**
 * One array of a {@link Model}'s parameters, a matrix or (with one row) a vector, with its gradient. Changed by its model and by
 * optimisers.
 */
public final class Parameter {
    final String name;
    final int rows;
    final int columns;
    final boolean hidden; // a matrix between hidden vectors: what Muon is for
    final double[] value;
    final double[] gradient;

    Parameter(String name, int rows, int columns, boolean hidden) {
        this.name = name;
        this.rows = rows;
        this.columns = columns;
        this.hidden = hidden;
        this.value = new double[Checks.entries(name, rows, columns)];
        this.gradient = new double[value.length];
    }

    /**
     * Its name: E, W_q, W_k, W_v, W_o, b, g_q, g_k or log_tau.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * Its present value.
     *
     * @return a copy, rows × columns
     */
    public SimpleMatrix value() {
        return new SimpleMatrix(rows, columns, true, value.clone());
    }

    /**
     * Sets its value.
     *
     * @param matrix rows × columns, of doubles; copied
     * @throws IllegalArgumentException if the shape is another, or it holds floats
     */
    public void set(SimpleMatrix matrix) {
        Checks.doubles("matrix", matrix);
        if (matrix.getNumRows() != rows || matrix.getNumCols() != columns) {
            throw new IllegalArgumentException("matrix is " + matrix.getNumRows() + " × " + matrix.getNumCols() + ", " + name + " is "
                    + rows + " × " + columns + ": both must have one shape");
        }
        for (int i = 0; i < value.length; i++) {
            value[i] = matrix.get(i);
        }
    }

    /**
     * ∂L/∂value of the last {@link Model#backward}.
     *
     * @return a copy, rows × columns; 0 before the first
     */
    public SimpleMatrix gradient() {
        return new SimpleMatrix(rows, columns, true, gradient.clone());
    }

    /**
     * The gradient's Euclidean norm ‖∂L/∂value‖_F. O(rows · columns).
     *
     * @return the norm; NaN or ∞ as the arithmetic gives it
     */
    public double gradientNorm() {
        return Math.sqrt(squares(gradient));
    }

    static double squares(double[] x) {
        double sum = 0;
        for (double v : x) {
            sum += v * v;
        }
        return sum;
    }

    void multiplyBy(double factor) {
        for (int i = 0; i < value.length; i++) {
            value[i] *= factor;
        }
    }

    void multiplyGradientBy(double factor) {
        for (int i = 0; i < gradient.length; i++) {
            gradient[i] *= factor;
        }
    }

    void clearGradient() {
        Arrays.fill(gradient, 0);
    }

    /** Name and shape. */
    @Override
    public String toString() {
        return name + " " + rows + " × " + columns;
    }
}
