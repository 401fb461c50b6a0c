package rootdk.notebook;

/** A claim's check that did not hold, or could not be made; the message begins {@code claim C79 failed:}. */
public final class ClaimFailure extends AssertionError {

    private static final long serialVersionUID = 1L;

    ClaimFailure(String id, String reason) {
        super("claim " + id + " failed: " + reason);
    }
}
