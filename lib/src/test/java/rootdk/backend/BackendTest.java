package rootdk.backend;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.commons.rng.UniformRandomProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import rootdk.stats.Draws;

class BackendTest {
    private static final double INF = Double.POSITIVE_INFINITY;
    private static final double NAN = Double.NaN;

    /** Both: the tests run with the Vector API's module. */
    public static List<Backend> backends() {
        return List.of(Backend.plain(), Backend.vector().orElseThrow());
    }

    /** (1 2; 3 4; 5 6) (7 8; 9 10), and added to what is there; the 99 around C stay. */
    @ParameterizedTest
    @MethodSource("backends")
    void multiplyByHand(Backend backend) {
        double[] a = {1, 2, 3, 4, 5, 6};
        double[] b = {7, 8, 9, 10};
        double[] c = {99, 25, 28, 99, 57, 64, 99, 89, 100, 99};
        double[] out = {99, Double.NaN, 0, 99, 0, 0, 99, 0, 0, 99};
        backend.multiply(3, 2, 2, a, 0, 2, 1, b, 0, 2, out, 1, 3, false);
        assertArrayEquals(c, out);
        backend.multiply(3, 2, 2, a, 0, 2, 1, b, 0, 2, out, 1, 3, true);
        assertArrayEquals(new double[] {99, 50, 56, 99, 114, 128, 99, 178, 200, 99}, out);
        // Aᵀ B for A = (1 2; 3 4) of two rows: strides 1 and 2
        double[] transposed = new double[4];
        backend.multiply(2, 2, 2, a, 0, 1, 2, b, 0, 2, transposed, 0, 2, false);
        assertArrayEquals(new double[] {1 * 7 + 3 * 9, 1 * 8 + 3 * 10, 2 * 7 + 4 * 9, 2 * 8 + 4 * 10}, transposed);
    }

    @ParameterizedTest
    @MethodSource("backends")
    void nothingTimesNothing(Backend backend) {
        double[] none = {};
        double[] c = {1, 2};
        backend.multiply(1, 2, 0, none, 0, 0, 1, none, 0, 2, c, 0, 2, true);
        assertArrayEquals(new double[] {1, 2}, c);
        backend.multiply(0, 2, 1, none, 0, 1, 1, c, 0, 2, c, 0, 2, false);
        backend.multiply(2, 0, 1, c, 0, 1, 1, none, 0, 0, c, 0, 0, false);
        assertArrayEquals(new double[] {1, 2}, c);
        backend.multiply(1, 2, 0, none, 0, 0, 1, none, 0, 2, c, 0, 2, false);
        assertArrayEquals(new double[] {0, 0}, c);
    }

    /** Any shape and strides, to the bit: a chain of fma from t = 0 on, then C. Everything around C stays as it is. */
    @Property(seed = "1", tries = 300)
    void multiplyIsAChainOfFma(@ForAll @IntRange(max = 40) int m, @ForAll @IntRange(max = 40) int n, @ForAll @IntRange(max = 40) int k,
            @ForAll boolean transposed, @ForAll @IntRange(min = 1, max = 2) int apart, @ForAll boolean add,
            @ForAll @IntRange(max = 3) int gap, @ForAll long seed) {
        assertChainOfFma(m, n, k, transposed, apart, add, gap, seed);
    }

    /** More rows and columns than the loops take at a time, columns as long as some pages of memory, and columns that far apart. */
    @ParameterizedTest
    @CsvSource({"65, 256, false", "65, 512, true", "66, 256, true", "137, 512, false", "137, 255, true", "80, 1, true", "603, 17, true"})
    void largeMatrices(int m, int k, boolean transposed) {
        assertChainOfFma(m, 9, k, transposed, 1, false, 0, 1);
        assertChainOfFma(m, 16, k, transposed, 1, true, 1, 2);
        assertChainOfFma(m, 64, k, transposed, 1, false, 0, 3);
        assertChainOfFma(m, 200, k, transposed, 1, true, 1, 4);
    }

