package rootdk.attention;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static rootdk.attention.Cases.assertClose;
import static rootdk.attention.Cases.centralDifferences;
import static rootdk.attention.Cases.data;
import static rootdk.attention.Cases.matrix;

import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.ejml.simple.SimpleMatrix;
import rootdk.backend.Backend;
import rootdk.stats.Draws;

/** Over random shapes and every combination of cap, bias, mask, causal and sink. Fixed seeds: the same cases every time. */
class AttentionPropertiesTest {
    private static final double EPSILON = 1e-14; // some tens of roundings of numbers near 1 to 10

    @Property(seed = "1", tries = 300)
    void weightsAndOutputAgreeWithTheDefinition(@ForAll @IntRange(min = 1, max = 6) int nQ, @ForAll @IntRange(min = 1, max = 6) int nK,
            @ForAll @IntRange(min = 1, max = 5) int dK, @ForAll @IntRange(min = 1, max = 4) int dV,
            @ForAll @IntRange(max = 31) int steps, @ForAll long seed) {
        Cases c = new Cases(nQ, nK, dK, dV, steps, seed);
        Attention a = Attention.forward(c.Q, c.K, c.V, c.rule());
        SimpleMatrix p = c.weightsByDefinition();
        assertClose("weights", p, a.weights(), EPSILON);
        assertClose("output", p.mult(c.V), a.output(), EPSILON);
        double[] sink = a.sinkWeights();
        for (int i = 0; i < nQ; i++) {
            double sum = a.weights().getRow(i).elementSum();
            assertEquals(sum == 0 && !c.has(4) ? 0 : 1, sum + sink[i], EPSILON, "a row sums to 1, or 0 if fully masked");
        }
    }

    /** Steps h = 1e-5: the differences' own error is of order h² + ε/h ≈ 10⁻¹⁰, times third derivatives of up to some hundreds here. */
    @Property(seed = "2", tries = 150)
    void gradientsAgreeWithCentralDifferences(@ForAll @IntRange(min = 1, max = 5) int nQ, @ForAll @IntRange(min = 1, max = 5) int nK,
            @ForAll @IntRange(min = 1, max = 4) int dK, @ForAll @IntRange(min = 1, max = 3) int dV,
            @ForAll @IntRange(max = 31) int steps, @ForAll long seed) {
        Cases c = new Cases(nQ, nK, dK, dV, steps, seed);
        Logits rule = c.rule();
        Attention.Gradients g = Attention.forward(c.Q, c.K, c.V, rule).backward(c.dOutput);
        double h = 1e-5;
        double tolerance = 1e-7;
        assertClose("dQ", centralDifferences(c.Q, h, x -> c.loss(Attention.forward(x, c.K, c.V, rule).output())), g.dQ(), tolerance);
        assertClose("dK", centralDifferences(c.K, h, x -> c.loss(Attention.forward(c.Q, x, c.V, rule).output())), g.dK(), tolerance);
        assertClose("dV", centralDifferences(c.V, h, x -> c.loss(Attention.forward(c.Q, c.K, x, rule).output())), g.dV(), tolerance);
        if (c.has(1)) {
            assertClose("dBias", centralDifferences(c.B, h,
                    x -> c.loss(Attention.forward(c.Q, c.K, c.V, c.rule(x, c.sink)).output())), g.dBias(), tolerance);
        }
        SimpleMatrix dSink = centralDifferences(matrix(new double[] {c.sink}), h,
                z -> c.loss(Attention.forward(c.Q, c.K, c.V, c.rule(c.B, z.get(0))).output()));
        assertEquals(dSink.get(0), g.dSink(), tolerance);
    }

