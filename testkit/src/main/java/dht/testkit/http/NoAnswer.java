package dht.testkit.http;

import dht.testkit.transcript.Mismatch;

/** The connection ended, or fell silent, before an answer was complete. */
public final class NoAnswer extends Mismatch {
    private static final long serialVersionUID = 1L;

    /** How it went. */
    enum Kind {
        REFUSED,
        CLOSED_BEFORE_FIRST_BYTE,
        CLOSED_WITHIN,
        SILENCE
    }

    private final Kind kind;

    NoAnswer(Kind kind, String expected, String got) {
        super(expected, got);
        this.kind = kind;
    }

    /** Whether the server closed rather than said anything: legal between requests. */
    public boolean closedBeforeFirstByte() {
        return kind == Kind.CLOSED_BEFORE_FIRST_BYTE;
    }

    /** Whether the server is, or went, away; otherwise it holds the connection and says nothing. */
    public boolean isGone() {
        return kind != Kind.SILENCE;
    }
}
