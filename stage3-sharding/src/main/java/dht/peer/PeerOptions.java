package dht.peer;

import dht.cluster.InternalPort;
import java.time.Duration;

/**
 * Limits and timeouts for requests to each other node. Immutable.
 *
 * @param connectionCount the number of connections, at least 1; each has a thread that waits for
 *     answers
 * @param queueLengthMax requests that may wait for a connection, at least 1; further ones are
 *     refused
 * @param connectTimeout how long connecting may take, at least 1 ms
 * @param requestTimeout how long a request may take from its sending to the end of its answer, at
 *     least 1 ms. The limit grows by this time for each mebibyte of a value. A repeated request
 *     gets the whole time again. A request that has waited longer than this for a connection is
 *     refused, when one becomes free
 * @param failuresMax after this number of requests in a row without an answer, no requests are sent
 *     for {@code retryPause}
 * @param retryPause how long no requests are sent after too many failures, at least 1 ms
 * @param drainTimeout how long closing waits for requests in flight
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
    private static final Duration TIME_MIN = Duration.ofMillis(1);

    /** Options for nodes that serve other nodes on the port of their URL. */
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
        if (value.compareTo(TIME_MIN) < 0) { // Some clients take 0 ms for: no limit.
            throw new IllegalArgumentException(name + " must be at least 1ms");
        }
    }
}