    @Property(seed = "3", tries = 300)
    void tiledEqualsPlainForEveryTileSize(@ForAll @IntRange(min = 1, max = 9) int nQ, @ForAll @IntRange(min = 1, max = 9) int nK,
            @ForAll @IntRange(min = 1, max = 5) int dK, @ForAll @IntRange(min = 1, max = 4) int dV,
            @ForAll @IntRange(max = 31) int steps, @ForAll long seed) {
        Cases c = new Cases(nQ, nK, dK, dV, steps, seed);
        Attention a = Attention.forward(c.Q, c.K, c.V, c.rule());
        Attention.Gradients g = a.backward(c.dOutput);
        for (int tile = 1; tile <= nK + 1; tile++) {
            int size = tile == nK + 1 ? Integer.MAX_VALUE : tile;
            TiledAttention t = TiledAttention.forward(c.Q, c.K, c.V, c.rule(), size);
            assertClose("output", a.output(), t.output(), EPSILON);
            TiledAttention.Gradients h = t.backward(c.dOutput);
            assertSameBits(t, h, TiledAttention.forward(c.Q, c.K, c.V, c.rule(), size, Backend.vector().orElseThrow()), c.dOutput);
            assertClose("dQ", g.dQ(), h.dQ(), 10 * EPSILON);
            assertClose("dK", g.dK(), h.dK(), 10 * EPSILON);
            assertClose("dV", g.dV(), h.dV(), 10 * EPSILON);
            assertEquals(c.has(1), h.dBias().isPresent());
            h.dBias().ifPresent(dBias -> assertClose("dBias", g.dBias(), dBias, 10 * EPSILON));
            assertEquals(g.dSink(), h.dSink(), 10 * EPSILON);
            for (int i = 0; i < nQ; i++) {
                for (int j = 0; j < nK; j++) {
                    double p = c.masked(i, j) ? 0 : Math.exp(a.logits().get(i, j) - t.logSumExp()[i]);
                    assertEquals(a.weights().get(i, j), p, EPSILON);
                }
            }
        }
    }

    private static void assertSameBits(TiledAttention t, TiledAttention.Gradients g, TiledAttention other, SimpleMatrix dOutput) {
        TiledAttention.Gradients h = other.backward(dOutput);
        assertArrayEquals(data(t.output()), data(other.output()));
        assertArrayEquals(t.logSumExp(), other.logSumExp());
        assertArrayEquals(data(g.dQ()), data(h.dQ()));
        assertArrayEquals(data(g.dK()), data(h.dK()));
        assertArrayEquals(data(g.dV()), data(h.dV()));
        assertEquals(g.dSink(), h.dSink());
        g.dBias().ifPresent(dBias -> assertArrayEquals(data(dBias), data(h.dBias().orElseThrow())));
    }

    /** Shapes beyond one block of queries, where tiles lie left of, on and right of the causal diagonal. */
    @Property(seed = "8", tries = 12)
    void manyBlocksAndTiles(@ForAll @IntRange(min = 190, max = 420) int nQ, @ForAll @IntRange(min = 1, max = 450) int nK,
            @ForAll @IntRange(min = 20, max = 130) int tile, @ForAll @IntRange(max = 31) int steps, @ForAll long seed) {
        Cases c = new Cases(nQ, nK, 5, 3, steps, seed);
        Attention a = Attention.forward(c.Q, c.K, c.V, c.rule());
        Attention.Gradients g = a.backward(c.dOutput);
        TiledAttention t = TiledAttention.forward(c.Q, c.K, c.V, c.rule(), tile);
        TiledAttention.Gradients h = t.backward(c.dOutput);
        assertClose("output", a.output(), t.output(), EPSILON);
        assertClose("dQ", g.dQ(), h.dQ(), 10 * EPSILON);
        assertClose("dK", g.dK(), h.dK(), 100 * EPSILON);
        assertClose("dV", g.dV(), h.dV(), 100 * EPSILON);
        assertEquals(g.dSink(), h.dSink(), 1000 * EPSILON);
        assertSameBits(t, h, TiledAttention.forward(c.Q, c.K, c.V, c.rule(), tile, Backend.vector().orElseThrow()), c.dOutput);
    }

