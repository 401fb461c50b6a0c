package rootdk.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rootdk.training.Cases.assertClose;
import static rootdk.training.Cases.assertMessage;
import static rootdk.training.Cases.batch;
import static rootdk.training.Cases.data;
import static rootdk.training.Cases.gradient;
import static rootdk.training.Cases.model;
import static rootdk.training.Cases.parameter;

import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import rootdk.backend.Backend;
import rootdk.stats.Draws;

class OptimizerTest {
    /** η = 0.1, μ = 0.5, g = 2 and then 1: v = 2, 2; w = 1 − 0.2 − 0.2. */
    @Test
    void sgdByHand() {
        Parameter w = parameter(1, 1, 1);
        Rule sgd = new Rule.Sgd(w, 0.5);
        gradient(w, 2);
        sgd.step(0.1);
        assertEquals(0.8, w.value[0], 1e-16);
        gradient(w, 1);
        sgd.step(0.1);
        assertEquals(0.6, w.value[0], 1e-15);
    }

    /**
     * η = 0.1, β = (0.5, 0.75), ε = 0, g = 2 and then −1. Step 1: m̂ = v̂^½ = 2, so w falls by η. Step 2: m = 0.5·1 − 0.5 = 0, so w
     * stays. Step 3, g = 1: m = 0.5, m̂ = 0.5/0.875; v = (1, 1, 1), v̂ = 1/(1 − 0.421875).
     */
    @Test
    void adamByHand() {
        Parameter w = parameter(1, 1, 1);
        Rule adam = new Rule.Adam(w, 0.5, 0.75, 0);
        gradient(w, 2);
        adam.step(0.1);
        assertEquals(0.9, w.value[0], 1e-16);
        gradient(w, -1);
        adam.step(0.1);
        assertEquals(0.9, w.value[0], 1e-16);
        gradient(w, 1);
        adam.step(0.1);
        assertEquals(0.9 - 0.1 * (0.5 / 0.875) * Math.sqrt(0.578125), w.value[0], 1e-16);
    }

    /** As the paper writes it: powers and sums over the whole history instead of running means. */
    @Test
    void adamAgainstItsHistory() {
        Draws draws = Draws.of(1);
        Parameter w = parameter(1, 1, 0.3);
        Rule adam = new Rule.Adam(w, 0.9, 0.999, 1e-8);
        double[] g = draws.gaussians(20);
        double expected = 0.3;
        for (int t = 1; t <= 20; t++) {
            gradient(w, g[t - 1]);
            adam.step(0.01);
            double m = 0;
            double v = 0;
            for (int i = 1; i <= t; i++) {
                m += 0.1 * Math.pow(0.9, t - i) * g[i - 1];
                v += 0.001 * Math.pow(0.999, t - i) * g[i - 1] * g[i - 1];
            }
            expected -= 0.01 * m / (1 - Math.pow(0.9, t)) / (Math.sqrt(v / (1 - Math.pow(0.999, t))) + 1e-8);
        }
        assertEquals(expected, w.value[0], 1e-14);
    }

    @Test
    void adamWithoutEpsilonLeavesWhatHasNoGradient() {
        Parameter w = parameter(1, 3, 1, 1, 1);
        gradient(w, 0, 1e-100, 1e-200);
        new Rule.Adam(w, 0.9, 0.999, 0).step(0.1);
        assertEquals(1, w.value[0]);
        assertEquals(0.9, w.value[1], 1e-16);
        assertEquals(1, w.value[2], 1e-16, "its square underflows");
    }

    /**
     * A 2 × 2 matrix. Step 1 has decay 0: R = (1 + 4, 4 + 16), C = (1 + 4, 4 + 16), V = R Cᵀ / 25 = g², so U = sign(g), with RMS 1.
     * RMS(W) = 2, ρ = min(0.01, 1): every entry moves by 0.02.
     */
    @Test
    void adafactorByHand() {
        Parameter w = parameter(2, 2, 2, -2, 2, 2);
        gradient(w, 1, -2, 2, 4);
        new Rule.Adafactor(w).step(0.01);
        assertClose(new double[] {1.98, -1.98, 1.98, 1.98}, w.value, 1e-15, "w");
        Parameter zero = parameter(1, 2);
        gradient(zero, 5, -7);
        new Rule.Adafactor(zero).step(1);
        assertClose(new double[] {-1e-3, 1e-3}, zero.value, 1e-18, "a zero vector moves by its floor ε2");
    }

