package rootdk.training;

import rootdk.stats.Draws;

/** {@link Task#recall}. */
record Recall(int keys, int values, int nK, int nQ) implements KeyValueTask {
    Recall {
        Checks.atLeast(1, "nK", nK);
        Checks.atLeast(1, "nQ", nQ);
        Checks.atLeast(2, "values", values);
        if (keys < nK) {
            throw new IllegalArgumentException("keys is " + keys + ", nK is " + nK
                    + ": a sequence holds nK different keys, so keys must be at least nK");
        }
        Checks.symbols(keys, values);
    }

    @Override
    public void draw(Draws draws, int[] tokens, int[] labels) {
        Checks.drawing(this, draws, tokens, labels);
        // Selection sampling: each set of nK keys is equally likely. They come in order, which a task without positions cannot see.
        int chosen = 0;
        for (int key = 0; chosen < nK; key++) {
            if ((keys - key) * draws.uniform() < nK - chosen) {
                tokens[2 * chosen] = key;
                tokens[2 * chosen + 1] = keys + (int) (values * draws.uniform());
                chosen++;
            }
        }
        for (int i = 0; i < nQ; i++) {
            int j = (int) (nK * draws.uniform());
            tokens[2 * (nK + i)] = tokens[2 * j];
            tokens[2 * (nK + i) + 1] = keys + values;
            labels[i] = tokens[2 * j + 1] - keys;
        }
    }

    @Override
    public String toString() {
        return "recall (" + nK + " of " + keys + " keys, " + values + " values, " + nQ + " queries)";
    }
}
