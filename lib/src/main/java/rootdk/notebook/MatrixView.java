package rootdk.notebook;

import java.util.Arrays;
import java.util.Objects;
import org.ejml.simple.SimpleMatrix;
import rootdk.notebook.Grid.Kind;

/**
 * A matrix as a notebook shows it: with aligned decimals and, if given, a title and labels.
 *
 * <pre>{@code
 * MatrixView.of(P).titled("weights").rows("q₁", "q₂").columns("k₁", "k₂", "k₃").decimals(4)
 * }</pre>
 *
 * <p>All numbers of a matrix are written alike: whole numbers as such, others with about five significant digits, in
 * scientific notation where magnitudes below 1e-4, from 1e6 on, or too far apart need it. NaN and ±∞ are written
 * {@code NaN}, {@code ∞}, {@code -∞}. Of more than 20 rows (or columns) the first 10 and the last 9 are shown, and the
 * size is always told. A plain {@code SimpleMatrix} is shown as {@code MatrixView.of(m)}.
 *
 * <p>A view is immutable: each method returns a new one. It does not copy the matrix, and never modifies it.
 */
public final class MatrixView {

    private static final int BY_VALUES = -1;

    private final SimpleMatrix matrix;
    private final String title;
    private final String[] rows;
    private final String[] columns;
    private final int decimals;

    private MatrixView(SimpleMatrix matrix, String title, String[] rows, String[] columns, int decimals) {
        this.matrix = matrix;
        this.title = title;
        this.rows = rows;
        this.columns = columns;
        this.decimals = decimals;
    }

    /**
     * A view of a real matrix without title and labels.
     *
     * @param m the matrix (m × n); may be empty; not modified
     * @return the view
     */
    public static MatrixView of(SimpleMatrix m) {
        Objects.requireNonNull(m, "the matrix is null");
        return new MatrixView(m, "", new String[0], new String[0], BY_VALUES);
    }

    /**
     * Sets the title, written above the matrix in front of its size.
     *
     * @param title the title, of one line; empty for none
     * @return a new view with that title
     */
    public MatrixView titled(String title) {
        return new MatrixView(matrix, Objects.requireNonNull(title, "the title is null"), rows, columns, decimals);
    }

    /**
     * Labels the rows.
     *
     * @param labels one for each row
     * @return a new view with those labels
     * @throws IllegalArgumentException if their number is another
     */
    public MatrixView rows(String... labels) {
        check("rows", matrix.getNumRows(), labels);
        return new MatrixView(matrix, title, labels.clone(), columns, decimals);
    }

    /**
     * Labels the columns.
     *
     * @param labels one for each column
     * @return a new view with those labels
     * @throws IllegalArgumentException if their number is another
     */
    public MatrixView columns(String... labels) {
        check("columns", matrix.getNumCols(), labels);
        return new MatrixView(matrix, title, rows, labels.clone(), decimals);
    }

    /**
     * Writes all numbers in fixed notation, rounded half to even.
     *
     * @param n digits after the point, 0 to 20
     * @return a new view with that many decimals
     * @throws IllegalArgumentException if {@code n} is outside that range
     */
    public MatrixView decimals(int n) {
        if (n < 0 || n > 20) {
            throw new IllegalArgumentException("decimals is " + n + ": it must be from 0 to 20");
        }
        return new MatrixView(matrix, title, rows, columns, n);
    }

    private static void check(String what, int size, String... labels) {
        if (labels.length != size) {
            throw new IllegalArgumentException("the matrix has " + size + " " + what + ", but there are "
                    + labels.length + " labels: give one for each");
        }
    }

    /** The matrix as aligned plain text, as a notebook's text/plain has it. */
    @Override
    public String toString() {
        return grid().text();
    }

    Grid grid() {
        int[] is = Grid.shown(matrix.getNumRows());
        int[] js = Grid.shown(matrix.getNumCols());
        String size = matrix.getNumRows() + " × " + matrix.getNumCols();
        Grid grid = new Grid("rootdk-matrix", title.isEmpty() ? size + " matrix" : title + " (" + size + ")");
        if (rows.length > 0) {
            grid.column("", Kind.LABEL, Arrays.stream(is).mapToObj(i -> i == Grid.CUT ? "⋮" : rows[i])
                    .toArray(String[]::new));
        }
        String[] numbers = numbers(is, js);
        int next = 0;
        for (int j : js) {
            String[] cells = new String[is.length];
            for (int r = 0; r < is.length; r++) {
                cells[r] = j == Grid.CUT ? "…" : is[r] == Grid.CUT ? "⋮" : numbers[next++];
            }
            grid.column(columns.length == 0 ? "" : j == Grid.CUT ? "…" : columns[j], Kind.NUMBER, cells);
        }
        return grid;
    }

    /** The shown numbers, column by column, formatted together so that the whole matrix has one form. */
    private String[] numbers(int[] is, int[] js) {
        double[] values = Arrays.stream(js).filter(j -> j != Grid.CUT).boxed()
                .flatMapToDouble(j -> Arrays.stream(is).filter(i -> i != Grid.CUT).mapToDouble(i -> matrix.get(i, j)))
                .toArray();
        return decimals == BY_VALUES ? Numbers.column(values) : Numbers.fixed(decimals, values);
    }
}
