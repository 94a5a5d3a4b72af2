package dht.testkit.transcript;

/** The failure of one check: what was expected, and what was found. Each is a short line. */
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
