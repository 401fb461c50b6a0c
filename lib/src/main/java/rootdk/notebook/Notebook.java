package rootdk.notebook;

/** Shows values in the notebook whose kernel runs this code. */
public final class Notebook {

    private Notebook() {
    }

    /**
     * Shows a value below the cell at once, in order with what is printed. As it returns nothing, a cell that ends
     * with it has no result of its own.
     *
     * <p>Matrices ({@code SimpleMatrix}, {@code double[][]}, {@link MatrixView}), Tablesaw tables, figures, XChart
     * charts and the library's results are shown as HTML and as an exact plain text; anything else as the kernel
     * shows it. Outside a kernel the plain text is printed to {@code System.out}.
     *
     * @param x the value; {@code null} is shown as "null"
     */
    public static void show(Object x) {
        Object value = x == null ? "null" : x;
        if (!Bridge.display(value)) {
            System.out.println(Renderers.text(value));
        }
    }

    /**
     * Makes the running kernel show the library's types. JJava needs no call; an IJava kernel makes this one at its
     * start, by {@code IJAVA_STARTUP_SCRIPT=rootdk.notebook.Notebook.install();} in its kernelspec. Elsewhere, or
     * when called again, it does nothing. A failure is told on stderr and leaves the kernel as it is.
     */
    public static void install() {
        try {
            Bridge.installInIJava();
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            System.err.println("rootdk: matrices, tables and figures will be shown as plain text in this kernel: " + e);
        }
    }
}
