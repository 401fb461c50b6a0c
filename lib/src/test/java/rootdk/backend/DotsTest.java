package rootdk.backend;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.core.source64.XoShiRo256Plus;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;
import org.apache.commons.rng.simple.RandomSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import rootdk.stats.KolmogorovSmirnov;
import rootdk.stats.Moments;
import rootdk.stats.Normal;

/** {@link Backend#dots}. The slow reference of the vector backend has Commons RNG's generators and goes one pair at a time. */
class DotsTest {
    private static final long ALL = -1;

    private static Backend vector() {
        return Backend.vector().orElseThrow();
    }

    private static Xoroshiro128PlusPlus random(long seed) {
        return Xoroshiro128PlusPlus.of(seed);
    }

    /** {q, k} from two words. */
    private static double[] pair(long a, long b) {
        double u = 1 - (a >>> 12) * 0x1p-52;
        int e = Math.getExponent(u);
        double m = u / Math.scalb(1.0, e);
        if (m >= StrictMath.sqrt(2)) {
            m /= 2;
            e++;
        }
        double s = (m - 1) / (m + 1);
        double square = Math.fma(e, BoxMuller.MINUS_2_LN_2, s * polynomial(s * s, BoxMuller.L0, BoxMuller.L1, BoxMuller.L2, BoxMuller.L3,
                BoxMuller.L4, BoxMuller.L5, BoxMuller.L6));
        double y = (b & BoxMuller.LOW_52) * 0x1p-52 - 0.5;
        double sine = y * polynomial(y * y, BoxMuller.S0, BoxMuller.S1, BoxMuller.S2, BoxMuller.S3, BoxMuller.S4, BoxMuller.S5, BoxMuller.S6);
        double cosine = polynomial(y * y, BoxMuller.C0, BoxMuller.C1, BoxMuller.C2, BoxMuller.C3, BoxMuller.C4, BoxMuller.C5, BoxMuller.C6);
        double q = Math.sqrt(square) * Math.fma(sine, sine, -1);
        return new double[] {b < 0 ? -q : q, Math.sqrt(square) * (sine * cosine)};
    }

    private static double polynomial(double z, double... p) {
        double high = Math.fma(z * z, p[6], Math.fma(z, p[5], p[4]));
        return Math.fma(Math.fma(high, z * z, Math.fma(z, p[3], p[2])), z * z, Math.fma(z, p[1], p[0]));
    }

    /** The 16 generators, the words of whose states alternate. */
    private static UniformRandomProvider[] generators(UniformRandomProvider random) {
        long[][] states = new long[16][4];
        for (int word = 0; word < 4; word++) {
            for (int lane = 0; lane < 8; lane++) {
                states[lane][word] = random.nextLong();
            }
        }
        for (int word = 0; word < 4; word++) {
            for (int lane = 8; lane < 16; lane++) {
                states[lane][word] = random.nextLong();
            }
        }
        return Arrays.stream(states).map(XoShiRo256Plus::new).toArray(UniformRandomProvider[]::new);
    }

