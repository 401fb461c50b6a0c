package rootdk.chart;

import java.awt.geom.Rectangle2D;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** What all single figures have in common: labels, ranges, size, and the way from a drawing to bytes. */
abstract class Plot<T extends Plot<T>> implements Figure {

    /** A description longer than this is cut between series. */
    static final int LONG = 600;

    final String title;
    String xLabel = "";
    String yLabel = "";
    double[] xRange;
    double[] yRange;
    int width;
    int height;

    Plot(String title) {
        this.title = Objects.requireNonNull(title, "title is null: use \"\" for a figure without one");
    }

    abstract T self();

    /**
     * Labels the horizontal axis. Changes this figure.
     *
     * @param label quantity and unit, e.g. {@code "temperature T"}; empty for none
     * @return this figure
     */
    public T x(String label) {
        xLabel = Objects.requireNonNull(label, "the x label is null: use \"\" for none");
        return self();
    }

    /**
     * Labels the vertical axis. Changes this figure.
     *
     * @param label quantity and unit, e.g. {@code "entropy in nats"}; empty for none
     * @return this figure
     */
    public T y(String label) {
        yLabel = Objects.requireNonNull(label, "the y label is null: use \"\" for none");
        return self();
    }

    /**
     * Sets the figure's size; without, it is chosen to fit a page of text. Changes this figure.
     *
     * @param width in px, 200 to 2000
     * @param height in px, 150 to 2000
     * @return this figure
     * @throws IllegalArgumentException if the size is out of these bounds
     */
    public T size(int width, int height) {
        if (width < 200 || width > 2000 || height < 150 || height > 2000) {
            throw new IllegalArgumentException(
                    "size " + width + " × " + height + " px: width must be 200 to 2000, height 150 to 2000");
        }
        this.width = width;
        this.height = height;
        return self();
    }

    static double[] range(String axis, double from, double to, boolean log) {
        if (!(from < to) || Double.isInfinite(from) || Double.isInfinite(to)) {
            throw new IllegalArgumentException(axis + " range " + from + " to " + to + ": from must be less than to, both finite");
        }
        if (Axis.same(from, to)) {
            throw new IllegalArgumentException(
                    axis + " range " + from + " to " + to + ": the ends are too close to be told apart, set them wider");
        }
        if (log && from <= 0) {
            throw new IllegalArgumentException(
                    axis + " range " + from + " to " + to + " on a logarithmic axis: from must be greater than 0");
        }
        return new double[] {from, to};
    }

    /** Throws unless there is something to draw. */
    abstract void requireContent();

    /** Width and height when {@link #size} was not called, in px. */
    abstract int[] naturalSize();

    /**
     * Draws everything within {@code area}, in px.
     *
     * @param lowest where the plot begins at the earliest
     * @return where it begins
     */
    abstract double draw(Sketch g, Rectangle2D area, double lowest);

    /** Kind and title, axes, then one clause for each series. */
    abstract List<String> clauses();

    /** Everything plotted, as text. */
    abstract void digest(Digest digest);

    final int[] size() {
        return width > 0 ? new int[] {width, height} : naturalSize();
    }

    private Sketch sketch() {
        requireContent();
        Type.font();
        int[] size = size();
        Sketch sketch = new Sketch(size[0], size[1]);
        draw(sketch, new Rectangle2D.Double(0, 0, size[0], size[1]), 0);
        return sketch;
    }

    @Override
    public final String svg() {
        return Svg.of(sketch(), title);
    }

    @Override
    public final byte[] png() {
        return Png.of(sketch());
    }

    @Override
    public final String description() {
        requireContent();
        return joined(clauses(), LONG);
    }

    /** The first clauses that fit into {@code limit} characters, and how many more there are. */
    static String joined(List<String> clauses, int limit) {
        StringBuilder s = new StringBuilder(clauses.get(0));
        for (int i = 1; i < clauses.size(); i++) {
            if (s.length() + clauses.get(i).length() > limit) {
                int left = clauses.size() - i;
                return s.append(" And ").append(left).append(" more.").toString();
            }
            s.append(' ').append(clauses.get(i));
        }
        return s.toString();
    }

    @Override
    public final String digest() {
        requireContent();
        Digest digest = new Digest();
        digest.add(getClass().getSimpleName(), title, xLabel, yLabel);
        digest(digest);
        digest.addIf(width > 0, "size", width + " × " + height);
        addRange(digest, "xRange", xRange);
        addRange(digest, "yRange", yRange);
        return digest.value();
    }

    private static void addRange(Digest digest, String name, double[] range) {
        if (range != null) {
            digest.add(name);
            digest.add(range);
        }
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + " '" + title + "'";
    }

    /** "x: temperature T (log), 0.1 to 100"; without a label "x (log): 0.1 to 100" */
    static String axis(String name, String label, boolean log, double from, double to) {
        String scale = log ? " (log)" : "";
        int digits = Numbers.digits(from, to);
        return name + (label.isEmpty() ? scale + ": " : ": " + label + scale + ", ")
                + Numbers.shortest(from, digits) + " to " + Numbers.shortest(to, digits);
    }

    static String head(String kind, String title) {
        return title.isBlank() ? kind + "." : kind + ": " + title + (title.matches(".*[.!?]$") ? "" : ".");
    }

    static double[] copy(String what, double[] values) {
        Objects.requireNonNull(values, what + " is null");
        if (values.length == 0) {
            throw new IllegalArgumentException(what + " is empty: a series needs at least one value");
        }
        return values.clone();
    }

    static void requireSame(String series, String a, int sizeA, String b, int sizeB) {
        if (sizeA != sizeB) {
            throw new IllegalArgumentException(String.format(Locale.ROOT,
                    "%s: %s has %d values, %s has %d: give both the same number", series, a, sizeA, b, sizeB));
        }
    }

    /** Copies names, none of them null. */
    static List<String> names(String what, String... names) {
        Objects.requireNonNull(names, what + " are null: leave the call out");
        for (int i = 0; i < names.length; i++) {
            Objects.requireNonNull(names[i], what + ": name " + i + " is null: use \"\" for none");
        }
        return List.of(names);
    }

    static void requireName(String name) {
        if (name == null || name.isBlank()) {
            throw new IllegalArgumentException("a series needs a name: the legend and the description use it");
        }
    }

    /** A hash over labels and rounded numbers. */
    static final class Digest {
        private final MessageDigest sha;

        Digest() {
            try {
                sha = MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java has SHA-256", e);
            }
        }

        void add(String... parts) {
            for (String part : parts) {
                sha.update((part + '\n').getBytes(StandardCharsets.UTF_8));
            }
        }

        /** What is at its default is not hashed. */
        void addIf(boolean set, String... parts) {
            if (set) {
                add(parts);
            }
        }

        void add(double... values) {
            double largest = 0;
            for (double v : values) {
                largest = Double.isFinite(v) ? Math.max(largest, Math.abs(v)) : largest;
            }
            for (double v : values) {
                // what is nothing beside the largest value is the rounding error of a 0
                add(Numbers.hashed(Math.abs(v) < 1e-12 * largest ? 0 : v));
            }
            add("");
        }

        String value() {
            return HexFormat.of().formatHex(sha.digest()).substring(0, 12);
        }
    }
}
