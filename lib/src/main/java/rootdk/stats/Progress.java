package rootdk.stats;

/**
 * Hears how far a long call has come, for example {@code (done, total) -> System.out.println(done + " of " + total)}.
 *
 * <p>It is called on the thread that made the long call, never on its workers, so it needs no locks and may print or draw. There
 * are at most 10 calls a second, with {@code done} never falling, and a last one with {@code done == total} when the work is
 * complete: a call that takes no time makes that one only. Work that is interrupted or fails makes no last call. An exception
 * from here stops the work and reaches the caller.
 */
@FunctionalInterface
public interface Progress {
    /** The shortest time between two calls but for the last, in milliseconds. */
    int INTERVAL = 100;

    /**
     * Tells how far the work has come.
     *
     * @param done how many units of work (values, training runs) are complete, from 0 to total
     * @param total how many there are, at least 0
     */
    void at(long done, long total);
}
