package rootdk.backend;

import static rootdk.backend.BoxMuller.*;

import java.util.Arrays;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * {@link Backend#dots} of {@code VectorBackend}: eight values of q·k at a time, one in each of eight lanes, whatever the length of a
 * vector. Each lane has two generators of its own, for radii and for angles, and makes its q and k by {@link BoxMuller}.
 *
 * <p>The work goes in four steps through arrays that stay in the nearest cache, because a loop of more than some 30 vector operations is
 * compiled badly, and a long chain of operations would leave a processor waiting. They are called through {@link Step}: the JIT compiler
 * does not inline a call that leads to so many places, so each is compiled by itself. The square root stands in the last step, where
 * it is free: the divider has nothing else to do there.
 */
final class VectorDots {
    private static final int LANES = 8;
    private static final VectorSpecies<Double> SPECIES =
            DoubleVector.SPECIES_PREFERRED.length() > LANES ? DoubleVector.SPECIES_512 : DoubleVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Long> BITS = SPECIES.withLanes(long.class);
    private static final int LENGTH = SPECIES.length();
    private static final int MOST = 64; // components at a time: the arrays are 16 KiB

    private final long[] state = new long[8 * LANES]; // four words of the radii's generators, four of the angles'
    private final long[] a = new long[MOST * LANES]; // entry t of lane j at t * LANES + j, here and in the next three
    private final long[] b = new long[MOST * LANES];
    private final double[] ratios = new double[MOST * LANES];
    private final double[] squares = new double[MOST * LANES];
    private final double[] sum = new double[LANES];
    private final Step[] steps = {this::words, this::ratios, this::squaredRadii, this::products};

    /** One step for the next components. */
    private interface Step {
        void run(int components);
    }

    VectorDots(Xoroshiro128PlusPlus random) {
        for (int i = 0; i < state.length; i++) {
            state[i] = random.nextLong();
        }
    }

    void fill(int dK, int n, double[] dots) {
        for (int first = 0; first < n; first += LANES) {
            Arrays.fill(sum, 0);
            for (int left = dK; left > 0; left -= MOST) {
                PlainBackend.stopIfInterrupted();
                for (Step step : steps) {
                    step.run(Math.min(MOST, left));
                }
            }
            System.arraycopy(sum, 0, dots, first, Math.min(LANES, n - first));
        }
    }

    /** Two words for each pair, by xoshiro256+: of both generators in one loop, as a processor can work at both together. */
    private void words(int components) {
        for (int lane = 0; lane < LANES; lane += LENGTH) {
            words(components, lane, state, a, b);
        }
    }

    private static void words(int components, int lane, long[] state, long[] a, long[] b) {
        LongVector s0 = LongVector.fromArray(BITS, state, lane);
        LongVector s1 = LongVector.fromArray(BITS, state, lane + LANES);
        LongVector s2 = LongVector.fromArray(BITS, state, lane + 2 * LANES);
        LongVector s3 = LongVector.fromArray(BITS, state, lane + 3 * LANES);
        LongVector r0 = LongVector.fromArray(BITS, state, lane + 4 * LANES);
        LongVector r1 = LongVector.fromArray(BITS, state, lane + 5 * LANES);
        LongVector r2 = LongVector.fromArray(BITS, state, lane + 6 * LANES);
        LongVector r3 = LongVector.fromArray(BITS, state, lane + 7 * LANES);
        for (int at = lane; at < components * LANES; at += LANES) {
            s0.add(s3).intoArray(a, at);
            LongVector s = s1.lanewise(VectorOperators.LSHL, 17);
            s2 = s2.lanewise(VectorOperators.XOR, s0);
            s3 = s3.lanewise(VectorOperators.XOR, s1);
            s1 = s1.lanewise(VectorOperators.XOR, s2);
            s0 = s0.lanewise(VectorOperators.XOR, s3);
            s2 = s2.lanewise(VectorOperators.XOR, s);
            s3 = s3.lanewise(VectorOperators.LSHL, 45).or(s3.lanewise(VectorOperators.LSHR, 19));
            r0.add(r3).intoArray(b, at);
            LongVector r = r1.lanewise(VectorOperators.LSHL, 17);
            r2 = r2.lanewise(VectorOperators.XOR, r0);
            r3 = r3.lanewise(VectorOperators.XOR, r1);
            r1 = r1.lanewise(VectorOperators.XOR, r2);
            r0 = r0.lanewise(VectorOperators.XOR, r3);
            r2 = r2.lanewise(VectorOperators.XOR, r);
            r3 = r3.lanewise(VectorOperators.LSHL, 45).or(r3.lanewise(VectorOperators.LSHR, 19));
        }
        s0.intoArray(state, lane);
        s1.intoArray(state, lane + LANES);
        s2.intoArray(state, lane + 2 * LANES);
        s3.intoArray(state, lane + 3 * LANES);
        r0.intoArray(state, lane + 4 * LANES);
        r1.intoArray(state, lane + 5 * LANES);
        r2.intoArray(state, lane + 6 * LANES);
        r3.intoArray(state, lane + 7 * LANES);
    }

    /** s = (m − 1) / (m + 1) of each a, and its e in the place of the squares. */
    private void ratios(int components) {
        ratios(components * LANES, a, ratios, squares);
    }

    private static void ratios(int n, long[] a, double[] ratios, double[] exponents) {
        for (int i = 0; i < n; i += LENGTH) {
            LongVector word = LongVector.fromArray(BITS, a, i);
            DoubleVector u = broadcast(2).sub(word.lanewise(VectorOperators.LSHR, 12).or(ONE).reinterpretAsDoubles());
            LongVector above = u.reinterpretAsLongs().sub(ROOT_HALF_64);
            above.lanewise(VectorOperators.LSHR, 52).or(INTEGER).reinterpretAsDoubles().sub(INTEGER_64).intoArray(exponents, i);
            DoubleVector m = above.and(LOW_52).add(ROOT_HALF).reinterpretAsDoubles();
            m.sub(1).div(m.add(1)).intoArray(ratios, i);
        }
    }

    /** −2 ln u of each s and e. */
    private void squaredRadii(int components) {
        squaredRadii(components * LANES, ratios, squares);
    }

    private static void squaredRadii(int n, double[] ratios, double[] squares) {
        for (int i = 0; i < n; i += LENGTH) {
            DoubleVector s = DoubleVector.fromArray(SPECIES, ratios, i);
            DoubleVector e = DoubleVector.fromArray(SPECIES, squares, i);
            DoubleVector z = s.mul(s);
            DoubleVector l = polynomial(z, z.mul(z), L0, L1, L2, L3, L4, L5, L6);
            e.fma(broadcast(MINUS_2_LN_2), l.mul(s)).intoArray(squares, i);
        }
    }

    /** Adds q k of each pair to its lane's sum. */
    private void products(int components) {
        for (int lane = 0; lane < LANES; lane += LENGTH) {
            products(components, lane, b, squares, sum);
        }
    }

    private static void products(int components, int lane, long[] b, double[] squares, double[] sum) {
        DoubleVector total = DoubleVector.fromArray(SPECIES, sum, lane);
        for (int at = lane; at < components * LANES; at += LANES) {
            LongVector word = LongVector.fromArray(BITS, b, at);
            DoubleVector y = word.and(LOW_52).or(ONE).reinterpretAsDoubles().sub(1.5);
            DoubleVector z = y.mul(y);
            DoubleVector z2 = z.mul(z);
            DoubleVector s = polynomial(z, z2, S0, S1, S2, S3, S4, S5, S6).mul(y);
            DoubleVector c = polynomial(z, z2, C0, C1, C2, C3, C4, C5, C6);
            DoubleVector r = DoubleVector.fromArray(SPECIES, squares, at).sqrt();
            DoubleVector cosine = s.fma(s, broadcast(-1));
            LongVector q = r.mul(cosine).reinterpretAsLongs().lanewise(VectorOperators.XOR, word.and(SIGN));
            DoubleVector k = r.mul(s.mul(c));
            total = q.reinterpretAsDoubles().fma(k, total);
        }
        total.intoArray(sum, lane);
    }

    /** p(z), in the order that {@link BoxMuller} gives. */
    private static DoubleVector polynomial(DoubleVector z, DoubleVector z2, double p0, double p1, double p2, double p3, double p4,
            double p5, double p6) {
        DoubleVector low = z.fma(broadcast(p1), broadcast(p0));
        DoubleVector middle = z.fma(broadcast(p3), broadcast(p2));
        DoubleVector high = z2.fma(broadcast(p6), z.fma(broadcast(p5), broadcast(p4)));
        return high.fma(z2, middle).fma(z2, low);
    }

    private static DoubleVector broadcast(double x) {
        return DoubleVector.broadcast(SPECIES, x);
    }
}
