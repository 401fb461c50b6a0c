package rootdk.attention;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rootdk.attention.Cases.assertClose;
import static rootdk.attention.Cases.assertMessage;
import static rootdk.attention.Cases.data;
import static rootdk.attention.Cases.matrix;

import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;

class LogitsTest {
    private static final double INF = Double.POSITIVE_INFINITY;
    private static final double NAN = Double.NaN;
    private static final double LN2 = StrictMath.log(2);

    /** Scale, cap, bias, mask: 6/2 = 3, 1.5·tanh(3/1.5), + 10, and −∞ where masked. Any other order gives another number. */
    @Test
    void theOrderIsScaleCapBiasMask() {
        Logits rule = Logits.dividedBy(2).mask(new boolean[][] {{true, false}}).bias(matrix(new double[] {10, 20})).cap(1.5);
        assertArrayEquals(new double[] {1.5 * StrictMath.tanh(2) + 10, -INF}, data(rule.of(matrix(new double[] {6, 6}))));
    }

    @Test
    void cap() {
        Logits rule = Logits.dividedBy(1).cap(50);
        assertArrayEquals(new double[] {0, -50, 50, 50, NAN}, data(rule.of(matrix(new double[] {0, -INF, INF, 1e300, NAN}))));
        // tanh x = x − x³/3 + …: a small logit stays as it is
        assertEquals(1e-3, rule.of(matrix(new double[] {1e-3})).get(0), 1e-12);
    }

    /**
     * A score of 40 under a cap of 2 is saturated: the derivative 1/cosh²(20) ≈ 4e⁻⁴⁰ is there, where 1 − tanh²(20) is 0 in
     * doubles.
     */
    @Test
    void aSaturatedCapHasATinyGradientNotNone() {
        Attention a = Attention.forward(matrix(new double[] {1}), matrix(new double[] {40}, new double[] {0}),
                matrix(new double[] {1}, new double[] {0}), Logits.dividedBy(1).cap(2));
        double pq = a.weights().get(0) * a.weights().get(1);
        Attention.Gradients g = a.backward(matrix(new double[] {1}));
        assertEquals(pq, g.dLogits().get(0), 1e-16);
        assertEquals(4 * Math.exp(-40) * pq, g.dScores().get(0), 1e-14 * Math.exp(-40));
        assertEquals(-pq, g.dScores().get(1), 1e-16);
    }

    /** Two queries after a cache of two keys: the last query sees all four. Five queries, three keys: the first two see none. */
    @Test
    void causalIsAlignedAtTheBottomRight() {
        Logits rule = Logits.dividedBy(1).causal();
        assertArrayEquals(new double[] {0, 0, 0, -INF, 0, 0, 0, 0}, data(rule.of(new SimpleMatrix(2, 4))));
        assertArrayEquals(new double[] {0, -INF, -INF, 0, 0, -INF, 0, 0, 0}, data(rule.of(new SimpleMatrix(3, 3))));
        assertArrayEquals(new double[] {-INF, -INF, -INF, -INF, 0, -INF, 0, 0}, data(rule.of(new SimpleMatrix(4, 2))));
        assertEquals("divisor 1.0, causal", rule.causal().toString());
    }

    @Test
    void causalAndMaskMustBothAllow() {
        Logits rule = Logits.dividedBy(1).causal().mask(new boolean[][] {{true, true}, {false, true}});
        assertArrayEquals(new double[] {0, -INF, -INF, 0}, data(rule.of(new SimpleMatrix(2, 2))));
    }

    /** e^0 : e^ln2 and a sink of e^0: weights ¼ and ½, the sink takes ¼. Values 4 and 8: 1 + 4. */
    @Test
    void sinkByHand() {
        Attention a = Attention.forward(matrix(new double[] {1}), matrix(new double[] {0}, new double[] {LN2}),
                matrix(new double[] {4}, new double[] {8}), Logits.dividedBy(1).sink(0));
        assertArrayEquals(new double[] {0.25, 0.5}, data(a.weights()), 1e-16);
        assertArrayEquals(new double[] {0.25}, a.sinkWeights(), 1e-16);
        assertEquals(5, a.output().get(0), 1e-15);
        // dL/dlogit_j = p_j (V_j − output), and −p_sink · output for the sink
        Attention.Gradients g = a.backward(matrix(new double[] {1}));
        assertArrayEquals(new double[] {0.25 * (4 - 5), 0.5 * (8 - 5)}, data(g.dLogits()), 1e-15);
        assertEquals(-0.25 * 5, g.dSink(), 1e-15);
    }

