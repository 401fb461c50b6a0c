package rootdk.training;

import rootdk.stats.Draws;

/**
 * A task that attention can learn, whose sequences are drawn as they are needed: nK tokens to attend to, nQ tokens that ask, and for
 * each of these a class to be predicted. A token is a pair of symbols, and what the model sees of it is the sum of their embeddings.
 * There are no positions: the order of the tokens means nothing.
 *
 * <p>Two tasks come with the library, as opposite as tasks for one head can be. {@link #recall} is solved by sharp attention: one key
 * of nK holds the answer, and weight on any other is noise. {@link #majority} is solved by broad attention: the answer is a vote
 * over all keys that match, and a head that puts its weight on one of them errs.
 */
public interface Task {
    /**
     * The number of tokens to attend to in a sequence.
     *
     * @return nK, at least 1
     */
    int nK();

    /**
     * The number of tokens that ask in a sequence.
     *
     * @return nQ, at least 1
     */
    int nQ();

    /**
     * The number of symbols.
     *
     * @return at least 1; symbols are 0, 1, …
     */
    int symbols();

    /**
     * The number of classes. A model that knows nothing has loss ln(classes).
     *
     * @return at least 2; classes are 0, 1, …
     */
    int classes();

    /**
     * Draws one sequence.
     *
     * @param draws where all randomness comes from
     * @param tokens 2·(nK + nQ) symbols, to be filled: two for each token, first the nK attended to, then the nQ that ask
     * @param labels nQ classes, to be filled: the answers
     */
    void draw(Draws draws, int[] tokens, int[] labels);

    /**
     * Associative recall: nK pairs of a key and a value, with nK different keys out of {@code keys}; each query is one of these
     * keys, and the answer is its value.
     *
     * @param keys how many keys there are, at least nK
     * @param values how many values there are, which are the classes: at least 2
     * @param nK the pairs in a sequence, at least 1
     * @param nQ the queries in a sequence, at least 1; drawn with repetition
     * @return the task
     * @throws IllegalArgumentException if a number is below its minimum, or the tokens or symbols are too many for an int
     */
    static Task recall(int keys, int values, int nK, int nQ) {
        return new Recall(keys, values, nK, nQ);
    }

    /**
     * Majority vote: every one of the keys stands in {@code votes} pairs, each with a value of its own; each key is asked for once,
     * and the answer is the value it has most often. Values without a winner are drawn again. nK = keys·votes, nQ = keys.
     *
     * @param keys how many keys there are, at least 1
     * @param values how many values there are, which are the classes: at least 2
     * @param votes the pairs of each key, at least 1
     * @return the task
     * @throws IllegalArgumentException if a number is below its minimum, or the tokens or symbols are too many for an int
     */
    static Task majority(int keys, int values, int votes) {
        return new Majority(keys, values, votes);
    }
}
