package rootdk.training;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import rootdk.backend.Backend;
import rootdk.stats.Draws;

/**
 * What a run is made of: a task, a head, an optimiser, and how long. Everything but the seed, which is given to {@link #run}: one
 * seed fixes the initial parameters and all batches, and equal seeds give heads with other settings the same batches.
 *
 * <p>Immutable: each step returns a new instance. 32 sequences in a batch and 300 steps, unless said otherwise.
 */
public final class Training {
    private final Task task;
    private final Head head;
    private final Optimizer optimizer;
    private final int batch;
    private final int steps;
    private final double qkClip; // +∞: none
    private final Backend backend;

    private Training(Task task, Head head, Optimizer optimizer, int batch, int steps, double qkClip, Backend backend) {
        this.task = Checks.notNull("task", task);
        this.head = Checks.notNull("head", head);
        this.optimizer = Checks.notNull("optimizer", optimizer);
        this.batch = Checks.atLeast(1, "batch", batch);
        this.steps = Checks.atLeast(1, "steps", steps);
        this.qkClip = qkClip;
        this.backend = Checks.notNull("backend", backend);
    }

    /**
     * A training with 32 sequences in a batch and 300 steps, on the plain backend.
     *
     * @param task what is learned
     * @param head the head that learns it
     * @param optimizer how
     * @return the training
     */
    public static Training of(Task task, Head head, Optimizer optimizer) {
        return new Training(task, head, optimizer, 32, 300, Double.POSITIVE_INFINITY, Backend.plain());
    }

    /**
     * The same with another head.
     *
     * @param other the head
     * @return a new training
     */
    public Training head(Head other) {
        return new Training(task, other, optimizer, batch, steps, qkClip, backend);
    }

    /**
     * The same with another optimiser.
     *
     * @param other the optimiser
     * @return a new training
     */
    public Training optimizer(Optimizer other) {
        return new Training(task, head, other, batch, steps, qkClip, backend);
    }

    /**
     * The same at another learning rate.
     *
     * @param rate finite and above 0
     * @return a new training
     * @throws IllegalArgumentException if the rate is not finite and above 0
     */
    public Training rate(double rate) {
        return optimizer(optimizer.rate(rate));
    }

    /**
     * The same with another batch size.
     *
     * @param sequences in a batch, at least 1
     * @return a new training
     * @throws IllegalArgumentException if there is none
     */
    public Training batch(int sequences) {
        return new Training(task, head, optimizer, sequences, steps, qkClip, backend);
    }

    /**
     * The same for another number of steps.
     *
     * @param count at least 1
     * @return a new training
     * @throws IllegalArgumentException if count is below 1
     */
    public Training steps(int count) {
        return new Training(task, head, optimizer, batch, count, qkClip, backend);
    }

    /**
     * The same with {@link Model#qkClip} after each step.
     *
     * @param threshold the largest logit to allow, finite and above 0: 100 in Kimi K2
     * @return a new training
     * @throws IllegalArgumentException if the threshold is not finite and above 0
     */
    public Training qkClip(double threshold) {
        return new Training(task, head, optimizer, batch, steps, Checks.positive("threshold", threshold), backend);
    }

    /**
     * The same on another backend: faster on the vector backend, with the same bits.
     *
     * @param other does the products of matrices
     * @return a new training
     */
    public Training backend(Backend other) {
        return new Training(task, head, optimizer, batch, steps, qkClip, other);
    }

    /**
     * The model that {@link #run} of this seed begins with.
     *
     * @param seed any number
     * @return a new model
     */
    public Model model(long seed) {
        return new Model(head, task, batch, 2 * seed, backend);
    }

    /**
     * Trains a new model.
     *
     * @param seed any number
     * @return how it went
     * @throws CancellationException if the thread is interrupted; its flag stays set
     */
    public Run run(long seed) {
        return train(model(seed), seed);
    }

    /**
     * Trains a given model, for looking at it afterwards: {@code Model model = training.model(1); training.train(model, 1)}. In each
     * step: a new batch, forward, what {@link Run} records of it, backward, the optimiser's step, QK-Clip. A loss that is NaN or ∞
     * ends the run before that step's backward.
     *
     * @param model modified, by whole steps
     * @param seed of the batches, any number
     * @return how it went
     * @throws IllegalArgumentException if the model has another task or batch size than this training
     * @throws CancellationException if the thread is interrupted, between two steps; its flag stays set
     */
    public Run train(Model model, long seed) {
        Draws draws = Draws.of(2 * seed + 1);
        Batch sequences = new Batch(task, batch);
        Optimizer.Steps optimizing = optimizer.on(model);
        double[] losses = undefined();
        double[] entropies = undefined();
        double[] maxLogits = undefined();
        double[] divisors = undefined();
        Map<String, double[]> norms = new LinkedHashMap<>();
        List<Parameter> parameters = model.parameters();
        parameters.forEach(parameter -> norms.put(parameter.name, undefined()));
        int clips = 0;
        for (int t = 0; t < steps; t++) {
            Checks.stopIfInterrupted("training was interrupted after " + t + " of " + steps + " steps");
            losses[t] = model.forward(sequences.draw(draws));
            entropies[t] = model.entropy();
            maxLogits[t] = model.maxLogit();
            divisors[t] = model.lastDivisor();
            if (!Double.isFinite(losses[t])) {
                break;
            }
            model.backward();
            for (Parameter parameter : parameters) {
                norms.get(parameter.name)[t] = parameter.gradientNorm();
            }
            optimizing.next();
            if (qkClip != Double.POSITIVE_INFINITY && model.qkClip(qkClip)) {
                clips++;
            }
        }
        return new Run(losses, entropies, maxLogits, divisors, norms, clips);
    }

    private double[] undefined() {
        double[] values = new double[steps];
        Arrays.fill(values, Double.NaN);
        return values;
    }

    /** Task, head, optimiser and length. */
    @Override
    public String toString() {
        return task + "; " + head + "; " + optimizer + "; " + steps + " steps of " + batch + " sequences"
                + (qkClip == Double.POSITIVE_INFINITY ? "" : "; QK-Clip at " + qkClip);
    }
}
