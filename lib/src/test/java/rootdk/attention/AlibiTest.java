package rootdk.attention;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rootdk.attention.Cases.assertMessage;
import static rootdk.attention.Cases.data;

import org.junit.jupiter.api.Test;

class AlibiTest {
    /** Press et al. 2022, §3: for 8 heads 1/2, 1/4 … 1/256; for 16 heads the sequence that starts at and has the ratio 1/√2. */
    @Test
    void publishedSlopes() {
        assertArrayEquals(new double[] {1 / 2.0, 1 / 4.0, 1 / 8.0, 1 / 16.0, 1 / 32.0, 1 / 64.0, 1 / 128.0, 1 / 256.0}, Alibi.slopes(8));
        double[] sixteen = Alibi.slopes(16);
        for (int head = 0; head < 16; head++) {
            assertArrayEquals(new double[] {Math.pow(Math.sqrt(0.5), head + 1)}, new double[] {sixteen[head]}, 1e-15);
        }
        assertArrayEquals(new double[] {1 / 256.0}, Alibi.slopes(1));
    }

    /** 12 heads: those of 8, then 2^(−½), 2^(−3/2), 2^(−5/2), 2^(−7/2), every second of 16. */
    @Test
    void twelveHeads() {
        double r = Math.sqrt(0.5);
        assertArrayEquals(new double[] {0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625, r, r / 2, r / 4, r / 8},
                Alibi.slopes(12), 2e-16);
    }

    /** The authors' rule as they wrote it: recursive, a running product, the extra slopes picked from a list twice as long. */
    @Test
    void agreesWithTheRecursiveRule() {
        for (int heads = 1; heads <= 130; heads++) {
            assertArrayEquals(recursive(heads), Alibi.slopes(heads), 1e-14, heads + " heads");
        }
    }

    private static double[] recursive(int n) {
        double[] out = new double[n];
        int p = 1;
        while (2 * p <= n) {
            p *= 2;
        }
        double ratio = Math.pow(2, -8.0 / p);
        double slope = 1;
        for (int i = 0; i < p; i++) {
            slope *= ratio;
            out[i] = slope;
        }
        if (n > p) {
            double[] more = recursive(2 * p);
            for (int i = p; i < n; i++) {
                out[i] = more[2 * (i - p)];
            }
        }
        return out;
    }

    /** Three keys, the two newest tokens ask: the last query stands at key 2. */
    @Test
    void biasIsAlignedAtTheBottomRight() {
        assertArrayEquals(new double[] {-0.5, 0, -0.5, -1, -0.5, 0}, data(Alibi.bias(0.5, 2, 3)));
        assertArrayEquals(new double[] {-1, -2, 0, -1, -1, 0}, data(Alibi.bias(1, 3, 2)));
    }

    /** The rule and the matrix: the same logits to the bit, and the same gradients; the rule has none of its own. */
    @Test
    void byRuleAndByMatrix() {
        for (int nQ : new int[] {3, 5, 7}) {
            Cases c = new Cases(nQ, 5, 4, 3, 0, nQ);
            Logits rule = Logits.dividedBy(2).cap(3).causal().sink(1);
            Logits byRule = rule.alibi(0.5);
            Logits byMatrix = rule.bias(Alibi.bias(0.5, nQ, 5));
            Attention a = Attention.forward(c.Q, c.K, c.V, byMatrix);
            assertArrayEquals(data(a.logits()), data(Attention.forward(c.Q, c.K, c.V, byRule).logits()));
            TiledAttention t = TiledAttention.forward(c.Q, c.K, c.V, byRule, 2);
            Cases.assertClose("output", a.output(), t.output(), 1e-14);
            Cases.assertClose("dK", a.backward(c.dOutput).dK(), t.backward(c.dOutput).dK(), 1e-14);
            assertTrue(t.backward(c.dOutput).dBias().isEmpty());
            assertEquals("divisor 2.0, cap 3.0, ALiBi slope 0.5, causal, sink 1.0", byRule.toString());
        }
    }

    @Test
    void badInput() {
        assertMessage("heads is 0: there must be at least 1 head", () -> Alibi.slopes(0));
        assertMessage("slope is 0.0: it must be finite and above 0", () -> Alibi.bias(0, 1, 1));
        assertMessage("nQ is 0, nK is 2: there must be at least 1 query and 1 key", () -> Alibi.bias(1, 0, 2));
        assertMessage("nQ is 2, nK is 0: there must be at least 1 query and 1 key", () -> Alibi.bias(1, 2, 0));
    }
}
