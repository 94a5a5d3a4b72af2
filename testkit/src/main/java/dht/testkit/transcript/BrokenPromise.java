package dht.testkit.transcript;

/** A failed test whose message is its transcript; the stack is that of the check which failed. */
public final class BrokenPromise extends AssertionError {
    private static final long serialVersionUID = 1L;

    public BrokenPromise(String transcript, Throwable failure) {
        super(transcript, failure instanceof Mismatch ? null : failure);
        setStackTrace(failure.getStackTrace());
    }
}