    /** Gone for z → −∞; and with z far above the logits, the tiny weights keep their digits. */
    @Test
    void sinkFarBelowAndFarAbove() {
        SimpleMatrix q = matrix(new double[] {1});
        SimpleMatrix k = matrix(new double[] {0}, new double[] {LN2});
        SimpleMatrix v = matrix(new double[] {4}, new double[] {8});
        Attention none = Attention.forward(q, k, v, 1);
        Attention below = Attention.forward(q, k, v, Logits.dividedBy(1).sink(-800));
        assertArrayEquals(data(none.weights()), data(below.weights()));
        assertArrayEquals(new double[] {0}, none.sinkWeights());
        assertEquals(0, none.backward(v.rows(0, 1)).dSink());
        double z = 300;
        Attention above = Attention.forward(q, k, v, Logits.dividedBy(1).sink(z));
        assertEquals(StrictMath.exp(-z), above.weights().get(0), 1e-14 * StrictMath.exp(-z));
        assertEquals(4 * StrictMath.exp(-z), above.backward(matrix(new double[] {1})).dLogits().get(0), 1e-13 * StrictMath.exp(-z));
        Attention small = Attention.forward(q, k, v, Logits.dividedBy(1).sink(-300));
        assertEquals(StrictMath.exp(-300) / 3, small.sinkWeights()[0], 1e-14 * StrictMath.exp(-300));
    }

    @Test
    void theDivisorAloneIsThePlainCall() {
        Cases c = new Cases(4, 5, 7, 3, 0, 1);
        Attention plain = Attention.forward(c.Q, c.K, c.V, Scale.sqrt(7));
        Attention ruled = Attention.forward(c.Q, c.K, c.V, Logits.dividedBy(Scale.sqrt(7)));
        assertArrayEquals(data(plain.output()), data(ruled.output()));
        assertArrayEquals(data(plain.backward(c.dOutput).dK()), data(ruled.backward(c.dOutput).dK()));
        // Masks that hide nothing and a bias of 0 change no bit either.
        Attention open = Attention.forward(c.Q, c.K, c.V, Logits.dividedBy(Scale.sqrt(7)).bias(new SimpleMatrix(4, 5))
                .mask(new boolean[][] {allTrue(), allTrue(), allTrue(), allTrue()}));
        assertArrayEquals(data(plain.output()), data(open.output()));
        assertArrayEquals(data(plain.backward(c.dOutput).dQ()), data(open.backward(c.dOutput).dQ()));
    }

    private static boolean[] allTrue() {
        return new boolean[] {true, true, true, true, true};
    }