    /** The paper's algorithms 4 and 5 in matrix form, five steps; with the gradients growing, so that the update is clipped. */
    @ParameterizedTest
    @CsvSource({"3, 5", "1, 4", "6, 2"})
    void adafactorAgainstTheFormulas(int rows, int columns) {
        Draws draws = Draws.of(2);
        Parameter w = Cases.random(rows, columns, draws);
        Rule adafactor = new Rule.Adafactor(w);
        SimpleMatrix x = w.value();
        SimpleMatrix r = new SimpleMatrix(rows, 1);
        SimpleMatrix c = new SimpleMatrix(1, columns);
        SimpleMatrix v = new SimpleMatrix(rows, columns);
        boolean clipped = false;
        for (int t = 1; t <= 5; t++) {
            SimpleMatrix g = draws.gaussianMatrix(rows, columns).scale(Math.pow(3, t));
            gradient(w, data(g));
            adafactor.step(0.6); // 1/√t is below it from t = 3 on
            double decay = 1 - Math.pow(t, -0.8);
            SimpleMatrix squares = g.elementMult(g).plus(1e-30);
            r = r.scale(decay).plus(squares.mult(ones(columns, 1)).scale(1 - decay));
            c = c.scale(decay).plus(ones(1, rows).mult(squares).scale(1 - decay));
            v = rows == 1 ? v.scale(decay).plus(squares.scale(1 - decay)) : r.mult(c).divide(r.elementSum());
            SimpleMatrix u = g.elementDiv(v.elementPower(0.5));
            double rms = u.normF() / Math.sqrt(rows * columns);
            clipped |= rms > 1;
            double step = Math.max(1e-3, x.normF() / Math.sqrt(rows * columns)) * Math.min(0.6, 1 / Math.sqrt(t));
            x = x.minus(u.scale(step / Math.max(1, rms)));
        }
        assertTrue(clipped);
        assertClose(data(x), w.value, 1e-13, "w");
    }

    private static SimpleMatrix ones(int rows, int columns) {
        return new SimpleMatrix(rows, columns).plus(1);
    }

    /** Momentum 0.95 with Nesterov's look ahead, the published polynomial, in EJML; tall, wide, tiny and square. */
    @ParameterizedTest
    @CsvSource({"3, 5", "6, 2", "1, 1", "4, 4", "1, 3"})
    void muonAgainstTheFormulas(int rows, int columns) {
        Draws draws = Draws.of(3);
        Parameter w = Cases.random(rows, columns, draws);
        Rule muon = new Rule.Muon(w, Backend.plain());
        SimpleMatrix x = w.value();
        SimpleMatrix m = new SimpleMatrix(rows, columns);
        for (int t = 0; t < 3; t++) {
            SimpleMatrix g = draws.gaussianMatrix(rows, columns);
            gradient(w, data(g));
            muon.step(0.1);
            m = m.scale(0.95).plus(g);
            SimpleMatrix o = g.plus(m.scale(0.95));
            o = o.divide(o.normF());
            for (int i = 0; i < 5; i++) {
                SimpleMatrix a = o.mult(o.transpose());
                o = o.scale(3.4445).plus(a.mult(o).scale(-4.7750)).plus(a.mult(a).mult(o).scale(2.0315));
            }
            x = x.minus(o.scale(0.1 * 0.2 * Math.sqrt(Math.max(rows, columns))));
        }
        assertClose(data(x), w.value, 1e-12, "w");
    }

    /** One step of Muon moves W_q by an update whose singular values are near 1, however uneven the gradient's are; E goes by Adam. */
    @Test
    void muonOrthogonalisesTheUpdateNotTheWeights() {
        Model model = model(Head.of(7, 3), 1);
        SimpleMatrix before = model.parameter("W_q").value();
        double e = model.parameter("E").value[0];
        model.forward(batch(1));
        model.backward();
        Optimizer.muon(0.01).on(model).next();
        SimpleMatrix update = before.minus(model.parameter("W_q").value()).divide(0.01 * 0.2 * Math.sqrt(7));
        double[] gradient = model.parameter("W_q").gradient().svd().getSingularValues();
        assertTrue(gradient[0] / gradient[1] > 1.5, "the gradient's singular values differ");
        for (double sigma : update.svd().getSingularValues()) {
            assertTrue(sigma > 0.6 && sigma < 1.21, "σ = " + sigma);
        }
        assertEquals(0.01, Math.abs(e - model.parameter("E").value[0]), 1e-6, "Adam's first step is η");
        for (double sigma : model.parameter("W_q").value().svd().getSingularValues()) {
            assertTrue(Math.abs(sigma - 1) > 0.02, "the weights are not orthogonal: σ = " + sigma);
        }
    }

