package rootdk.bench;

import java.util.Arrays;
import java.util.Locale;
import org.ejml.simple.SimpleMatrix;
import rootdk.attention.Scale;

/**
 * One length of the table of times and memory over N. Arguments: N and the backend. Prints the median seconds of a forward pass,
 * warm, and the largest error of eight rows of its output. The heap is what the caller's -Xmx allows.
 */
public final class AttentionScaling {
    private static final int D = Inputs.D;
    private static final double WARM_UP_SECONDS = 3;

    private AttentionScaling() { }

    /** @param arguments N and backend */
    public static void main(String[] arguments) {
        int n = Integer.parseInt(arguments[0]);
        Inputs small = new Inputs(1024, arguments[1]);
        long start = System.nanoTime();
        while (seconds(start) < WARM_UP_SECONDS) {
            small.forward();
        }
        Inputs inputs = new Inputs(n, arguments[1]);
        SimpleMatrix output = null;
        double[] times = {};
        while (Arrays.stream(times).sum() < 1) {
            output = null; // lets it go before there is another
            start = System.nanoTime();
            output = inputs.forward().output();
            times = Arrays.copyOf(times, times.length + 1);
            times[times.length - 1] = seconds(start);
        }
        double error = 0;
        for (int sample = 0; sample < 8; sample++) {
            int i = (int) ((long) sample * (n - 1) / 7);
            error = Math.max(error, error(inputs, i, output));
        }
        Arrays.sort(times);
        System.out.printf(Locale.ROOT, "%.6g %.3g%n", times[times.length / 2], error);
    }

    private static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    /** The largest error of row i of the output, against the row by its definition, one number after the other. */
    private static double error(Inputs inputs, int i, SimpleMatrix output) {
        double[] row = new double[D];
        double sum = 0;
        for (int j = 0; j < inputs.k.getNumRows(); j++) {
            double score = 0;
            for (int t = 0; t < D; t++) {
                score += inputs.q.get(i, t) * inputs.k.get(j, t);
            }
            double weight = StrictMath.exp(score / Scale.sqrt(D)); // the logits are standard normal: no overflow
            sum += weight;
            for (int t = 0; t < D; t++) {
                row[t] += weight * inputs.v.get(j, t);
            }
        }
        double error = 0;
        for (int t = 0; t < D; t++) {
            error = Math.max(error, Math.abs(output.get(i, t) - row[t] / sum));
        }
        return error;
    }
}
