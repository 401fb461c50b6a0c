package rootdk.training;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import rootdk.backend.Backend;

/**
 * How gradients change parameters: SGD, Adam, Adafactor or Muon, with a learning rate η, and if wanted one of its own for a
 * parameter ({@link #rateOf}), a bound on the gradient's norm ({@link #clip}) and a warm-up ({@link #warmUp}). This is the
 * description, which is immutable: each step returns a new instance. Training begins with {@link #on}, whose result holds the state:
 * <pre>
 * Optimizer.Steps steps = Optimizer.adam(0.01).warmUp(20).on(model);
 * for (int t = 0; t &lt; 300; t++) {
 *     double loss = model.forward(batch.draw(draws));
 *     model.backward();
 *     steps.next();
 * }
 * </pre>
 * NaN or ∞ in a gradient goes into the parameters: a run that diverges is seen to diverge.
 */
public final class Optimizer {
    private final String name;
    private final BiFunction<Parameter, Backend, Rule> rule;
    private final double rate;
    private final Map<String, Double> factors;
    private final double maxNorm; // +∞: no clipping
    private final int warmUp; // 0: none

    private Optimizer(String name, BiFunction<Parameter, Backend, Rule> rule, double rate, Map<String, Double> factors,
            double maxNorm, int warmUp) {
        this.name = name;
        this.rule = rule;
        this.rate = Checks.positive("rate", rate);
        this.factors = factors;
        this.maxNorm = maxNorm;
        this.warmUp = warmUp;
    }

    private static Optimizer of(String name, double rate, BiFunction<Parameter, Backend, Rule> rule) {
        return new Optimizer(name, rule, rate, Map.of(), Double.POSITIVE_INFINITY, 0);
    }

    /**
     * Stochastic gradient descent with momentum: v ← μ v + g, w ← w − η v. Polyak's heavy ball, as in PyTorch; there is no 1 − μ.
     *
     * @param rate η, finite and above 0
     * @param momentum μ, in [0, 1); 0 for none
     * @return the optimiser
     * @throws IllegalArgumentException if a number is outside its range
     */
    public static Optimizer sgd(double rate, double momentum) {
        Checks.decay("momentum", momentum);
        return of(momentum == 0 ? "SGD" : "SGD (momentum " + momentum + ")", rate, (w, backend) -> new Rule.Sgd(w, momentum));
    }

    /**
     * Adam with its published β1 = 0.9, β2 = 0.999 and ε = 10⁻⁸.
     *
     * @param rate η, finite and above 0
     * @return the optimiser
     * @throws IllegalArgumentException if the rate is not finite and above 0
     */
    public static Optimizer adam(double rate) {
        return adam(rate, 0.9, 0.999, 1e-8);
    }

    /**
     * Adam: m ← β1 m + (1 − β1) g, v ← β2 v + (1 − β2) g², w ← w − η m̂ / (√v̂ + ε) with m̂ = m / (1 − β1^t) and v̂ = v / (1 − β2^t).
     * With ε = 0 the step does not depend on the gradient's size; an entry that never had a gradient then stays.
     *
     * <p>Source: Kingma &amp; Ba 2015, "Adam: A Method for Stochastic Optimization", algorithm 1.
     *
     * @param rate η, finite and above 0
     * @param beta1 in [0, 1)
     * @param beta2 in [0, 1)
     * @param epsilon ε, finite and at least 0
     * @return the optimiser
     * @throws IllegalArgumentException if a number is outside its range
     */
    public static Optimizer adam(double rate, double beta1, double beta2, double epsilon) {
        Checks.decay("beta1", beta1);
        Checks.decay("beta2", beta2);
        if (!(epsilon >= 0) || epsilon == Double.POSITIVE_INFINITY) {
            throw new IllegalArgumentException("epsilon is " + epsilon + ": it must be finite and at least 0");
        }
        return of("Adam", rate, (w, backend) -> new Rule.Adam(w, beta1, beta2, epsilon));
    }

    /**
     * Adafactor with parameter scaling and without momentum: the step is <em>relative</em> to the parameter's own root mean square,
     * W ← W − max(10⁻³, RMS(W)) · min(η, 1/√t) · Û. There Û is g / √v̂, divided by its own root mean square if that is above 1, and
     * v̂ comes from decaying means over the rows and the columns of g². So a matrix multiplied by a constant c, with its gradient
     * divided by c, gets the same step multiplied by c. Vectors keep the whole v̂.
     *
     * <p>Source: Shazeer &amp; Stern 2018, "Adafactor: Adaptive Learning Rates with Sublinear Memory Cost", with its ε1 = 10⁻³⁰,
     * ε2 = 10⁻³, clipping threshold 1 and decay 1 − t^−0.8; its η is 0.01.
     *
     * @param rate η, the relative step, finite and above 0
     * @return the optimiser
     * @throws IllegalArgumentException if the rate is not finite and above 0
     */
    public static Optimizer adafactor(double rate) {
        return of("Adafactor", rate, (w, backend) -> new Rule.Adafactor(w));
    }