    /** apart: from one number of A to the next, in the row or, if A is transposed, the column. */
    private static void assertChainOfFma(int m, int n, int k, boolean transposed, int apart, boolean add, int gap, long seed) {
        int aRow = transposed ? apart : apart * (k + gap);
        int aColumn = transposed ? apart * (m + gap) : apart;
        int row = n + gap;
        Draws draws = Draws.of(seed);
        double[] a = draws.gaussians(gap + apart * (m + gap) * (k + gap));
        double[] b = draws.gaussians(gap + k * row);
        double[] before = draws.gaussians(gap + m * row + 1);
        double[] expected = before.clone();
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int t = 0; t < k; t++) {
                    sum = Math.fma(a[gap + i * aRow + t * aColumn], b[gap + t * row + j], sum);
                }
                expected[gap + i * row + j] = add ? before[gap + i * row + j] + sum : sum;
            }
        }
        for (Backend backend : backends()) {
            double[] c = before.clone();
            backend.multiply(m, n, k, a, gap, aRow, aColumn, b, gap, row, c, gap, row, add);
            assertArrayEquals(expected, c, backend.toString());
        }
    }

    /** More columns than the plain loop takes at a time. */
    @ParameterizedTest
    @MethodSource("backends")
    void manyColumns(Backend backend) {
        int n = 1000;
        double[] b = Draws.of(5).gaussians(2 * n);
        double[] c = new double[n];
        backend.multiply(1, n, 2, new double[] {1, -1}, 0, 2, 1, b, 0, n, c, 0, n, false);
        for (int j = 0; j < n; j++) {
            assertEquals(b[j] - b[n + j], c[j]);
        }
    }

    /** Columns (1, 3), (−∞, 2) and (−4, −5), the maxima so far 2, −∞ and −6. */
    @ParameterizedTest
    @MethodSource("backends")
    void maxByHand(Backend backend) {
        double[] s = {0, 1, -INF, -4, 0, 3, 2, -5};
        double[] max = {2, -INF, -6, 9};
        backend.max(2, 3, s, 1, 4, max);
        assertArrayEquals(new double[] {3, 2, -4, 9}, max);
        backend.max(0, 3, s, 1, 4, max);
        assertArrayEquals(new double[] {3, 2, -4, 9}, max);
    }

    /** e^0, e^−1, e^−∞ and NaN in a column each; the sums grow. */
    @ParameterizedTest
    @MethodSource("backends")
    void expByHand(Backend backend) {
        double[] s = {5, 4, -INF, NAN, 5, 4, -INF, 1};
        double[] sum = {10, 0, 0, 0, 77};
        backend.exp(2, 4, s, 0, 4, new double[] {5, 5, 5, 5}, sum);
        double e = StrictMath.exp(-1);
        assertArrayEquals(new double[] {1, e, 0, NAN, 1, e, 0, Exp.of(-4)}, s);
        assertArrayEquals(new double[] {12, e + e, 0, NAN, 77}, sum);
    }

    /** log(2⁻¹⁰⁷⁵) = −745.13…: below it the nearest double is 0. */
    @Test
    void expOfAFewNumbers() {
        assertEquals(1, Exp.of(0));
        assertEquals(1, Exp.of(-0.0));
        assertEquals(1, Exp.of(-1e-300));
        assertEquals(0, Exp.of(-INF));
        assertEquals(0, Exp.of(-1e300));
        assertEquals(Double.MIN_VALUE, Exp.of(-745.1), "just above half of the smallest double");
        assertEquals(0, Exp.of(-745.2), "just below");
        assertTrue(Double.isNaN(Exp.of(NAN)));
    }

    /** Against 40 digits: a grid to −746, the subnormal end more densely, near multiples of ½ ln 2, and tiny arguments. */
    @Test
    void expIsWithinOneUlp() {
        Draws draws = Draws.of(11);
        List<Double> x = new ArrayList<>();
        for (int i = 0; i <= 1200; i++) {
            x.add(-746.0 * i / 1200);
            x.add(-708 - 38.0 * i / 1200);
            x.add(-Math.pow(2, -60 * draws.uniform()));
            x.add(-746 * draws.uniform());
        }
        for (int n = 0; n <= 2150; n += 3) {
            double edge = -n * 0.34657359027997264;
            x.add(edge);
            x.add(Math.nextUp(edge) > 0 ? edge : Math.nextUp(edge));
            x.add(Math.nextDown(edge));
        }
        double worst = 0;
        for (double at : x) {
            double ulps = Precise.ulps(Precise.exp(new BigDecimal(at)), Exp.of(at));
            assertTrue(ulps <= 1, "e^" + at + " is off by " + ulps + " ulp");
            worst = Math.max(worst, at > -708 ? ulps : 0);
        }
        assertTrue(worst > 0.5 && worst < 0.85, "where the result is normal: " + worst);
    }

    /** Every shape: the same bits as the scalar form, at every position of a vector. */
    @Property(seed = "2", tries = 200)
    void tilesOfExpAndMax(@ForAll @IntRange(max = 20) int rows, @ForAll @IntRange(max = 20) int n, @ForAll @IntRange(max = 3) int gap,
            @ForAll long seed) {
        assertTile(rows, n, gap, seed);
    }

    /** More columns than the plain loops take at a time. */
    @Test
    void wideTilesOfExpAndMax() {
        assertTile(3, 191, 0, 1);
        assertTile(3, 193, 1, 2);
        assertTile(2, 500, 2, 3);
    }

    private static void assertTile(int rows, int n, int gap, long seed) {
        Draws draws = Draws.of(seed);
        double[] s = draws.gaussians(gap + rows * (n + gap) + 1);
        for (int at = 0; at < s.length; at++) {
            s[at] *= Math.exp(6 * draws.uniform());
        }
        double[] max = draws.gaussians(n);
        double[] sum = draws.gaussians(n);
        double[] expected = s.clone();
        double[] expectedMax = max.clone();
        double[] expectedSum = sum.clone();
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < rows; i++) {
                expectedMax[j] = Math.max(expectedMax[j], s[gap + i * (n + gap) + j]);
            }
            for (int i = 0; i < rows; i++) {
                int at = gap + i * (n + gap) + j;
                expected[at] = Exp.of(s[at] - expectedMax[j]);
                expectedSum[j] += expected[at];
            }
        }
        for (Backend backend : backends()) {
            double[] e = s.clone();
            double[] m = max.clone();
            double[] l = sum.clone();
            backend.max(rows, n, e, gap, n + gap, m);
            assertArrayEquals(expectedMax, m, backend.toString());
            backend.exp(rows, n, e, gap, n + gap, m, l);
            assertArrayEquals(expected, e, backend.toString());
            assertArrayEquals(expectedSum, l, backend.toString());
        }
    }

    /** A JVM started without the module has no vector backend, and a plain one that computes what this one's does. */
    @Test
    void withoutTheModule() throws IOException, InterruptedException {
        assertEquals("Optional.empty;" + Child.computed(Backend.plain()), printedByChild());
        assertTrue(Backend.vector().isPresent(), "and this one has it");
    }

    /** On a processor with shorter vectors than this one's, whose loops are others, both give the same bits. */
    @ParameterizedTest
    @ValueSource(ints = {16, 32})
    void shorterVectors(int bytes) throws IOException, InterruptedException {
        String printed = printedByChild("--add-modules", "jdk.incubator.vector", "-XX:MaxVectorSize=" + bytes);
        int expected = Child.computed(Backend.plain());
        assertTrue(printed.matches("Optional\\[vector, [24] doubles];" + expected + ";" + expected), printed);
    }

    private static String printedByChild(String... options) throws IOException, InterruptedException {
        String classes = Stream.of(Backend.class, BackendTest.class, UniformRandomProvider.class)
                .map(c -> Path.of(URI.create(c.getProtectionDomain().getCodeSource().getLocation().toString())).toString())
                .reduce((x, y) -> x + File.pathSeparator + y).orElseThrow();
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp", classes));
        command.addAll(List.of(options));
        command.add(Child.class.getName());
        Process child = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String printed = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertEquals(0, child.waitFor(), printed);
        return printed;
    }

    /** What the child JVM runs: prints the vector backend, and a hash of what each backend computes. */
    static final class Child {
        private Child() { }

        public static void main(String[] args) {
            System.out.print(Backend.vector());
            for (Backend backend : Backend.vector().map(vector -> List.of(Backend.plain(), vector)).orElse(List.of(Backend.plain()))) {
                System.out.print(";" + computed(backend));
            }
        }

        private static int computed(Backend backend) {
            int hash = 1;
            for (int m : new int[] {1, 4, 5, 9, 16, 23, 65, 70}) {
                int n = 3 * m % 50;
                double[] a = numbers(m * 40);
                double[] c = numbers(m * n);
                backend.multiply(m, n, 40, a, 0, 40, 1, numbers(40 * n), 0, n, c, 0, n, true);
                hash = 31 * hash + Arrays.hashCode(c);
                backend.multiply(m, n, 40, a, 0, 1, m, numbers(40 * n), 0, n, c, 0, n, false);
                hash = 31 * hash + Arrays.hashCode(c);
                backend.multiply(m, n, 10, a, 0, 1, 3 * m, numbers(10 * n), 0, n, c, 0, n, true);
                backend.multiply(m, n, 10, a, 0, 3, m, numbers(10 * n), 0, n, c, 0, n, true);
                hash = 31 * hash + Arrays.hashCode(c);
                double[] max = numbers(n);
                double[] sum = new double[n];
                backend.max(m, n, c, 0, n, max);
                backend.exp(m, n, c, 0, n, max, sum);
                hash = 31 * (31 * hash + Arrays.hashCode(c)) + Arrays.hashCode(sum);
            }
            return hash;
        }

        private static double[] numbers(int n) {
            double[] x = new double[n];
            Arrays.setAll(x, i -> StrictMath.sin(i * i + n));
            return x;
        }
    }
}
