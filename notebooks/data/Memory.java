import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import rootdk.attention.Attention;
import rootdk.attention.Logits;
import rootdk.attention.TiledAttention;
import rootdk.stats.Draws;

/**
 * Writes memory.csv, beside this file: the smallest heap, in MiB, in which attention over N tokens runs (d = 64), plain and tiled. Each
 * try is a JVM of its own with -Xmx; the smallest size that works is found by halving an interval. Run it with
 * {@code java -cp "lib/target/rootdk.jar:lib/target/dependency/*" notebooks/data/Memory.java}; it takes some minutes.
 */
class Memory {
    private static final int D = 64;

    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length == 2) {
            attention(arguments[0], Integer.parseInt(arguments[1]));
            return;
        }
        List<String> lines = new ArrayList<>(List.of("kind,n,mebibytes"));
        for (int n : new int[] {512, 1024, 2048, 4096}) {
            lines.add(line("plain", n));
        }
        for (int n : new int[] {512, 1024, 2048, 4096, 8192, 16384}) {
            lines.add(line("tiled", n));
        }
        Files.write(Path.of("notebooks", "data", "memory.csv"), lines);
    }

    private static void attention(String kind, int n) {
        Draws draws = Draws.of(1);
        var Q = draws.gaussianMatrix(n, D);
        var K = draws.gaussianMatrix(n, D);
        var V = draws.gaussianMatrix(n, D);
        if (kind.equals("plain")) {
            Attention.forward(Q, K, V, Logits.dividedBy(8));
        } else {
            TiledAttention.forward(Q, K, V, Logits.dividedBy(8), 64);
        }
    }

    private static String line(String kind, int n) throws IOException, InterruptedException {
        int low = 2; // too small for any JVM
        int high = 4;
        while (!runs(kind, n, high)) {
            low = high;
            high *= 2;
        }
        while (high - low > Math.max(1, high / 50)) {
            int middle = (low + high) / 2;
            if (runs(kind, n, middle)) {
                high = middle;
            } else {
                low = middle;
            }
        }
        System.out.printf(Locale.ROOT, "%s attention, N = %d: %d MiB%n", kind, n, high);
        return kind + "," + n + "," + high;
    }

    private static boolean runs(String kind, int n, int mebibytes) throws IOException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classPath = System.getProperty("java.class.path") + File.pathSeparator + compiled();
        return new ProcessBuilder(java, "-XX:+UseSerialGC", "-Xmx" + mebibytes + "m", "-cp", classPath, "Memory", kind, "" + n)
                .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
    }

    private static Path classes;

    /** This file as classes: compiling it needs more heap than most of the tries have. */
    private static Path compiled() throws IOException, InterruptedException {
        if (classes == null) {
            classes = Files.createTempDirectory("memory");
            String javac = Path.of(System.getProperty("java.home"), "bin", "javac").toString();
            int status = new ProcessBuilder(javac, "-d", classes.toString(), "-cp", System.getProperty("java.class.path"),
                    Path.of("notebooks", "data", "Memory.java").toString()).inheritIO().start().waitFor();
            if (status != 0) {
                throw new IOException("Memory.java could not be compiled: run it in the project's folder");
            }
        }
        return classes;
    }
}