    /**
     * Muon for W_q, W_k and W_v: M ← 0.95 M + G, U = {@link NewtonSchulz}(G + 0.95 M), W ← W − η · 0.2·√max(rows, columns) · U. It
     * is the update that is made nearly orthogonal, never the weights. The factor gives entries of the update a root mean square of
     * about 0.2, as Adam's often have, so one rate suits both: all other parameters (embeddings, output layer, vectors) go by
     * {@link #adam(double)} at the same rate, as its authors advise.
     *
     * <p>Sources: Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks"; the factor from Liu et al. 2025,
     * "Muon is Scalable for LLM Training", arXiv 2502.16982.
     *
     * @param rate η, finite and above 0
     * @return the optimiser
     * @throws IllegalArgumentException if the rate is not finite and above 0
     */
    public static Optimizer muon(double rate) {
        return of("Muon", rate, (w, backend) -> w.hidden ? new Rule.Muon(w, backend) : new Rule.Adam(w, 0.9, 0.999, 1e-8));
    }

    /**
     * The same with another learning rate.
     *
     * @param eta η, finite and above 0
     * @return this optimiser at that rate
     * @throws IllegalArgumentException if the rate is not finite and above 0
     */
    public Optimizer rate(double eta) {
        return new Optimizer(name, rule, eta, factors, maxNorm, warmUp);
    }

    /**
     * One parameter's learning rate, as a multiple of the others': for example {@code rateOf("W_q", dK)} under SGD makes a head divided
     * by √dK train as one folded by √dK.
     *
     * @param parameter its name
     * @param factor what η is multiplied by, finite and at least 0; 0 freezes it
     * @return this optimiser with that factor
     * @throws IllegalArgumentException if the factor is not finite or negative; an unknown name is found by {@link #on}
     */
    public Optimizer rateOf(String parameter, double factor) {
        Checks.notNull("parameter", parameter);
        if (!(factor >= 0) || factor == Double.POSITIVE_INFINITY) {
            throw new IllegalArgumentException("factor is " + factor + ": it must be finite and at least 0");
        }
        Map<String, Double> all = new TreeMap<>(factors);
        all.put(parameter, factor);
        return new Optimizer(name, rule, rate, all, maxNorm, warmUp);
    }

    /**
     * Clipping by the global norm: before each step, gradients whose norm over all parameters exceeds maxNorm are multiplied by
     * maxNorm / norm.
     *
     * <p>Source: Pascanu, Mikolov &amp; Bengio 2013, "On the difficulty of training recurrent neural networks".
     *
     * @param maxNorm finite and above 0
     * @return this optimiser with clipping
     * @throws IllegalArgumentException if maxNorm is not finite and above 0
     */
    public Optimizer clip(double maxNorm) {
        return new Optimizer(name, rule, rate, factors, Checks.positive("maxNorm", maxNorm), warmUp);
    }

    /**
     * Linear warm-up: step t = 1, 2, … has the rate η·min(1, t / steps).
     *
     * @param steps at least 0; 0 or 1 for none
     * @return this optimiser with warm-up
     * @throws IllegalArgumentException if steps is negative
     */
    public Optimizer warmUp(int steps) {
        return new Optimizer(name, rule, rate, factors, maxNorm, Checks.atLeast(0, "steps", steps));
    }

    /**
     * The learning rate.
     *
     * @return η
     */
    public double rate() {
        return rate;
    }

    /**
     * Begins with a model; Muon's products go to the model's backend.
     *
     * @param model whose parameters the steps will change
     * @return the optimiser's state before its first step
     * @throws IllegalArgumentException if {@link #rateOf} names a parameter that the model does not have
     */
    public Steps on(Model model) {
        Checks.notNull("model", model);
        factors.keySet().forEach(model::parameter);
        return new Steps(model);
    }

    /** An optimiser at work on a model: its momenta and its count of steps. Not thread-safe. */
    public final class Steps {
        private final Model model;
        private final List<Parameter> parameters;
        private final Rule[] rules;
        private final double[] factor;
        private int t;

        private Steps(Model model) {
            this.model = model;
            this.parameters = model.parameters();
            this.rules = parameters.stream().map(parameter -> rule.apply(parameter, model.backend())).toArray(Rule[]::new);
            this.factor = parameters.stream().mapToDouble(parameter -> factors.getOrDefault(parameter.name, 1.0)).toArray();
        }

        /**
         * One step by the gradients of the last {@link Model#backward}, which clipping scales in place. O(parameters), for Muon also
         * the products of {@link NewtonSchulz}.
         */
        public void next() {
            t++;
            if (maxNorm != Double.POSITIVE_INFINITY) {
                double norm = model.gradientNorm();
                if (norm > maxNorm) {
                    for (Parameter parameter : parameters) {
                        parameter.multiplyGradientBy(maxNorm / norm);
                    }
                }
            }
            double now = rate * Math.min(1, (double) t / Math.max(1, warmUp));
            for (int i = 0; i < rules.length; i++) {
                rules[i].step(now * factor[i]);
            }
        }
    }

    /** Name, rate and settings. */
    @Override
    public String toString() {
        return name + ", rate " + rate + (factors.isEmpty() ? "" : ", times " + factors)
                + (maxNorm == Double.POSITIVE_INFINITY ? "" : ", clipped at " + maxNorm) + (warmUp > 1 ? ", warm-up " + warmUp : "");
    }
}
