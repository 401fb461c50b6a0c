package rootdk.notebook;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.ejml.simple.SimpleMatrix;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.internal.chartpart.Chart;
import rootdk.attention.Attention;
import rootdk.attention.QkNorm;
import rootdk.attention.TiledAttention;
import rootdk.chart.Figure;
import rootdk.stats.Histogram;
import rootdk.stats.Moments;
import tech.tablesaw.api.Table;

/** What a notebook shows for a value: for each type and each MIME type, a function to text (base64 for an image). */
final class Renderers {

    static final String TEXT = "text/plain";
    static final String HTML = "text/html";
    static final String PNG = "image/png";

    /** The types in order: the first that a value is an instance of is taken. */
    private static final Map<Class<?>, Map<String, Function<Object, String>>> BY_TYPE = new LinkedHashMap<>();

    static {
        grid(SimpleMatrix.class, m -> MatrixView.of(m).grid());
        grid(MatrixView.class, MatrixView::grid);
        grid(double[][].class, a -> MatrixView.of(rectangle(a)).grid());
        grid(Table.class, Tables::grid);
        grids(Attention.class, Results::attention);
        grids(Attention.Gradients.class, Results::gradients);
        grid(TiledAttention.class, a -> MatrixView.of(a.output()).titled("output").grid());
        grids(TiledAttention.Gradients.class, Results::gradients);
        grid(QkNorm.class, n -> MatrixView.of(n.output()).titled("output").grid());
        grid(Moments.class, Results::moments);
        grid(Moments[].class, Results::moments);
        grid(Histogram.class, Results::histogram);
        add(Figure.class, f -> f.description() + "\ndata " + f.digest(),
                f -> figure(f.description(), "image/svg+xml", f.svg().getBytes(StandardCharsets.UTF_8)),
                f -> base64(f.png()));
        add(Chart.class, Renderers::describe, c -> figure(describe(c), PNG, png(c)), c -> base64(png(c)));
        add(Claim.Result.class, Claim.Result::text, Claim.Result::html, null);
        add(SelfCheck.Result.class, SelfCheck.Result::text, SelfCheck.Result::html, null);
        add(double[].class, a -> list(Numbers.column(a)), null, null);
        add(int[].class, a -> list(Arrays.stream(a).mapToObj(String::valueOf).toArray(String[]::new)), null, null);
        add(long[].class, a -> list(Arrays.stream(a).mapToObj(String::valueOf).toArray(String[]::new)), null, null);
        add(String[].class, Renderers::list, null, null);
    }

    private Renderers() {
    }

    /** The types and what they are rendered as. Loading them initialises none of their classes. */
    static Map<Class<?>, Map<String, Function<Object, String>>> all() {
        return BY_TYPE;
    }

    /** The plain text of a value: of a type above its own, else {@code String.valueOf}. */
    static String text(Object value) {
        return BY_TYPE.entrySet().stream()
                .filter(e -> e.getKey().isInstance(value))
                .map(e -> e.getValue().get(TEXT).apply(value))
                .findFirst().orElseGet(() -> String.valueOf(value));
    }

    private static <T> void grid(Class<T> type, Function<T, Grid> grid) {
        grids(type, grid.andThen(List::of));
    }

    private static <T> void grids(Class<T> type, Function<T, List<Grid>> grids) {
        add(type, value -> grids.apply(value).stream().map(Grid::text).collect(Collectors.joining("\n\n")),
                value -> grids.apply(value).stream().map(Grid::html).collect(Collectors.joining("\n")), null);
    }

    private static <T> void add(Class<T> type, Function<T, String> text, Function<T, String> html,
            Function<T, String> png) {
        Map<String, Function<Object, String>> byMime = new LinkedHashMap<>();
        byMime.put(TEXT, value -> text.apply(type.cast(value)));
        if (html != null) {
            byMime.put(HTML, value -> html.apply(type.cast(value)));
        }
        if (png != null) {
            byMime.put(PNG, value -> png.apply(type.cast(value)));
        }
        BY_TYPE.put(type, byMime);
    }

    private static String figure(String description, String mime, byte[] image) {
        return "<figure class=\"rootdk-figure\"><img alt=\"" + Grid.escape(description) + "\" src=\"data:" + mime
                + ";base64," + base64(image) + "\"></figure>";
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static byte[] png(Chart<?, ?> chart) {
        try {
            return ChartEncoder.getBytes(chart, "png");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A raw XChart chart in words: its default text is an address in memory. */
    private static String describe(Chart<?, ?> chart) {
        String title = chart.getTitle() == null || chart.getTitle().isEmpty() ? "" : " “" + chart.getTitle() + "”";
        return chart.getClass().getSimpleName() + title
                + chart.getSeriesCollection().stream().map(series -> series.getName())
                        .collect(Collectors.joining(", ", " with the series ", ""));
    }

    private static String list(String... items) {
        List<String> shown = new ArrayList<>();
        for (int i : Grid.shown(items.length)) {
            shown.add(i == Grid.CUT ? "…" : items[i]);
        }
        String size = shown.size() < items.length ? "  (" + items.length + " values)" : "";
        return "[" + String.join(", ", shown) + "]" + size;
    }

    private static SimpleMatrix rectangle(double[][] rows) {
        for (double[] row : rows) {
            if (row.length != rows[0].length) {
                throw new IllegalArgumentException("the rows have " + rows[0].length + " and " + row.length
                        + " numbers: a matrix needs rows of one length");
            }
        }
        return rows.length == 0 ? new SimpleMatrix(0, 0) : new SimpleMatrix(rows);
    }
}
