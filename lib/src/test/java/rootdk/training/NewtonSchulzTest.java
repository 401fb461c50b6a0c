package rootdk.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rootdk.training.Cases.assertClose;
import static rootdk.training.Cases.assertMessage;
import static rootdk.training.Cases.data;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import rootdk.stats.Draws;

class NewtonSchulzTest {
    /** One number: X_0 = ±1, and 1 ↦ a + b + c = 0.701. */
    @Test
    void byHand() {
        List<SimpleMatrix> x = NewtonSchulz.iterates(new SimpleMatrix(new double[][] {{-3}}), 1);
        assertEquals(-1, x.get(0).get(0));
        assertEquals(-0.701, x.get(1).get(0), 1e-15);
    }

    /** Each singular value follows the polynomial σ ← aσ + bσ³ + cσ⁵ by itself, tall or wide. */
    @ParameterizedTest
    @CsvSource({"16, 64", "64, 16", "5, 7", "3, 1", "6, 6"})
    void singularValuesFollowThePolynomial(int rows, int columns) {
        SimpleMatrix g = Draws.of(1).gaussianMatrix(rows, columns);
        double[][] sigma = NewtonSchulz.singularValues(g, 5);
        SimpleMatrix tall = rows < columns ? g.transpose() : g;
        double[] expected = Arrays.stream(tall.svd().getSingularValues()).map(s -> s / g.normF()).toArray();
        for (double[] values : sigma) {
            Arrays.sort(expected);
            Arrays.sort(values);
            assertClose(expected, values, 1e-12, "σ");
            expected = Arrays.stream(expected).map(s -> 3.4445 * s - 4.7750 * Math.pow(s, 3) + 2.0315 * Math.pow(s, 5)).toArray();
        }
        assertEquals(6, sigma.length);
        assertEquals(Math.min(rows, columns), sigma[5].length);
    }

    /** After 5 steps all σ of a 16 × 64 Gaussian matrix are in [0.68, 1.14]; a square one's smallest are too small to get there. */
    @Test
    void afterFiveSteps() {
        for (int seed = 0; seed < 20; seed++) {
            for (double sigma : NewtonSchulz.singularValues(Draws.of(seed).gaussianMatrix(16, 64), 5)[5]) {
                assertTrue(sigma > 0.68 && sigma < 1.14, "σ = " + sigma);
            }
        }
        double smallest = 1;
        for (int seed = 0; seed < 20; seed++) {
            smallest = Math.min(smallest, NewtonSchulz.singularValues(Draws.of(seed).gaussianMatrix(64, 64), 5)[5][63]);
        }
        assertTrue(smallest < 0.3, "the smallest σ of 20 square ones is " + smallest);
    }

    /** The range that the Javadoc states, from the polynomial alone. */
    @Test
    void whereTheScalarMapEnds() {
        double low = 2;
        double high = 0;
        for (int i = 100; i <= 10_000; i++) {
            double s = i / 10_000.0;
            for (int step = 0; step < 5; step++) {
                s = 3.4445 * s - 4.7750 * Math.pow(s, 3) + 2.0315 * Math.pow(s, 5);
            }
            low = Math.min(low, s);
            high = Math.max(high, s);
        }
        assertEquals(0.68, low, 0.01);
        assertEquals(1.13, high, 0.01);
    }

    @Property(tries = 50)
    void sizeDoesNotMatterAndTransposesGoAlong(@ForAll @IntRange(min = 1, max = 6) int rows,
            @ForAll @IntRange(min = 1, max = 6) int columns, @ForAll long seed) {
        SimpleMatrix g = Draws.of(seed).gaussianMatrix(rows, columns);
        double[] x = data(NewtonSchulz.orthogonalize(g));
        assertClose(x, data(NewtonSchulz.orthogonalize(g.transpose()).transpose()), 1e-12, "transposed");
        for (double scale : new double[] {3, 1e-200, 1e200}) {
            assertClose(x, data(NewtonSchulz.orthogonalize(g.scale(scale))), 1e-11, "times " + scale);
        }
    }

    @Test
    void zerosAndNan() {
        assertArrayEquals(new double[6], data(NewtonSchulz.orthogonalize(new SimpleMatrix(2, 3))));
        SimpleMatrix g = Draws.of(1).gaussianMatrix(2, 3);
        SimpleMatrix copy = g.copy();
        NewtonSchulz.orthogonalize(g);
        assertArrayEquals(data(copy), data(g), "G is not modified");
        for (double bad : new double[] {Double.NaN, Double.POSITIVE_INFINITY}) {
            g.set(1, 1, bad);
            assertTrue(Double.isNaN(NewtonSchulz.orthogonalize(g).get(0)));
            assertMessage("G has a NaN or an infinity: it has no singular values", () -> NewtonSchulz.singularValues(g, 1));
        }
    }

    @Test
    void badInput() {
        assertMessage("G is null", () -> NewtonSchulz.orthogonalize(null));
        assertMessage("steps is -1: it must be at least 0", () -> NewtonSchulz.iterates(new SimpleMatrix(1, 1), -1));
        assertMessage("G is 2 × 1 of type FDRM: it must hold doubles (DDRM). Make it with new SimpleMatrix(double[][])",
                () -> NewtonSchulz.orthogonalize(new SimpleMatrix(2, 1, true, 1f, 2f)));
        assertMessage("G is empty (0 × 1): it must have at least one row and one column",
                () -> NewtonSchulz.orthogonalize(new SimpleMatrix(0, 1)));
    }
}
