import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import rootdk.backend.Backend;
import rootdk.stats.Draws;

/**
 * Writes additive.csv, beside this file: what the scores of all pairs of N queries and N keys take, in milliseconds of one thread's
 * processor time. Each is the median of at least five runs; the three ways take turns, so that whatever else the machine does meets all
 * alike. The lines of other JDKs are kept. From the project's folder, after {@code make}:
 * <pre>
 * java -cp "lib/target/rootdk.jar:lib/target/dependency/*" notebooks/data/Additive.java
 * </pre>
 * Takes some minutes. Queries and keys are projected already: W q and U k for additive attention, q and k for the dot product.
 */
class Additive {
    private static final double SECONDS = 2; // for each way and each size, after as long to get warm

    private final int n;
    private final int d;
    private final double[] q; // n × d
    private final double[] k; // n × d
    private final double[] transposed; // d × n, of k
    private final double[] v; // d
    private final double[] scores; // n × n

    private Additive(int n, int d) {
        this.n = n;
        this.d = d;
        Draws draws = Draws.of(1);
        q = draws.gaussians(n * d);
        k = draws.gaussians(n * d);
        v = draws.gaussians(d);
        transposed = new double[d * n];
        for (int j = 0; j < n; j++) {
            for (int t = 0; t < d; t++) {
                transposed[t * n + j] = k[j * d + t];
            }
        }
        scores = new double[n * n];
    }

    public static void main(String[] arguments) throws IOException {
        Path file = Path.of("notebooks", "data", "additive.csv");
        String jdk = "," + System.getProperty("java.vm.version") + ",";
        String about = machine() + jdk + LocalDate.now();
        List<String> lines = new ArrayList<>(List.of("score,n,d,milliseconds,machine,jdk,date"));
        if (Files.exists(file)) {
            Files.readAllLines(file).stream().skip(1).filter(line -> !line.contains(jdk)).forEach(lines::add);
        }
        for (int n : new int[] {64, 256, 1024}) {
            for (int d : new int[] {16, 64, 256}) {
                new Additive(n, d).medians().forEach((score, seconds) -> lines.add(score + "," + n + "," + d + ","
                        + new BigDecimal(1000 * seconds).round(new MathContext(3)).toPlainString() + "," + about));
                System.out.println("N = " + n + ", d = " + d + ": done");
            }
        }
        Files.write(file, lines);
    }

    private Map<String, Double> medians() {
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        Map<String, Runnable> ways = new LinkedHashMap<>();
        ways.put("additive", this::additive);
        ways.put("dot product", this::dotProducts);
        ways.put("matrix product", this::matrixProduct);
        Map<String, List<Double>> times = new LinkedHashMap<>();
        for (boolean warm : new boolean[] {false, true}) {
            ways.keySet().forEach(way -> times.put(way, new ArrayList<>()));
            long start = System.nanoTime();
            while (System.nanoTime() - start < SECONDS * ways.size() * 1e9 || warm && times.get("additive").size() < 5) {
                ways.forEach((way, run) -> {
                    long before = clock.getCurrentThreadCpuTime();
                    run.run();
                    times.get(way).add((clock.getCurrentThreadCpuTime() - before) / 1e9);
                });
            }
        }
        Map<String, Double> medians = new LinkedHashMap<>();
        times.forEach((way, all) -> medians.put(way, all.stream().mapToDouble(x -> x).sorted().toArray()[all.size() / 2]));
        return medians;
    }

    /** s_ij = vᵀ tanh(q_i + k_j). */
    private void additive() {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int t = 0; t < d; t++) {
                    sum += v[t] * Math.tanh(q[i * d + t] + k[j * d + t]);
                }
                scores[i * n + j] = sum;
            }
        }
    }

    /** s_ij = q_i · k_j, pair by pair. */
    private void dotProducts() {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int t = 0; t < d; t++) {
                    sum += q[i * d + t] * k[j * d + t];
                }
                scores[i * n + j] = sum;
            }
        }
    }

    /** The same as one matrix product, S = Q Kᵀ. */
    private void matrixProduct() {
        Backend.plain().multiply(n, n, d, q, 0, d, 1, transposed, 0, n, scores, 0, n, false);
    }

    /** What the operating system calls the processor. */
    private static String machine() throws IOException {
        Path told = Path.of("/proc/cpuinfo"); // on Linux
        String name = !Files.exists(told) ? System.getProperty("os.arch") : Files.readAllLines(told).stream()
                .filter(line -> line.startsWith("model name")).map(line -> line.replaceFirst(".*: ", "")).findFirst().orElse("?");
        return name.replace(",", "");
    }
}
