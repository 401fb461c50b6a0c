package rootdk.attention;

import org.ejml.data.DMatrixRMaj;
import org.ejml.simple.SimpleMatrix;

/**
 * Queries or keys of one head, normalised row by row, with what is needed to differentiate it: y_t = g_t · x_t / r, where the gain g
 * is one number for all components or one for each, and r is
 * <ul>
 * <li>the length ‖x‖ for {@link #l2}: y has length g, and with gain g on Q and 1 on K a logit q · k is g·cos, between −g and g;
 * <li>the root mean square √(Σx²/dK + ε) for {@link #rms}: y has length about g·√dK, and with gain g on both |q · k| / √dK ≤ g²·√dK.
 * </ul>
 * A row with r = 0 is a row of zeros: it stays 0 and its gradients are 0, a choice, as the map has no derivative there. A NaN or an
 * infinity makes its row NaN. No square overflows or underflows on the way to r.
 *
 * <p>Immutable; the matrices handed out are not copies: treat them as read-only.
 *
 * <p>Sources: Henry et al. 2020, "Query-Key Normalization for Transformers" (ℓ2 with a learned gain and no √d_k); Zhang &amp;
 * Sennrich 2019, "Root Mean Square Layer Normalization", §4, applied to each head's queries and keys as in Qwen3 and Gemma 3.
 */
public final class QkNorm {
    private final DMatrixRMaj x;
    private final double[] gain;
    private final double count; // r = √(Σx²/count + ε)
    private final double[] r;
    private final DMatrixRMaj y;

    private QkNorm(SimpleMatrix X, double count, double epsilon, double[] gain) {
        this.x = Matrices.dense("X", X).copy();
        this.count = count;
        if (gain == null) {
            throw new NullPointerException("gain is null: it must be 1 number, or one for each of the d_k columns of X");
        }
        if (gain.length != 1 && gain.length != x.numCols) {
            throw new IllegalArgumentException("gain has " + gain.length + " entries, X has " + x.numCols
                    + " columns: it must have 1, for all columns, or d_k");
        }
        this.gain = gain.clone();
        this.r = new double[x.numRows];
        this.y = new DMatrixRMaj(x.numRows, x.numCols);
        for (int i = 0; i < x.numRows; i++) {
            r[i] = root(i, epsilon);
            for (int t = 0; t < x.numCols; t++) {
                y.data[i * x.numCols + t] = gainOf(t) * unit(i, t);
            }
        }
    }

    /**
     * ℓ2: y = g ∘ x / ‖x‖. O(n · dK).
     *
     * @param X queries or keys, n × dK; copied
     * @param gain g: one number, or dK; copied
     * @return the normalised rows
     * @throws IllegalArgumentException if gain has another length, or X is empty or holds floats
     */
    public static QkNorm l2(SimpleMatrix X, double... gain) {
        return new QkNorm(X, 1, 0, gain);
    }

    /**
     * RMS: y = g ∘ x / √(Σx²/dK + ε), over one head's dK components. O(n · dK).
     *
     * @param X queries or keys, n × dK; copied
     * @param epsilon ε, finite, at least 0; 1e-6 in Qwen3
     * @param gain g: one number, or dK; copied
     * @return the normalised rows
     * @throws IllegalArgumentException if gain has another length, ε is not allowed, or X is empty or holds floats
     */
    public static QkNorm rms(SimpleMatrix X, double epsilon, double... gain) {
        if (!(epsilon >= 0) || epsilon == Double.POSITIVE_INFINITY) {
            throw new IllegalArgumentException("epsilon is " + epsilon + ": it must be finite and at least 0");
        }
        return new QkNorm(X, Matrices.dense("X", X).numCols, epsilon, gain);
    }

    private double root(int i, double epsilon) {
        double max = 0;
        for (int t = 0; t < x.numCols; t++) {
            max = Math.max(max, Math.abs(x.data[i * x.numCols + t]));
        }
        // A power of 2 in whose units the squares neither overflow nor underflow: it changes no other bit.
        boolean extreme = max > 0x1p500 || max < 0x1p-500 && max > 0 && epsilon == 0;
        double unit = extreme ? Math.scalb(1.0, Math.getExponent(max)) : 1;
        double squares = 0;
        for (int t = 0; t < x.numCols; t++) {
            double u = x.data[i * x.numCols + t] / unit;
            squares += u * u;
        }
        return unit * Math.sqrt(squares / count + epsilon / unit / unit);
    }

    private double gainOf(int t) {
        return gain[gain.length == 1 ? 0 : t];
    }

    private double unit(int i, int t) {
        return r[i] == 0 ? 0 : x.data[i * x.numCols + t] / r[i];
    }

    /**
     * The normalised rows.
     *
     * @return y, n × dK, not a copy
     */
    public SimpleMatrix output() {
        return SimpleMatrix.wrap(y);
    }

    /**
     * The gradients of a loss L. With u = x / r and c = 1 (ℓ2) or dK (RMS):
     * <pre>
     * dX_t    = (g_t dY_t − u_t Σ_s g_s dY_s u_s / c) / r
     * dGain_t = Σ over rows of dY_t u_t, and over t too if the gain is one number
     * </pre>
     * O(n · dK).
     *
     * @param dY ∂L/∂output, n × dK; not modified
     * @return the gradients, in new arrays; 0 for a row of zeros
     * @throws IllegalArgumentException if dY has not the shape of the output, or holds floats
     */
    public Gradients backward(SimpleMatrix dY) {
        Matrices.requireShape("dY", dY, x.numRows, x.numCols, "n × d_k, the shape of output");
        double[] d = dY.getDDRM().data;
        DMatrixRMaj dX = new DMatrixRMaj(x.numRows, x.numCols);
        double[] dGain = new double[gain.length];
        for (int i = 0; i < x.numRows; i++) {
            if (r[i] == 0) {
                continue;
            }
            double along = 0;
            for (int t = 0; t < x.numCols; t++) {
                int at = i * x.numCols + t;
                along += gainOf(t) * d[at] * unit(i, t);
                dGain[gain.length == 1 ? 0 : t] += d[at] * unit(i, t);
            }
            for (int t = 0; t < x.numCols; t++) {
                dX.data[i * x.numCols + t] = (gainOf(t) * d[i * x.numCols + t] - unit(i, t) * along / count) / r[i];
            }
        }
        return new Gradients(SimpleMatrix.wrap(dX), dGain);
    }

    /**
     * What {@link QkNorm#backward} returns.
     *
     * @param dX ∂L/∂X, n × dK
     * @param dGain ∂L/∂gain, as many numbers as the gain has
     */
    public record Gradients(SimpleMatrix dX, double[] dGain) {

        /** The shapes; the numbers would fill pages. */
        @Override
        public String toString() {
            return "Gradients: dX " + Matrices.shape(dX) + ", dGain " + dGain.length;
        }
    }
}