    private static double[] reference(UniformRandomProvider random, int dK, int n) {
        UniformRandomProvider[] generators = generators(random);
        double[] dots = new double[n];
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int t = 0; t < dK; t++) {
                double[] pair = pair(generators[i % 8].nextLong(), generators[8 + i % 8].nextLong());
                sum = Math.fma(pair[0], pair[1], sum);
            }
            dots[i] = sum;
        }
        return dots;
    }

    @Property(seed = "1", tries = 100)
    void vectorsGiveTheBitsOfTheReference(@ForAll @IntRange(min = 1, max = 200) int dK, @ForAll @IntRange(max = 40) int n,
            @ForAll long seed) {
        double[] dots = new double[n + 1];
        dots[n] = 77;
        vector().dots(random(seed), dK, n, dots);
        assertArrayEquals(reference(random(seed), dK, n), Arrays.copyOf(dots, n));
        assertEquals(77, dots[n], "nothing is written behind the values");
    }

    /** Enough of them that the JIT compiler has been at work. */
    @Test
    void compiledCodeGivesThemToo() {
        double[] dots = new double[5000];
        for (int seed = 0; seed < 2; seed++) {
            vector().dots(random(seed), 64, dots.length, dots);
            assertArrayEquals(reference(random(seed), 64, dots.length), dots);
        }
    }

    /** A JVM that is told to use vectors of two doubles only. */
    @Test
    void theLengthOfAVectorDoesNotMatter() throws IOException, InterruptedException {
        String classes = Stream.of(Backend.class, DotsTest.class, UniformRandomProvider.class, XoShiRo256Plus.class, RandomSource.class,
                        ZigguratSampler.class)
                .map(c -> Path.of(URI.create(c.getProtectionDomain().getCodeSource().getLocation().toString())).toString())
                .distinct().reduce((x, y) -> x + File.pathSeparator + y).orElseThrow();
        Process child = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:MaxVectorSize=16",
                "--add-modules", "jdk.incubator.vector", "-cp", classes, Child.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String printed = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertEquals(0, child.waitFor(), printed);
        assertEquals("vector, 2 doubles: " + Arrays.hashCode(Child.dots()), printed);
    }

    /** What the child JVM runs. */
    static final class Child {
        private Child() { }

        static double[] dots() {
            double[] dots = new double[2000];
            vector().dots(random(5), 70, dots.length, dots);
            return dots;
        }

        public static void main(String[] args) {
            System.out.println(vector() + ": " + Arrays.hashCode(dots()));
        }
    }

    /** The plain backend draws q₁, k₁, q₂, k₂, …, by the ziggurat. */
    @Test
    void plainIsTheZiggurat() {
        double[] dots = {0, 0, 0, 77};
        Backend.plain().dots(random(3), 2, 3, dots);
        ZigguratSampler.NormalizedGaussian z = ZigguratSampler.NormalizedGaussian.of(random(3));
        for (int i = 0; i < 3; i++) {
            assertEquals(z.sample() * z.sample() + z.sample() * z.sample(), dots[i]);
        }
        assertEquals(77, dots[3]);
    }

    /** u = 1 and u = 2⁻⁵², the ends; angles 0, −π/2 and (with b negative) π. */
    @Test
    void pairsByHand() {
        double most = Math.sqrt(104 * StrictMath.log(2));
        assertArrayEquals(new double[] {0, 0}, pair(0, 1L << 51), 0);
        assertArrayEquals(new double[] {-most, 0}, pair(ALL, 1L << 51), 2e-15);
        assertArrayEquals(new double[] {most, 0}, pair(ALL, 1L << 51 | BoxMuller.SIGN), 2e-15);
        assertArrayEquals(new double[] {0, -most}, pair(ALL, 0), 3e-15);
    }

    /** Against StrictMath, whose own errors are up to 4·10⁻¹⁶ here, at random, for every exponent of u, and next to u = 1 and √½. */
    @Test
    void pairsAreExactTo15Digits() {
        UniformRandomProvider random = random(7);
        double worst = 0;
        for (int i = 0; i < 200_000; i++) {
            long word = random.nextLong();
            long a = switch (i % 4) {
                case 0 -> word;
                case 1 -> ~(word >>> i % 52); // u small
                case 2 -> word >>> i % 52; // u near 1
                default -> (long) ((1 - StrictMath.sqrt(0.5)) * 0x1p52) + (word >> 58) << 12;
            };
            long b = random.nextLong();
            double r = StrictMath.sqrt(-2 * log(1 - (a >>> 12) * 0x1p-52));
            double angle = Math.PI * ((b & BoxMuller.LOW_52) * 0x1p-52 - 0.5);
            double[] pair = pair(a, b);
            worst = Math.max(worst, r == 0 ? 0 : Math.abs(pair[0] - StrictMath.cos(angle) * r * (b < 0 ? 1 : -1)) / r);
            worst = Math.max(worst, r == 0 ? 0 : Math.abs(pair[1] - StrictMath.sin(angle) * r) / r);
        }
        assertTrue(worst > 1e-16 && worst < 1e-15, "" + worst);
    }

    private static double log(double u) {
        return u > 0.5 ? StrictMath.log1p(u - 1) : StrictMath.log(u);
    }

    /** The normal numbers themselves, from the reference, whose products the vectors give to the bit. */
    @Test
    void goodnessOfFit() {
        int n = 2_000_000;
        UniformRandomProvider[] generators = generators(random(11));
        double[] q = new double[n / 8]; // to be sorted
        double[] k = new double[n / 8];
        Moments[] of = Stream.generate(Moments::new).limit(4).toArray(Moments[]::new); // q, k, q k, (q² − 1) (k² − 1)
        int[] beyond = new int[6];
        for (int i = 0; i < n; i++) {
            double[] pair = pair(generators[i % 8].nextLong(), generators[8 + i % 8].nextLong());
            q[i / 8] = pair[0];
            k[i / 8] = pair[1];
            of[0].add(pair[0]);
            of[1].add(pair[1]);
            of[2].add(pair[0] * pair[1]);
            of[3].add((pair[0] * pair[0] - 1) * (pair[1] * pair[1] - 1));
            for (double x : pair) {
                for (int limit = 1; limit < beyond.length; limit++) {
                    beyond[limit] += Math.abs(x) > limit ? 1 : 0;
                }
            }
        }
        for (int i = 0; i < 2; i++) {
            assertEquals(0, of[i].mean(), 4 / Math.sqrt(n));
            assertEquals(1, of[i].variance(), 4 * Math.sqrt(2.0 / n));
            assertEquals(0, of[i].skewness(), 4 * Math.sqrt(6.0 / n));
            assertEquals(3, of[i].kurtosis(), 4 * Math.sqrt(24.0 / n));
        }
        assertEquals(0, of[2].mean(), 4 / Math.sqrt(n), "q and k are uncorrelated");
        assertEquals(0, of[3].mean(), 4 * 2 / Math.sqrt(n), "and so are their squares");
        for (int limit = 1; limit < beyond.length; limit++) {
            double expected = 2 * n * 2 * Normal.upperTail(limit);
            assertEquals(expected, beyond[limit], 4 * Math.sqrt(expected), "beyond ±" + limit);
        }
        assertTrue(KolmogorovSmirnov.pValue(KolmogorovSmirnov.distance(q, Normal::cdf), q.length) > 1e-3);
        assertTrue(KolmogorovSmirnov.pValue(KolmogorovSmirnov.distance(k, Normal::cdf), k.length) > 1e-3);
    }

    /** q₁ k₁ + q₂ k₂ has the density ½ e^{−|x|}, of Laplace. */
    @ParameterizedTest
    @MethodSource("rootdk.backend.BackendTest#backends")
    void twoComponentsAreLaplace(Backend backend) {
        double[] dots = new double[1_000_000];
        backend.dots(random(13), 2, dots.length, dots);
        double distance = KolmogorovSmirnov.distance(dots,
                x -> x < 0 ? StrictMath.exp(x) / 2 : 1 - StrictMath.exp(-x) / 2);
        assertTrue(KolmogorovSmirnov.pValue(distance, dots.length) > 1e-3, "distance " + distance);
    }

    /** Equal places in neighbouring lanes and in neighbouring groups of eight. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8})
    void valuesAreUncorrelated(int apart) {
        double[] dots = new double[500_000];
        vector().dots(random(17), 1, dots.length, dots);
        double sum = 0;
        for (int i = apart; i < dots.length; i++) {
            sum += dots[i] * dots[i - apart];
        }
        assertEquals(0, sum / dots.length, 4 / Math.sqrt(dots.length));
    }

    @ParameterizedTest
    @MethodSource("rootdk.backend.BackendTest#backends")
    void anInterruptEndsIt(Backend backend) {
        Thread.currentThread().interrupt();
        assertThrows(CancellationException.class, () -> backend.dots(random(1), 64, 8, new double[8]));
        assertTrue(Thread.interrupted(), "the flag stays set");
        backend.dots(random(1), 64, 0, new double[0]);
    }

    /** One value of the largest d_k would take many seconds. */
    @Test
    void anInterruptEndsALongValue() throws InterruptedException {
        Thread cell = new Thread(() -> assertThrows(CancellationException.class,
                () -> vector().dots(random(1), Integer.MAX_VALUE, 1, new double[1])));
        cell.start();
        Thread.sleep(100);
        assertTrue(cell.isAlive());
        cell.interrupt();
        cell.join(2000);
        assertTrue(!cell.isAlive(), "stopped within 2 s");
    }
}
