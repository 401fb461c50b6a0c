package rootdk.training;

import java.util.Locale;
import java.util.Map;

/**
 * How a training went, one number for each step, taken before the step changed the parameters. A run whose loss became NaN or ∞ has
 * <em>diverged</em>: that is a result, not an error. The loss is there as it was, and everything after it is NaN.
 *
 * @param losses the loss on the step's batch, in nats. As every batch is new, this is also the loss on sequences not seen before
 * @param entropies the mean entropy of the rows of weights, in nats
 * @param maxLogits the largest logit of the batch
 * @param divisors what scores were divided by: τ, if it is learned
 * @param gradientNorms ‖∂L/∂parameter‖_F by the parameter's name, before clipping
 * @param clips in how many steps QK-Clip was at work
 */
public record Run(double[] losses, double[] entropies, double[] maxLogits, double[] divisors, Map<String, double[]> gradientNorms,
        int clips) {

    /**
     * The parts as given; {@link Training#run} makes them.
     *
     * @param losses one for each step, at least one; not copied
     * @param entropies one for each step; not copied
     * @param maxLogits one for each step; not copied
     * @param divisors one for each step; not copied
     * @param gradientNorms one for each step, by the parameter's name; not copied
     * @param clips a number of steps
     * @throws IllegalArgumentException if there is no step, or an array has another length than losses
     */
    public Run {
        Checks.atLeast(1, "losses.length", Checks.notNull("losses", losses).length);
        requireLength("entropies", entropies, losses.length);
        requireLength("maxLogits", maxLogits, losses.length);
        requireLength("divisors", divisors, losses.length);
        for (Map.Entry<String, double[]> norms : Checks.notNull("gradientNorms", gradientNorms).entrySet()) {
            requireLength("gradientNorms[" + norms.getKey() + "]", norms.getValue(), losses.length);
        }
    }

    private static void requireLength(String name, double[] values, int steps) {
        if (Checks.notNull(name, values).length != steps) {
            throw new IllegalArgumentException(name + " has " + values.length + " numbers, losses has " + steps
                    + ": both must have one for each step");
        }
    }

    /**
     * The mean loss of the last tenth of the steps, at least one.
     *
     * @return the loss in nats; +∞ if the run diverged
     */
    public double finalLoss() {
        if (diverged()) {
            return Double.POSITIVE_INFINITY;
        }
        int last = Math.max(1, losses.length / 10);
        double sum = 0;
        for (int t = losses.length - last; t < losses.length; t++) {
            sum += losses[t];
        }
        return sum / last;
    }

    /**
     * Whether the loss became NaN or ∞.
     *
     * @return true if the run stopped before its last step was done
     */
    public boolean diverged() {
        return !Double.isFinite(losses[losses.length - 1]);
    }

    /**
     * The norms of one parameter's gradient, one for each step.
     *
     * @param parameter its name, such as W_q
     * @return the norms, not a copy
     * @throws IllegalArgumentException if the model had no such parameter
     */
    public double[] gradientNorms(String parameter) {
        double[] norms = gradientNorms.get(parameter);
        if (norms == null) {
            throw new IllegalArgumentException("there is no parameter " + parameter + ": this model had "
                    + String.join(", ", gradientNorms.keySet()));
        }
        return norms;
    }

    /** First and final loss; the numbers would fill pages. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%d steps, loss %.4g %s", losses.length, losses[0],
                diverged() ? "and then diverged" : String.format(Locale.ROOT, "to %.4g", finalLoss()));
    }
}
