package rootdk.golden;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringTokenizer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.ejml.simple.SimpleMatrix;

/**
 * One file of golden data: matrices by name, each a line {@code name rows columns} and then its rows. How they were computed is in
 * environment/peers/golden.py.
 */
public final class Golden {
    /** Absolute, and relative for numbers above 1. */
    private static final double TOLERANCE = 1e-12;

    private final String name;
    private final Map<String, SimpleMatrix> matrices = new LinkedHashMap<>();
    private final Set<String> unread;

    private Golden(String name, String text) {
        this.name = name;
        StringTokenizer words = new StringTokenizer(text.lines().filter(line -> !line.startsWith("#")).collect(Collectors.joining(" ")));
        while (words.hasMoreTokens()) {
            String key = words.nextToken();
            double[][] rows = new double[Integer.parseInt(words.nextToken())][Integer.parseInt(words.nextToken())];
            for (double[] row : rows) {
                for (int j = 0; j < row.length; j++) {
                    row[j] = Double.parseDouble(words.nextToken());
                }
            }
            matrices.put(key, new SimpleMatrix(rows));
        }
        unread = new HashSet<>(matrices.keySet());
    }

    private static Path folder() {
        try {
            return Path.of(Golden.class.getResource(".").toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    public static Golden of(String name) {
        try {
            return new Golden(name, Files.readString(folder().resolve(name + ".txt")));
        } catch (IOException e) {
            throw new AssertionError(name + ": no golden data", e);
        }
    }

    /** The names of all files that begin so. */
    public static List<String> names(String beginning) {
        try (Stream<Path> files = Files.list(folder())) {
            return files.map(file -> file.getFileName().toString()).filter(file -> file.startsWith(beginning) && file.endsWith(".txt"))
                    .map(file -> file.substring(0, file.length() - ".txt".length())).sorted().toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    public boolean has(String key) {
        return matrices.containsKey(key);
    }

    public SimpleMatrix matrix(String key) {
        unread.remove(key);
        assertTrue(has(key), name + " has no " + key);
        return matrices.get(key);
    }

    public double number(String key) {
        return matrix(key).get(0, 0);
    }

    public double[] numbers(String key) {
        return matrix(key).getDDRM().getData();
    }

    public void agrees(String key, double... actual) {
        agrees(key, new SimpleMatrix(1, actual.length, true, actual));
    }

    public void agrees(String key, SimpleMatrix actual) {
        SimpleMatrix expected = matrix(key);
        assertEquals(expected.getNumRows(), actual.getNumRows(), name + ", " + key + ", rows");
        assertEquals(expected.getNumCols(), actual.getNumCols(), name + ", " + key + ", columns");
        for (int i = 0; i < expected.getNumRows(); i++) {
            for (int j = 0; j < expected.getNumCols(); j++) {
                double e = expected.get(i, j);
                double scale = Double.isFinite(e) ? Math.max(1, Math.abs(e)) : 0; // NaN and ±∞ must be met exactly
                assertEquals(e, actual.get(i, j), TOLERANCE * scale, name + ", " + key + ", row " + i + ", column " + j);
            }
        }
    }

    /** What no test has looked at would pass whatever it holds. */
    public void assertAllWasRead() {
        assertTrue(unread.isEmpty(), name + ": not compared with anything: " + unread);
    }
}
