package rootdk.notebook;

import java.util.Arrays;
import java.util.function.IntFunction;
import rootdk.notebook.Grid.Kind;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.FloatColumn;
import tech.tablesaw.api.NumericColumn;
import tech.tablesaw.api.Table;
import tech.tablesaw.columns.Column;

/** Tablesaw tables as grids. */
final class Tables {

    private Tables() {
    }

    /**
     * A table with its name, a header and, if rows or columns are left out, its true size.
     *
     * <p>A missing value is shown as {@code —}, never as NaN or 0. (A {@code DoubleColumn} stores NaN for a missing
     * value, so Tablesaw itself cannot tell the two apart there.)
     */
    static Grid grid(Table table) {
        int[] is = Grid.shown(table.rowCount());
        int[] js = Grid.shown(table.columnCount());
        String name = table.name() == null ? "" : table.name();
        if (is.length < table.rowCount() || js.length < table.columnCount()) {
            name += (name.isEmpty() ? "" : " ") + "(" + table.rowCount() + " rows × " + table.columnCount() + " columns)";
        }
        Grid grid = new Grid("rootdk-table", name);
        for (int j : js) {
            if (j == Grid.CUT) {
                grid.column("…", Kind.TEXT, cells(is, i -> "…"));
            } else {
                Column<?> column = table.column(j);
                boolean numeric = column instanceof NumericColumn;
                grid.column(column.name(), numeric ? Kind.NUMBER : Kind.TEXT,
                        numeric ? numbers((NumericColumn<?>) column, is) : cells(is, i -> text(column, i)));
            }
        }
        return grid;
    }

    private static String[] numbers(NumericColumn<?> column, int[] is) {
        int[] present = Arrays.stream(is).filter(i -> i != Grid.CUT && !column.isMissing(i)).toArray();
        if (Arrays.stream(present).anyMatch(i -> !column.getString(i).equals(byDefault(column, i)))) {
            return cells(is, i -> text(column, i)); // the author gave the column a print format
        }
        // by class: ColumnType.DOUBLE is another object than type() where DoubleColumn was Tablesaw's first class to load
        if (!(column instanceof DoubleColumn) && !(column instanceof FloatColumn)) {
            return cells(is, i -> column.isMissing(i) ? Grid.MISSING : column.getUnformattedString(i));
        }
        String[] numbers = Numbers.column(Arrays.stream(present).mapToDouble(column::getDouble).toArray());
        return cells(is, i -> column.isMissing(i) ? Grid.MISSING : numbers[Arrays.binarySearch(present, i)]);
    }

    /** How a new column of the type would print the number; a column does not tell its format. */
    private static String byDefault(NumericColumn<?> column, int i) {
        return column.type().create("").appendObj(column.get(i)).getString(0);
    }

    private static String text(Column<?> column, int i) {
        return column.isMissing(i) ? Grid.MISSING : column.getString(i);
    }

    private static String[] cells(int[] is, IntFunction<String> cell) {
        return Arrays.stream(is).mapToObj(i -> i == Grid.CUT ? "⋮" : cell.apply(i)).toArray(String[]::new);
    }
}
