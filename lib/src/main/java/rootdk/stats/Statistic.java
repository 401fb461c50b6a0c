package rootdk.stats;

/** A number computed from random draws, for example {@code d -> d.dot(64)}. Called from several threads at once. */
@FunctionalInterface
public interface Statistic {
    /**
     * Computes one value. It should use no randomness but the draws and change nothing that other calls see.
     *
     * @param draws where to take random numbers from, as many as needed
     * @return the value
     */
    double of(Draws draws);
}
