package dht.testkit.transcript;

/** A check that failed: what was expected, and what came instead. Both are one short line. */
public class Mismatch extends AssertionError {
    private static final long serialVersionUID = 1L;

    private final String expected;
    private final String got;

    public Mismatch(String expected, String got) {
        super("expected " + expected + ", got " + got);
        this.expected = expected;
        this.got = got;
    }

    public String expected() {
        return expected;
    }

    public String got() {
        return got;
    }
}