    /** A norm of 5 clipped at 1 gives a fifth of the step; below the bound nothing changes. */
    @Test
    void clippingScalesAllGradientsTogether() {
        double[] free = step(Optimizer.sgd(1, 0));
        double norm = norm();
        double[] clipped = step(Optimizer.sgd(1, 0).clip(norm / 5));
        double[] start = model(Head.of(7, 3), 1).parameter("W_v").value;
        for (int i = 0; i < start.length; i++) {
            assertEquals((free[i] - start[i]) / 5, clipped[i] - start[i], 1e-15);
        }
        assertArrayEquals(free, step(Optimizer.sgd(1, 0).clip(norm)));
    }

    private static double norm() {
        Model model = model(Head.of(7, 3), 1);
        model.forward(batch(1));
        model.backward();
        return model.gradientNorm();
    }

    /** W_v after one step. */
    private static double[] step(Optimizer optimizer) {
        Model model = model(Head.of(7, 3), 1);
        model.forward(batch(1));
        model.backward();
        optimizer.on(model).next();
        return model.parameter("W_v").value;
    }

    /** Steps 1, 2, 3, 4 of a warm-up of 3 have η/3, 2η/3, η, η; the gradient stays, so each step moves by its rate. */
    @Test
    void warmUpAndOwnRates() {
        Model model = model(Head.of(7, 3), 1);
        model.forward(batch(1));
        model.backward();
        Optimizer.Steps steps = Optimizer.sgd(0.3, 0).warmUp(3).rateOf("W_q", 10).rateOf("W_k", 0).on(model);
        double q = model.parameter("W_q").value[0];
        double k = model.parameter("W_k").value[0];
        double v = model.parameter("W_v").value[0];
        double moved = 0;
        for (double rate : new double[] {0.1, 0.2, 0.3, 0.3}) {
            steps.next();
            moved += rate;
            assertEquals(v - moved * model.parameter("W_v").gradient[0], model.parameter("W_v").value[0], 1e-15);
            assertEquals(q - 10 * moved * model.parameter("W_q").gradient[0], model.parameter("W_q").value[0], 1e-15);
            assertEquals(k, model.parameter("W_k").value[0]);
        }
    }

    @Test
    void names() {
        assertEquals("SGD, rate 0.1", Optimizer.sgd(0.1, 0).toString());
        assertEquals("SGD (momentum 0.9), rate 1.0, times {W_k=2.0, W_q=3.0}, clipped at 1.0, warm-up 5",
                Optimizer.sgd(0.1, 0.9).warmUp(5).clip(1).rateOf("W_q", 3).rateOf("W_k", 2).rate(1).toString());
        assertEquals(0.25, Optimizer.muon(0.25).rate());
    }

    @Test
    void badInput() {
        assertMessage("rate is 0.0: it must be finite and above 0", () -> Optimizer.adafactor(0));
        assertMessage("rate is NaN: it must be finite and above 0", () -> Optimizer.muon(Double.NaN));
        assertMessage("momentum is 1.0: it must be at least 0 and below 1", () -> Optimizer.sgd(1, 1));
        assertMessage("beta1 is -0.1: it must be at least 0 and below 1", () -> Optimizer.adam(1, -0.1, 0.9, 0));
        assertMessage("beta2 is 1.0: it must be at least 0 and below 1", () -> Optimizer.adam(1, 0.9, 1, 0));
        assertMessage("epsilon is -1.0: it must be finite and at least 0", () -> Optimizer.adam(1, 0.9, 0.9, -1));
        Optimizer adam = Optimizer.adam(1);
        assertMessage("maxNorm is 0.0: it must be finite and above 0", () -> adam.clip(0));
        assertMessage("steps is -1: it must be at least 0", () -> adam.warmUp(-1));
        assertMessage("factor is -1.0: it must be finite and at least 0", () -> adam.rateOf("W_q", -1));
        assertMessage("parameter is null", () -> adam.rateOf(null, 1));
        assertMessage("model is null", () -> adam.on(null));
        assertMessage("there is no parameter Wq: this model has E, W_q, W_k, W_v, W_o, b",
                () -> adam.rateOf("Wq", 1).on(model(Head.of(7, 3), 1)));
    }
}
