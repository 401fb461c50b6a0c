package rootdk.training;

import rootdk.stats.Draws;

/** {@link Task#majority}. */
record Majority(int keys, int values, int votes) implements KeyValueTask {
    Majority {
        Checks.atLeast(1, "keys", keys);
        Checks.atLeast(2, "values", values);
        Checks.atLeast(1, "votes", votes);
        Checks.entries("tokens to attend to, keys × votes", keys, votes);
        Checks.symbols(keys, values);
    }

    @Override
    public int nK() {
        return keys * votes;
    }

    @Override
    public int nQ() {
        return keys;
    }

    @Override
    public void draw(Draws draws, int[] tokens, int[] labels) {
        Checks.drawing(this, draws, tokens, labels);
        for (int key = 0; key < keys; key++) {
            int from = 2 * key * votes;
            do {
                for (int i = 0; i < votes; i++) {
                    tokens[from + 2 * i] = key;
                    tokens[from + 2 * i + 1] = keys + (int) (values * draws.uniform());
                }
                labels[key] = winner(tokens, from);
            } while (labels[key] < 0);
            tokens[2 * (keys * votes + key)] = key;
            tokens[2 * (keys * votes + key) + 1] = keys + values;
        }
    }

    /** The value that more of these votes have than any other; −1 if two share the lead. */
    private int winner(int[] tokens, int from) {
        int winner = -1;
        int most = 0;
        for (int value = 0; value < values; value++) {
            int count = 0;
            for (int i = 0; i < votes; i++) {
                count += tokens[from + 2 * i + 1] == keys + value ? 1 : 0;
            }
            if (count >= most) {
                winner = count == most ? -1 : value;
                most = count;
            }
        }
        return winner;
    }

    @Override
    public String toString() {
        return "majority (" + keys + " keys, " + values + " values, " + votes + " votes each)";
    }
}
