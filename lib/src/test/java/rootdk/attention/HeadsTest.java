package rootdk.attention;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static rootdk.attention.Cases.assertMessage;
import static rootdk.attention.Cases.data;
import static rootdk.attention.Cases.matrix;

import java.util.Arrays;
import java.util.List;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;

class HeadsTest {
    private final SimpleMatrix X = matrix(new double[] {0, 1, 2, 3, 4, 5}, new double[] {10, 11, 12, 13, 14, 15});

    @Test
    void byHand() {
        List<SimpleMatrix> heads = Heads.split(X, 3);
        assertEquals(3, heads.size());
        assertArrayEquals(new double[] {0, 1, 10, 11}, data(heads.get(0)));
        assertArrayEquals(new double[] {2, 3, 12, 13}, data(heads.get(1)));
        assertArrayEquals(new double[] {4, 5, 14, 15}, data(heads.get(2)));
    }

    @Test
    void mergeUndoesSplit() {
        for (int h : new int[] {1, 2, 3, 6}) {
            assertArrayEquals(data(X), data(Heads.merge(Heads.split(X, h))));
        }
        heads(matrix(new double[] {1, 2}), matrix(new double[] {3}), 1, 2, 3);
    }

    private static void heads(SimpleMatrix a, SimpleMatrix b, double... merged) {
        assertArrayEquals(merged, data(Heads.merge(List.of(a, b))), "heads may differ in their columns");
    }

    @Test
    void theResultsAreCopies() {
        List<SimpleMatrix> heads = Heads.split(X, 2);
        SimpleMatrix merged = Heads.merge(heads);
        heads.get(0).fill(9);
        assertEquals(0, X.get(0));
        assertEquals(0, merged.get(0));
    }

    @Test
    void badInput() {
        assertMessage("X has 6 columns, heads is 4: heads must divide d_model. It can be 1, 2, 3, 6", () -> Heads.split(X, 4));
        assertMessage("heads is 0: there must be at least 1 head", () -> Heads.split(X, 0));
        assertMessage("X is null: it must be a matrix", () -> Heads.split(null, 1));
        assertMessage("heads is null: it must be a list of matrices", () -> Heads.merge(null));
        assertMessage("heads is empty: there must be at least 1 head", () -> Heads.merge(List.of()));
        assertMessage("heads[1] has 1 rows, heads[0] has 2: all must be n", () -> Heads.merge(List.of(X, X.getRow(0))));
        assertMessage("heads[1] has 2 rows, heads[0] has 1: all must be n", () -> Heads.merge(List.of(X.getRow(0), X)));
        assertMessage("heads[0] is null: it must be a matrix", () -> Heads.merge(Arrays.asList(null, X)));
        assertMessage("heads[1] is null: it must be a matrix", () -> Heads.merge(Arrays.asList(X, null)));
    }
}
