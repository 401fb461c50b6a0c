package rootdk.training;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.ejml.simple.SimpleMatrix;
import rootdk.backend.Backend;

/**
 * The Newton–Schulz iteration with Muon's coefficients, which moves all singular values of a matrix towards 1 without computing them:
 * <pre>
 * X_0 = G / ‖G‖_F
 * X_{t+1} = a X_t + b (X_t X_tᵀ) X_t + c (X_t X_tᵀ)² X_t,   a = 3.4445, b = −4.7750, c = 2.0315
 * </pre>
 * The singular vectors stay, and each singular value goes its own way, σ ← aσ + bσ³ + cσ⁵. The coefficients are chosen for a steep
 * slope at 0, so the values do not converge to 1: after 5 steps those that began above 0.01 are between 0.68 and 1.14. A smaller
 * one grows by at most a = 3.4445 in each step, and no value ever exceeds 1.21, the polynomial's maximum.
 *
 * <p>Source: Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks", kellerjordan.github.io/posts/muon, whose
 * implementation adds 10⁻⁷ to ‖G‖_F. Here nothing is added, so the result does not depend on the size of G.
 */
public final class NewtonSchulz {
    static final int STEPS = 5;
    private static final double A = 3.4445;
    private static final double B = -4.7750;
    private static final double C = 2.0315;

    private final Backend backend;
    private final int rows; // of the matrix or of its transpose, whichever has fewer
    private final int columns;
    private final boolean tall;
    private final double[] x;
    private final double[] next;
    private final double[] transposed;
    private final double[] gram; // X Xᵀ
    private final double[] polynomial; // b X Xᵀ + c (X Xᵀ)²

    /** Room for matrices of one shape. */
    NewtonSchulz(int rows, int columns, Backend backend) {
        this.backend = backend;
        this.tall = rows > columns;
        this.rows = Math.min(rows, columns);
        this.columns = Math.max(rows, columns);
        x = new double[rows * columns];
        next = new double[rows * columns];
        transposed = new double[rows * columns];
        gram = new double[this.rows * this.rows];
        polynomial = new double[this.rows * this.rows];
    }

    /** The iterate X_steps of the matrix in g, into g. Zeros stay zeros. */
    void orthogonalize(double[] g, int steps) {
        start(g);
        for (int i = 0; i < steps; i++) {
            step();
        }
        result(g);
    }

    private void start(double[] g) {
        double largest = 0;
        for (double value : g) {
            largest = Math.max(largest, Math.abs(value));
        }
        // In units of a power of 2 near the largest entry the squares of ‖G‖_F neither overflow nor underflow.
        int exponent = largest == 0 || Double.isNaN(largest) || Double.isInfinite(largest) ? 0 : Math.getExponent(largest);
        for (int i = 0; i < g.length; i++) {
            next[i] = Math.scalb(g[i], -exponent);
        }
        double norm = Math.sqrt(Parameter.squares(next));
        for (int i = 0; i < g.length; i++) {
            x[place(i)] = norm == 0 ? 0 : next[i] / norm;
        }
    }

    private void result(double[] g) {
        for (int i = 0; i < g.length; i++) {
            g[i] = x[place(i)];
        }
    }

    /** Where entry i of the matrix is in x. */
    private int place(int i) {
        return tall ? i % rows * columns + i / rows : i;
    }

    private void step() {
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) {
                transposed[j * rows + i] = x[i * columns + j];
            }
        }
        backend.multiply(rows, rows, columns, x, 0, columns, 1, transposed, 0, rows, gram, 0, rows, false);
        backend.multiply(rows, rows, rows, gram, 0, rows, 1, gram, 0, rows, polynomial, 0, rows, false);
        for (int i = 0; i < gram.length; i++) {
            polynomial[i] = B * gram[i] + C * polynomial[i];
        }
        backend.multiply(rows, columns, rows, polynomial, 0, rows, 1, x, 0, columns, next, 0, columns, false);
        for (int i = 0; i < x.length; i++) {
            x[i] = A * x[i] + next[i];
        }
    }

    /**
     * X_5, what Muon makes of its momentum. O(m·n·min(m, n)).
     *
     * @param G m × n, of doubles, at least 1 × 1; not modified
     * @return a new m × n matrix; zeros for zeros; NaN or ∞ in G makes it NaN
     * @throws IllegalArgumentException if G is empty or holds floats
     */
    public static SimpleMatrix orthogonalize(SimpleMatrix G) {
        return iterates(G, STEPS).get(STEPS);
    }

    /**
     * The iterates X_0, X_1, …, X_steps. O(steps·m·n·min(m, n)).
     *
     * @param G m × n, of doubles, at least 1 × 1; not modified
     * @param steps at least 0; 5 in Muon
     * @return steps + 1 new m × n matrices
     * @throws IllegalArgumentException if G is empty or holds floats, or steps is negative
     * @throws java.util.concurrent.CancellationException if the thread is interrupted; its flag stays set
     */
    public static List<SimpleMatrix> iterates(SimpleMatrix G, int steps) {
        Checks.doubles("G", G);
        Checks.atLeast(0, "steps", steps);
        if (G.getNumElements() == 0) {
            throw new IllegalArgumentException("G is empty (" + G.getNumRows() + " × " + G.getNumCols()
                    + "): it must have at least one row and one column");
        }
        NewtonSchulz iteration = new NewtonSchulz(G.getNumRows(), G.getNumCols(), Backend.plain());
        double[] g = G.getDDRM().data;
        double[] result = Arrays.copyOf(g, G.getNumElements());
        iteration.start(result);
        List<SimpleMatrix> iterates = new ArrayList<>();
        for (int i = 0; i <= steps; i++) {
            Checks.stopIfInterrupted("the iteration was interrupted after " + i + " of " + steps + " steps");
            if (i > 0) {
                iteration.step();
            }
            iteration.result(result);
            iterates.add(new SimpleMatrix(G.getNumRows(), G.getNumCols(), true, result));
        }
        return List.copyOf(iterates);
    }

    /**
     * The singular values of the {@link #iterates}, by a singular value decomposition of each. O(steps·m·n·min(m, n)).
     *
     * @param G m × n, of doubles, at least 1 × 1, finite; not modified
     * @param steps at least 0; 5 in Muon
     * @return steps + 1 arrays of min(m, n) numbers, the largest first
     * @throws IllegalArgumentException if G is empty, holds floats, NaN or ∞, or steps is negative
     */
    public static double[][] singularValues(SimpleMatrix G, int steps) {
        if (Checks.notNull("G", G).hasUncountable()) {
            throw new IllegalArgumentException("G has a NaN or an infinity: it has no singular values");
        }
        return iterates(G, steps).stream()
                .map(x -> x.getNumRows() < x.getNumCols() ? x.transpose() : x) // EJML 0.44 fails on the values of a wide matrix
                .map(x -> x.svd(true).getSingularValues())
                .toArray(double[][]::new);
    }
}