    @Property(seed = "4", tries = 100)
    void causalNeverLooksAhead(@ForAll @IntRange(min = 1, max = 6) int nQ, @ForAll @IntRange(min = 2, max = 6) int nK,
            @ForAll long seed) {
        Cases c = new Cases(nQ, nK, 3, 2, 0b01000, seed);
        SimpleMatrix otherK = c.K.copy();
        SimpleMatrix otherV = c.V.copy();
        otherK.setRow(nK - 1, 0, 9, Double.NaN, 9); // the newest key: only the last query may notice
        otherV.setRow(nK - 1, 0, Double.NaN, 9);
        SimpleMatrix a = Attention.forward(c.Q, c.K, c.V, c.rule()).output();
        SimpleMatrix b = Attention.forward(c.Q, otherK, otherV, c.rule()).output();
        for (int i = 0; i < nQ - 1; i++) {
            assertClose("row " + i, a.getRow(i), b.getRow(i), 0);
        }
        assertEquals(Double.NaN, b.get(nQ - 1, 0));
    }

    @Property(seed = "5", tries = 100)
    void permutingTheKeysChangesNothing(@ForAll @IntRange(min = 1, max = 5) int nQ, @ForAll @IntRange(min = 2, max = 6) int nK,
            @ForAll long seed) {
        Cases c = new Cases(nQ, nK, 4, 3, 0b10001, seed);
        SimpleMatrix turnedK = c.K.rows(1, nK).concatRows(c.K.rows(0, 1));
        SimpleMatrix turnedV = c.V.rows(1, nK).concatRows(c.V.rows(0, 1));
        Attention a = Attention.forward(c.Q, c.K, c.V, c.rule());
        Attention b = Attention.forward(c.Q, turnedK, turnedV, c.rule());
        assertClose("output", a.output(), b.output(), EPSILON);
        SimpleMatrix dK = a.backward(c.dOutput).dK();
        assertClose("dK", dK.rows(1, nK).concatRows(dK.rows(0, 1)), b.backward(c.dOutput).dK(), EPSILON * 10);
    }

    @Property(seed = "6", tries = 200)
    void streamingEqualsSoftmaxHoweverItIsCut(@ForAll @IntRange(min = 1, max = 30) int n, @ForAll @IntRange(max = 30) int cut,
            @ForAll long seed) {
        Draws draws = Draws.of(seed);
        double[] s = draws.gaussians(n);
        for (int i = 0; i < n; i++) {
            s[i] = draws.uniform() < 0.2 ? Double.NEGATIVE_INFINITY : 20 * s[i];
        }
        int at = Math.min(cut, n);
        StreamingSoftmax left = StreamingSoftmax.empty().add(Arrays.copyOfRange(s, 0, at));
        StreamingSoftmax right = StreamingSoftmax.empty();
        for (int i = at; i < n; i++) {
            right = right.add(s[i]);
        }
        double[] p = Softmax.of(s);
        for (int i = 0; i < n; i++) {
            assertEquals(p[i], left.merge(right).weight(s[i]), 2e-15 * p[i]);
            assertEquals(p[i], right.merge(left).weight(s[i]), 2e-15 * p[i]);
        }
    }

    @Property(seed = "7", tries = 100)
    void ropeDependsOnTheDistanceOnly(@ForAll @IntRange(min = 1, max = 8) int pairs, @ForAll @IntRange(max = 1000) int m,
            @ForAll @IntRange(max = 1000) int n, @ForAll @IntRange(min = -500, max = 500) int shift, @ForAll boolean interleaved,
            @ForAll long seed) {
        Draws draws = Draws.of(seed);
        SimpleMatrix q = draws.gaussianMatrix(1, 2 * pairs);
        SimpleMatrix k = draws.gaussianMatrix(1, 2 * pairs);
        Rope rope = interleaved ? Rope.interleaved(2 * pairs) : Rope.halfSplit(2 * pairs);
        double here = rope.offset(m).rotate(q).dot(rope.offset(n).rotate(k));
        double there = rope.offset(m + shift).rotate(q).dot(rope.offset(n + shift).rotate(k));
        assertEquals(here, there, 1e-11, "angles of up to 1500 are good to 10⁻¹³");
        assertEquals(q.normF(), rope.offset(m).rotate(q).normF(), 1e-14 * q.normF(), "a rotation keeps the length");
    }
}
