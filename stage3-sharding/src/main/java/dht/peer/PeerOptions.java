package dht.peer;

import dht.cluster.InternalPort;
import java.time.Duration;

/**
 * How a node asks each other node.
 *
 * @param connectionCount connections, and threads that each wait for an answer on one; at least 1
 * @param queueLengthMax requests that may wait for a connection, at least 1; further ones are
 *     refused
 * @param connectTimeout for a connection to be made
 * @param requestTimeout for a request to wait, and then for its answer to be complete; once more
 *     for each mebibyte of a large value
 * @param failuresMax requests in a row without an answer, after which the node isn't asked for a
 *     while
 * @param retryPause how long that is
 * @param drainTimeout how long requests in flight are waited for at the end
 * @param internalPort where nodes serve each other
 */
public record PeerOptions(
        int connectionCount,
        int queueLengthMax,
        Duration connectTimeout,
        Duration requestTimeout,
        int failuresMax,
        Duration retryPause,
        Duration drainTimeout,
        InternalPort internalPort) {
    /** For nodes that serve each other on the ports of their URLs. */
    public PeerOptions(
            int connectionCount,
            int queueLengthMax,
            Duration connectTimeout,
            Duration requestTimeout,
            int failuresMax,
            Duration retryPause,
            Duration drainTimeout) {
        this(
                connectionCount,
                queueLengthMax,
                connectTimeout,
                requestTimeout,
                failuresMax,
                retryPause,
                drainTimeout,
                InternalPort.SHARED);
    }

    public PeerOptions {
        requireAtLeastOne("peer-connections", connectionCount);
        requireAtLeastOne("peer-queue-length", queueLengthMax);
        requireAtLeastOne("peer-failures-max", failuresMax);
        requireSome("peer-connect-timeout", connectTimeout);
        requireSome("peer-timeout", requestTimeout);
        requireSome("peer-retry-pause", retryPause);
    }

    private static void requireAtLeastOne(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + "=" + value + " must be at least 1");
        }
    }

    private static void requireSome(String name, Duration value) {
        if (value.isZero()) {
            throw new IllegalArgumentException(name + " must be longer than nothing");
        }
    }
}
