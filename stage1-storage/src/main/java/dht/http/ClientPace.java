package dht.http;

/**
 * For how long a connection has been waiting for its client to send or to read, and whether the
 * client moves on fast enough.
 *
 * <p>Used under the connection's monitor.
 */
final class ClientPace {
    private boolean awaited;
    private long sinceMillis;
    private long movedBytes;

    /** Says that bytes were received from the client, or taken by it. */
    void moved(long bytes) {
        movedBytes += bytes;
    }

    /** Says whether the next step is the client's. */
    void await(boolean isAwaited) {
        if (isAwaited && !awaited) {
            begin(System.currentTimeMillis());
        }
        awaited = isAwaited;
    }

    /** Begins to measure anew. */
    void begin(long nowMillis) {
        sinceMillis = nowMillis;
        movedBytes = 0;
    }

    /** Begins to measure anew where the client has moved on at the rate or faster. */
    void measure(long nowMillis, long bytesPerSecondMin) {
        boolean isFast = movedBytes * 1000 >= bytesPerSecondMin * (nowMillis - sinceMillis);
        if (awaited && movedBytes > 0 && isFast) {
            begin(nowMillis);
        }
    }

    /** For how long the client has moved on more slowly than the rate; 0 if it isn't its turn. */
    long stalledMillis(long nowMillis) {
        return awaited ? Math.max(0, nowMillis - sinceMillis) : 0;
    }
}
