import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import rootdk.attention.Scale;
import rootdk.training.Head;
import rootdk.training.Optimizer;
import rootdk.training.Run;
import rootdk.training.Sweep;
import rootdk.training.Task;
import rootdk.training.Training;

/**
 * The sweeps of chapter 5: the final loss of a head with d_model = 16 after 200 steps of 8 sequences, for two tasks, two optimisers,
 * three head sizes, four scales, seven learning rates and five seeds. From the project's folder, after {@code make}:
 * <pre>
 * java -cp "lib/target/rootdk.jar:lib/target/dependency/*" notebooks/data/LearningRates.java notebooks/data/learning-rates.csv
 * </pre>
 * Takes about four minutes of processor time. All depends on seeds, so the file comes out the same, byte by byte.
 */
public final class LearningRates {
    private static final double[] ADAM = {0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3};
    private static final double[] SGD = {0.01, 0.03, 0.1, 0.3, 1, 3, 10};
    private static final int SEEDS = 5;

    private final StringBuilder csv = new StringBuilder("task,optimizer,d_k,scale,rate,seed0,seed1,seed2,seed3,seed4\n");

    /**
     * Runs the sweeps and writes the file, whole or not at all.
     *
     * @param arguments the file to write
     * @throws IOException if it cannot be written
     */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 1) {
            System.err.println("Name the file to write: LearningRates.java notebooks/data/learning-rates.csv");
            System.exit(2);
        }
        LearningRates all = new LearningRates();
        for (int dK : new int[] {16, 64, 256}) {
            all.sweep("recall", Task.recall(16, 8, 8, 8), dK, "adam", Optimizer.adam(1), ADAM);
            all.sweep("recall", Task.recall(16, 8, 8, 8), dK, "sgd", Optimizer.sgd(1, 0), SGD);
            all.sweep("majority", Task.majority(4, 4, 5), dK, "adam", Optimizer.adam(1), ADAM);
            all.sweep("majority", Task.majority(4, 4, 5), dK, "sgd", Optimizer.sgd(1, 0), SGD);
        }
        Path draft = Path.of(arguments[0] + ".draft");
        Files.write(draft, all.csv.toString().getBytes(StandardCharsets.UTF_8));
        Files.move(draft, Path.of(arguments[0]), StandardCopyOption.REPLACE_EXISTING);
    }

    private void sweep(String name, Task task, int dK, String optimizerName, Optimizer optimizer, double[] rates) {
        Training training = Training.of(task, Head.of(16, dK), optimizer).batch(8).steps(200);
        Map<String, Training> scales = new LinkedHashMap<>();
        scales.put("none", training);
        scales.put("sqrt", training.head(Head.of(16, dK).dividedBy(Scale.sqrt(dK))));
        scales.put("dk", training.head(Head.of(16, dK).dividedBy(dK)));
        scales.put("folded", training.head(Head.of(16, dK).folded(Scale.sqrt(dK))));
        String what = name + ", " + optimizerName + ", d_k " + dK;
        Sweep sweep = Sweep.of(scales, rates, SEEDS, (done, total) -> {
            if (done % 20 == 0) {
                System.out.println(what + ": " + done + " of " + total + " runs");
            }
        });
        scales.forEach((scale, each) -> {
            for (double rate : rates) {
                csv.append(name).append(',').append(optimizerName).append(',').append(dK).append(',').append(scale).append(',')
                        .append(BigDecimal.valueOf(rate).stripTrailingZeros().toPlainString());
                sweep.runs(scale, rate).stream().mapToDouble(Run::finalLoss).forEach(loss -> csv.append(',').append(rounded(loss)));
                csv.append('\n');
            }
        });
    }

    /** Four digits, with an exponent if the loss is huge; Infinity for a run that diverged. */
    private static String rounded(double loss) {
        if (!Double.isFinite(loss)) {
            return "Infinity";
        }
        BigDecimal four = new BigDecimal(loss).round(new MathContext(4));
        return loss < 1e6 ? four.toPlainString() : four.toString();
    }
}
