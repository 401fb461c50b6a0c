package rootdk.notebook;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.ejml.simple.SimpleMatrix;
import rootdk.attention.Attention;
import rootdk.attention.TiledAttention;
import rootdk.notebook.Grid.Kind;
import rootdk.stats.Histogram;
import rootdk.stats.Moments;

/** The library's own results as grids: what a reader wants to see first, the rest is a call away. */
final class Results {

    private Results() {
    }

    /** The weights and the output. */
    static List<Grid> attention(Attention a) {
        return List.of(matrix("weights", a.weights()), matrix("output", a.output()));
    }

    /** The gradients with respect to the inputs, and to the sink's logit if there is one. */
    static List<Grid> gradients(Attention.Gradients g) {
        return gradients(Optional.empty(), g.dSink(), g.dQ(), g.dK(), g.dV());
    }

    /** The same, and with respect to the bias if there is one. */
    static List<Grid> gradients(TiledAttention.Gradients g) {
        return gradients(g.dBias(), g.dSink(), g.dQ(), g.dK(), g.dV());
    }

    private static List<Grid> gradients(Optional<SimpleMatrix> dBias, double dSink, SimpleMatrix dQ, SimpleMatrix dK, SimpleMatrix dV) {
        List<Grid> grids = new ArrayList<>(List.of(matrix("dQ", dQ), matrix("dK", dK), matrix("dV", dV)));
        dBias.ifPresent(m -> grids.add(matrix("dBias", m)));
        if (dSink != 0) {
            grids.add(matrix("dSink", new SimpleMatrix(new double[][] {{dSink}})));
        }
        return grids;
    }

    private static Grid matrix(String title, SimpleMatrix m) {
        return MatrixView.of(m).titled(title).grid();
    }

    /** One row for each sample; several are counted from 0. */
    static Grid moments(Moments... samples) {
        int[] shown = Grid.shown(samples.length);
        Grid grid = new Grid("rootdk-table", "");
        if (samples.length > 1) {
            grid.column("", Kind.LABEL, cells(shown, IntStream.range(0, samples.length).mapToObj(String::valueOf)
                    .toArray(String[]::new)));
        }
        numbers(grid, "n", shown, samples, Moments::count);
        numbers(grid, "mean", shown, samples, Moments::mean);
        numbers(grid, "± error", shown, samples, Moments::meanError);
        numbers(grid, "variance", shown, samples, Moments::variance);
        numbers(grid, "± error", shown, samples, Moments::varianceError);
        numbers(grid, "skewness", shown, samples, Moments::skewness);
        numbers(grid, "kurtosis", shown, samples, Moments::kurtosis);
        return grid;
    }

    private static void numbers(Grid grid, String name, int[] shown, Moments[] samples, ToDoubleFunction<Moments> of) {
        grid.column(name, Kind.NUMBER, cells(shown, Numbers.column(Arrays.stream(samples).mapToDouble(of).toArray())));
    }

    /** One row for each bin. */
    static Grid histogram(Histogram h) {
        long[] counts = h.counts();
        String[] edges = Numbers.column(h.edges());
        int[] shown = Grid.shown(counts.length);
        long inside = Arrays.stream(counts).sum();
        Grid grid = new Grid("rootdk-table", counts.length + " bins with " + inside + " values, " + h.below()
                + " below and " + h.above() + " above");
        grid.column("from", Kind.NUMBER, cells(shown, Arrays.copyOf(edges, counts.length)));
        grid.column("to", Kind.NUMBER, cells(shown, Arrays.copyOfRange(edges, 1, edges.length)));
        grid.column("count", Kind.NUMBER, cells(shown, Arrays.stream(counts).mapToObj(String::valueOf)
                .toArray(String[]::new)));
        grid.column("density", Kind.NUMBER, cells(shown, Numbers.column(h.density())));
        return grid;
    }

    private static String[] cells(int[] shown, String[] all) {
        return Arrays.stream(shown).mapToObj(i -> i == Grid.CUT ? "⋮" : all[i]).toArray(String[]::new);
    }
}
