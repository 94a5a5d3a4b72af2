package dht.replication;

/**
 * A stamp from elsewhere is too far ahead of this node's time of day to be believed. An expected
 * outcome, so it carries no stack trace; the message is one line for whoever sent it.
 */
public final class StampAheadException extends Exception {
    private static final long serialVersionUID = 1L;

    StampAheadException(String message) {
        super(message, null, false, false);
    }
}
