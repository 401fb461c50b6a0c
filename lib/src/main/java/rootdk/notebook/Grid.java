package rootdk.notebook;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/** A grid of finished cells with an optional title and header, written as plain text or as an HTML table. */
final class Grid {

    /** How a column is set. Labels and text stand left, numbers right; labels are header cells of their rows. */
    enum Kind { LABEL, TEXT, NUMBER }

    /** Stands for a value that is missing; compared by identity, so no data can be taken for it. */
    static final String MISSING = new String("—");

    /** The index in {@link #shown} at which lines are left out. */
    static final int CUT = -1;

    /** At most this many lines are shown in a direction, the line with the ellipsis included. */
    static final int LIMIT = 20;

    private record Column(String name, Kind kind, String[] cells) {
    }

    private final String cssClass;
    private final String title;
    private final List<Column> columns = new ArrayList<>();

    Grid(String cssClass, String title) {
        this.cssClass = cssClass;
        this.title = title;
    }

    /** Adds a column; all have the same number of cells. */
    void column(String name, Kind kind, String... cells) {
        columns.add(new Column(name, kind, cells));
    }

    /** The indices of {@code size} lines to show: all of them, or the first 10, {@link #CUT} and the last 9. */
    static int[] shown(int size) {
        if (size <= LIMIT) {
            return IntStream.range(0, size).toArray();
        }
        int head = LIMIT / 2;
        return IntStream.range(0, LIMIT)
                .map(i -> i < head ? i : i == head ? CUT : size - LIMIT + i)
                .toArray();
    }

    /** Plain text: columns two blanks apart, no line with trailing blanks, no line break at the end. */
    String text() {
        List<String> lines = new ArrayList<>();
        if (!title.isEmpty()) {
            lines.add(title);
        }
        int[] widths = columns.stream()
                .mapToInt(c -> Math.max(width(c.name), Arrays.stream(c.cells).mapToInt(Grid::width).max().orElse(0)))
                .toArray();
        if (hasHeader()) {
            lines.add(line(widths, Column::name));
        }
        for (int r = 0; r < rows(); r++) {
            int row = r;
            lines.add(line(widths, c -> c.cells[row]));
        }
        return String.join("\n", lines);
    }

    private String line(int[] widths, Function<Column, String> cell) {
        StringBuilder line = new StringBuilder();
        for (int j = 0; j < widths.length; j++) {
            Column column = columns.get(j);
            // A cell is one line, whatever a string holds.
            String text = oneLine(cell.apply(column));
            String padding = " ".repeat(widths[j] - width(text));
            line.append(j == 0 ? "" : "  ");
            line.append(column.kind == Kind.NUMBER ? padding + text : text + padding);
        }
        return line.toString().stripTrailing();
    }

    /**
     * An HTML table. It names no colour, so it takes those of the page; the alignment is in the cells, as a page that
     * does not trust the notebook drops style sheets and keeps these attributes.
     */
    String html() {
        StringBuilder html = new StringBuilder();
        html.append("<table class=\"").append(cssClass).append("\">\n");
        if (!title.isEmpty()) {
            html.append("<caption style=\"text-align:left;white-space:nowrap\">").append(escape(title)).append("</caption>\n");
        }
        if (hasHeader()) {
            html.append("<thead><tr>");
            for (Column c : columns) {
                html.append("<th scope=\"col\" ").append(align(c)).append('>').append(escape(c.name)).append("</th>");
            }
            html.append("</tr></thead>\n");
        }
        html.append("<tbody>\n");
        for (int r = 0; r < rows(); r++) {
            html.append("<tr>");
            for (Column c : columns) {
                String cell = c.cells[r];
                String tag = c.kind == Kind.LABEL ? "th" : "td";
                html.append('<').append(tag).append(c.kind == Kind.LABEL ? " scope=\"row\" " : " ").append(align(c));
                html.append(isMissing(cell) ? " title=\"missing\"><em>" : ">").append(escape(cell));
                html.append(isMissing(cell) ? "</em></" : "</").append(tag).append('>');
            }
            html.append("</tr>\n");
        }
        return html.append("</tbody>\n</table>").toString();
    }

    private int rows() {
        return columns.isEmpty() ? 0 : columns.get(0).cells.length;
    }

    private boolean hasHeader() {
        return columns.stream().anyMatch(c -> !c.name.isEmpty());
    }

    private static String align(Column column) {
        return "style=\"text-align:" + (column.kind == Kind.NUMBER ? "right" : "left") + "\"";
    }

    private static boolean isMissing(String cell) {
        return cell == MISSING;
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\R|\t", " ");
    }

    /** The number of places a text takes: none for a combining mark, two for an ideograph. */
    private static int width(String text) {
        return oneLine(text).codePoints()
                .map(c -> Character.getType(c) == Character.NON_SPACING_MARK ? 0 : Character.isIdeographic(c) ? 2 : 1)
                .sum();
    }

    /** Escapes text for HTML content and for attributes in quotes. */
    static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
                .replace("\"", "&quot;").replace("'", "&#39;");
    }
}
