package rootdk.stats;

/** Several numbers computed from the same random draws, always as many. Called from several threads at once. */
@FunctionalInterface
public interface VectorStatistic {
    /**
     * Computes one vector of values. It should use no randomness but the draws and change nothing that other calls see.
     *
     * @param draws where to take random numbers from, as many as needed
     * @return the values, in an array that no other thread writes: a new one for each call is the simple way
     */
    double[] of(Draws draws);
}