    /**
     * Query 0 sees key 0 only, query 1 sees nothing, query 2 sees keys 0 and 1; key 2 is masked for all. NaN and ∞ stand in every place
     * that is masked. The results are those with zeros in their place.
     */
    @Test
    void whatStandsInMaskedPositionsDoesNotLeak() {
        boolean[][] mask = {{true, false, false}, {false, false, false}, {true, true, false}};
        for (double bad : new double[] {NAN, INF, -INF}) {
            for (Logits rest : new Logits[] {Logits.dividedBy(2), Logits.dividedBy(2).cap(3), Logits.dividedBy(2).sink(0.5)}) {
                Logits clean = rest.mask(mask).bias(new SimpleMatrix(3, 3));
                Logits dirty = rest.mask(mask).bias(matrix(new double[] {0, bad, bad}, new double[] {bad, bad, bad},
                        new double[] {0, 0, bad}));
                SimpleMatrix q = matrix(new double[] {1, 2}, new double[] {3, 4}, new double[] {-1, 1});
                SimpleMatrix k = matrix(new double[] {1, 0}, new double[] {0.5, 1}, new double[] {1, 1});
                SimpleMatrix v = matrix(new double[] {1}, new double[] {2}, new double[] {3});
                SimpleMatrix up = matrix(new double[] {1}, new double[] {1}, new double[] {1});
                Attention a = Attention.forward(q, k, v, clean);
                Attention.Gradients g = a.backward(up);
                SimpleMatrix badQ = q.copy();
                badQ.set(1, 0, bad);
                SimpleMatrix badK = k.copy();
                badK.set(2, 1, bad);
                SimpleMatrix badV = v.copy();
                badV.set(2, 0, bad);
                SimpleMatrix badUp = up.copy();
                badUp.set(1, 0, bad);
                Attention b = Attention.forward(badQ, badK, badV, dirty);
                Attention.Gradients h = b.backward(badUp);
                assertClose("logits", a.logits(), b.logits(), 0);
                assertClose("weights", a.weights(), b.weights(), 0);
                assertClose("output", a.output(), b.output(), 0);
                assertClose("dQ", g.dQ(), h.dQ(), 0);
                assertClose("dK", g.dK(), h.dK(), 0);
                assertClose("dV", g.dV(), h.dV(), 0);
                assertClose("dWeights", g.dWeights(), h.dWeights(), 0);
                assertClose("dBias", g.dBias(), h.dBias(), 0);
                assertEquals(g.dSink(), h.dSink());
                assertArrayEquals(new double[] {0, 0, 0}, data(b.weights().getRow(1)));
                assertEquals(0, b.output().get(1));
                assertArrayEquals(new double[] {0, 0}, data(h.dQ().getRow(1)));
                for (int tile = 1; tile <= 4; tile++) {
                    TiledAttention t = TiledAttention.forward(badQ, badK, badV, dirty, tile);
                    TiledAttention.Gradients i = t.backward(badUp);
                    assertClose("tiled output", a.output(), t.output(), 1e-15);
                    assertClose("tiled dQ", g.dQ(), i.dQ(), 1e-15);
                    assertClose("tiled dK", g.dK(), i.dK(), 1e-15);
                    assertClose("tiled dV", g.dV(), i.dV(), 1e-15);
                    assertClose("tiled dBias", g.dBias(), i.dBias().orElseThrow(), 1e-15);
                    assertEquals(g.dSink(), i.dSink(), 1e-15);
                }
            }
        }
    }

    @Test
    void aBiasOfMinusInfinityMasks() {
        SimpleMatrix v = matrix(new double[] {1}, new double[] {NAN});
        Attention a = Attention.forward(matrix(new double[] {1}), matrix(new double[] {1}, new double[] {INF}), v,
                Logits.dividedBy(1).bias(matrix(new double[] {3, -INF})));
        assertArrayEquals(new double[] {1, 0}, data(a.weights()));
        assertEquals(1, a.output().get(0));
        assertArrayEquals(new double[] {0, 0}, data(a.backward(matrix(new double[] {5})).dBias()));
    }

    @Test
    void aNanThatIsSeenMakesItsRowNanButNotItsMaskedWeights() {
        Attention a = Attention.forward(matrix(new double[] {NAN}, new double[] {0}), matrix(new double[] {1}, new double[] {1}),
                matrix(new double[] {2}, new double[] {4}), Logits.dividedBy(1).causal().sink(0));
        assertArrayEquals(new double[] {NAN, 0, 1 / 3.0, 1 / 3.0}, data(a.weights()), 1e-16);
        assertArrayEquals(new double[] {NAN, 2}, data(a.output()), 1e-15);
        assertTrue(Double.isNaN(a.sinkWeights()[0]));
        Attention.Gradients g = a.backward(matrix(new double[] {1}, new double[] {1}));
        assertEquals(0, g.dLogits().get(0, 1));
        assertArrayEquals(new double[] {NAN, 1 / 3.0}, data(g.dV()), 1e-16);
    }

    @Test
    void eachStepLeavesTheOneBeforeAsItIs() {
        Logits first = Logits.dividedBy(2);
        SimpleMatrix bias = new SimpleMatrix(1, 1);
        boolean[][] mask = {{true}};
        Logits all = first.cap(3).bias(bias).mask(mask).causal().sink(4);
        bias.set(0, 99);
        mask[0][0] = false;
        assertEquals("divisor 2.0", first.toString());
        assertEquals("divisor 2.0, cap 3.0, bias 1 × 1, mask 1 × 1, causal, sink 4.0", all.toString());
        assertEquals(0, all.of(new SimpleMatrix(1, 1)).get(0));
        assertEquals(2, all.divisor());
    }

