package dht.testkit.http;

import dht.testkit.transcript.Mismatch;

/**
 * The failure of a request without a complete answer: the connection ended, or nothing more arrived
 * in time.
 */
public final class NoAnswer extends Mismatch {
    private static final long serialVersionUID = 1L;

    /** How the connection failed. */
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

    /**
     * Whether the server closed the connection without sending a byte. Between two requests, it may
     * do this.
     */
    public boolean closedBeforeFirstByte() {
        return kind == Kind.CLOSED_BEFORE_FIRST_BYTE;
    }

    /**
     * Whether the server has closed or refused the connection. If not, it keeps it open and sends
     * nothing.
     */
    public boolean isGone() {
        return kind != Kind.SILENCE;
    }
}
