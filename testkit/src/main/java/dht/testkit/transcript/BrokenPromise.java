package dht.testkit.transcript;

/**
 * The failure of a test. Its message is the transcript, and its stack trace is that of the check
 * that failed.
 */
public final class BrokenPromise extends AssertionError {
    private static final long serialVersionUID = 1L;

    public BrokenPromise(String transcript, Throwable failure) {
        super(transcript, failure instanceof Mismatch ? null : failure);
        setStackTrace(failure.getStackTrace());
    }
}