    @Test
    void badInput() {
        Logits rule = Logits.dividedBy(1);
        assertMessage("divisor is 0.0: it must be finite and above 0", () -> Logits.dividedBy(0));
        assertMessage("cap is NaN: it must be finite and above 0", () -> rule.cap(NAN));
        assertMessage("cap is Infinity: it must be finite and above 0", () -> rule.cap(INF));
        assertMessage("cap is set already: give one number", () -> rule.cap(1).cap(2));
        assertMessage("bias is null: it must be a matrix", () -> rule.bias(null));
        String twoBiases = "bias is set already: add the two matrices first: B1.plus(B2), with Alibi.bias for that of ALiBi";
        assertMessage(twoBiases, () -> rule.bias(new SimpleMatrix(1, 1)).bias(new SimpleMatrix(1, 1)));
        assertMessage(twoBiases, () -> rule.bias(new SimpleMatrix(1, 1)).alibi(1));
        assertMessage(twoBiases, () -> rule.alibi(1).bias(new SimpleMatrix(1, 1)));
        assertMessage(twoBiases, () -> rule.alibi(1).alibi(1));
        assertMessage("slope is 0.0: it must be finite and above 0", () -> rule.alibi(0));
        assertMessage("slope is NaN: it must be finite and above 0", () -> rule.alibi(NAN));
        assertMessage("bias is 5 × 4: it must be 4 × 5 (n_q × n_k)", () -> rule.bias(new SimpleMatrix(5, 4)).of(new SimpleMatrix(4, 5)));
        assertMessage("mask is 5 × 4: it must be 4 × 5 (n_q × n_k)", () -> rule.mask(new boolean[5][4]).of(new SimpleMatrix(4, 5)));
        assertMessage("mask is 4 × 4: it must be 4 × 5 (n_q × n_k)", () -> rule.mask(new boolean[4][4]).of(new SimpleMatrix(4, 5)));
        assertMessage("mask is null: it must be n_q rows of n_k entries, true where a query may attend", () -> rule.mask(null));
        assertMessage("mask is empty: it must have at least one row and one column", () -> rule.mask(new boolean[0][]));
        assertMessage("mask is empty: it must have at least one row and one column", () -> rule.mask(new boolean[2][0]));
        assertMessage("mask[1] is null: each row must have n_k entries", () -> rule.mask(new boolean[][] {{true}, null}));
        assertMessage("mask[1] has 2 entries, mask[0] has 1: each row must have n_k entries",
                () -> rule.mask(new boolean[][] {{true}, {true, false}}));
        assertMessage("mask is set already: combine the two first, entry by entry with &&",
                () -> rule.mask(new boolean[1][1]).mask(new boolean[1][1]));
        assertMessage("sink is Infinity: it must be finite. For no sink, leave this step out", () -> rule.sink(INF));
        assertMessage("sink is -Infinity: it must be finite. For no sink, leave this step out", () -> rule.sink(-INF));
        assertMessage("sink is set already: give one number", () -> rule.sink(1).sink(1));
        assertMessage("scores is empty (0 × 2): it must have at least one row and one column", () -> rule.of(new SimpleMatrix(0, 2)));
        SimpleMatrix one = new SimpleMatrix(1, 1);
        assertMessage("rule is null: it must be a Logits, such as Logits.dividedBy(Scale.sqrt(dK))",
                () -> Attention.forward(one, one, one, null));
        assertMessage("bias is 2 × 1: it must be 1 × 1 (n_q × n_k)",
                () -> Attention.forward(one, one, one, rule.bias(new SimpleMatrix(2, 1))));
        SimpleMatrix many = new SimpleMatrix(50_000, 1);
        assertMessage("Q has 50000 rows, K has 50000: their 50000 × 50000 scores do not fit into an array. TiledAttention needs none",
                () -> Attention.forward(many, many, many, rule));
    }

    /** The stop button: the flag is set before the call, so the first row ends it. */
    @Test
    void stopsWhenInterrupted() {
        Cases c = new Cases(4, 5, 7, 3, 0, 1);
        Attention a = Attention.forward(c.Q, c.K, c.V, 1);
        TiledAttention t = TiledAttention.forward(c.Q, c.K, c.V, c.rule(), 2);
        String message = "attention was interrupted: it has no result, and nothing was changed";
        try {
            Thread.currentThread().interrupt();
            assertMessage(message, () -> Attention.forward(c.Q, c.K, c.V, 1));
            assertMessage(message, () -> a.backward(c.dOutput));
            assertMessage(message, () -> TiledAttention.forward(c.Q, c.K, c.V, c.rule(), 2));
            assertMessage(message, () -> t.backward(c.dOutput));
            assertTrue(Thread.currentThread().isInterrupted());
        } finally {
            Thread.interrupted();
        }
    }
}
