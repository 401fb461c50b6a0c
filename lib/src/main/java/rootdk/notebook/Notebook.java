package rootdk.notebook;

import java.util.UUID;
import rootdk.stats.Progress;

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
     * A line such as {@code runs: 35 of 700} that moves while a long call goes on, and stays at {@code runs: 700 of 700}
     * when it is done, so that the cell's output does not depend on time. Outside a kernel only that last line is printed.
     *
     * @param what is counted, for example "runs"
     * @return to be handed to one long call, for example {@code Sweep.of(variants, rates, 5, progress("runs"))}
     */
    public static Progress progress(String what) {
        String id = UUID.randomUUID().toString();
        boolean[] shown = new boolean[1];
        return (done, total) -> {
            String line = what + ": " + done + " of " + total;
            if (shown[0]) {
                Bridge.update(line, id);
            } else {
                shown[0] = Bridge.display(line, id);
            }
            if (done == total && !shown[0]) {
                System.out.println(line);
            }
        };
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
