package rootdk.attention;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.ejml.simple.SimpleMatrix;

/**
 * Between one matrix of d_model columns and h matrices of d_model / h columns: head number a has the columns a·d_model/h up to
 * (a + 1)·d_model/h. The backward pass of {@link #split} is {@link #merge}, and the other way round.
 *
 * <p>Source: Vaswani et al. 2017, "Attention Is All You Need", §3.2.2.
 */
public final class Heads {
    private Heads() { }

    /**
     * The heads of a matrix. O(n · dModel).
     *
     * @param X n × dModel; not modified
     * @param heads h, at least 1, a divisor of dModel
     * @return h new matrices, n × (dModel / h), in an unmodifiable list
     * @throws IllegalArgumentException if h does not divide dModel or is below 1, or X is empty or holds floats
     */
    public static List<SimpleMatrix> split(SimpleMatrix X, int heads) {
        DMatrixRMaj x = Matrices.dense("X", X);
        if (heads < 1) {
            throw new IllegalArgumentException("heads is " + heads + ": there must be at least 1 head");
        }
        if (x.numCols % heads != 0) {
            String divisors = IntStream.rangeClosed(1, x.numCols).filter(h -> x.numCols % h == 0).mapToObj(Integer::toString)
                    .collect(Collectors.joining(", "));
            throw new IllegalArgumentException("X has " + x.numCols + " columns, heads is " + heads
                    + ": heads must divide d_model. It can be " + divisors);
        }
        int d = x.numCols / heads;
        List<SimpleMatrix> out = new ArrayList<>();
        for (int head = 0; head < heads; head++) {
            out.add(X.cols(head * d, (head + 1) * d));
        }
        return List.copyOf(out);
    }

    /**
     * The heads side by side, in order: {@code merge(split(X, h))} is X. They may have different numbers of columns. O(n · dModel).
     *
     * @param heads at least one matrix, each with n rows; not modified
     * @return a new matrix, n × (the sum of their columns)
     * @throws IllegalArgumentException if there is no head, or their numbers of rows differ, or one is empty or holds floats
     */
    public static SimpleMatrix merge(List<SimpleMatrix> heads) {
        if (heads == null) {
            throw new NullPointerException("heads is null: it must be a list of matrices");
        }
        if (heads.isEmpty()) {
            throw new IllegalArgumentException("heads is empty: there must be at least 1 head");
        }
        int n = heads.get(0) == null ? 0 : heads.get(0).getNumRows();
        int columns = 0;
        for (int head = 0; head < heads.size(); head++) {
            DMatrixRMaj x = Matrices.dense("heads[" + head + "]", heads.get(head));
            if (x.numRows != n) {
                throw new IllegalArgumentException("heads[" + head + "] has " + x.numRows + " rows, heads[0] has " + n
                        + ": all must be n");
            }
            columns += x.numCols;
        }
        SimpleMatrix out = new SimpleMatrix(n, columns);
        int at = 0;
        for (SimpleMatrix head : heads) {
            out.insertIntoThis(0, at, head);
            at += head.getNumCols();
        }
        return out;
    }
}
