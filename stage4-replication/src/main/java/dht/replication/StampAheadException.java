package dht.replication;

/**
 * A stamp from another node is too far ahead of this node's time of day, and is rejected. This is
 * an expected outcome, so there is no stack trace. The message is one line for the sender.
 */
public final class StampAheadException extends Exception {
    private static final long serialVersionUID = 1L;

    StampAheadException(String message) {
        super(message, null, false, false);
    }
}
