package rootdk.training;

import rootdk.stats.Draws;

/** A batch of sequences of a task, in arrays that each {@link #draw} fills anew. Not thread-safe. */
public final class Batch {
    final Task task;
    final int size;
    final int[] keyTokens; // size · nK tokens of two symbols each
    final int[] queryTokens; // size · nQ tokens of two symbols each
    final int[] labels; // size · nQ
    private final int[] tokens;
    private final int[] answers;
    private boolean drawn;

    /**
     * Room for a batch, without sequences until {@link #draw}.
     *
     * @param task what to draw sequences of
     * @param size how many sequences, at least 1
     * @throws IllegalArgumentException if size or a number of the task is below its minimum, or an array would be too long
     */
    public Batch(Task task, int size) {
        this.task = Checks.task(task);
        this.size = Checks.atLeast(1, "size", size);
        int keys = Checks.entries("tokens to attend to, size × nK", size, task.nK());
        int queries = Checks.entries("tokens that ask, size × nQ", size, task.nQ());
        this.keyTokens = new int[Checks.entries("symbols to attend to", keys, 2)];
        this.queryTokens = new int[Checks.entries("symbols that ask", queries, 2)];
        this.labels = new int[queries];
        this.tokens = new int[Checks.entries("symbols of a sequence", task.nK() + task.nQ(), 2)];
        this.answers = new int[task.nQ()];
    }

    /**
     * Fills this batch with new sequences. O(size · (nK + nQ)) for the tasks of this package.
     *
     * @param draws the stream to draw from, which moves on
     * @return this batch
     * @throws IllegalArgumentException if the task draws a symbol or a class that it does not have
     */
    public Batch draw(Draws draws) {
        Checks.notNull("draws", draws);
        drawn = false; // until all of it is new
        int keys = 2 * task.nK();
        int queries = 2 * task.nQ();
        for (int b = 0; b < size; b++) {
            task.draw(draws, tokens, answers);
            for (int symbol : tokens) {
                require("symbol", symbol, task.symbols());
            }
            for (int label : answers) {
                require("class", label, task.classes());
            }
            System.arraycopy(tokens, 0, keyTokens, b * keys, keys);
            System.arraycopy(tokens, keys, queryTokens, b * queries, queries);
            System.arraycopy(answers, 0, labels, b * answers.length, answers.length);
        }
        drawn = true;
        return this;
    }

    /** Whether there are sequences in it. */
    boolean isDrawn() {
        return drawn;
    }

    private void require(String what, int value, int count) {
        if (value < 0 || value >= count) {
            throw new IllegalArgumentException("the task drew " + what + " " + value + ": it says it has " + count + ", from 0 to "
                    + (count - 1));
        }
    }

    /** Size and task; the symbols would fill pages. */
    @Override
    public String toString() {
        return size + " sequences of " + task;
    }
}
