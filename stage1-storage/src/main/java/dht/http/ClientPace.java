package dht.http;

/**
 * Measures how fast a client sends and reads while the server waits for it. It checks whether the
 * client reaches the required rate, and how fast it reads its answer.
 *
 * <p>Used under the connection's monitor.
 */
final class ClientPace {
    /** The server must wait at least this long before the reading rate can be measured. */
    private static final long WAITED_MILLIS_MIN = 1000;

    private boolean awaited;
    private long awaitedSinceMillis;

    // The current period. It ends when the client reaches the required rate, so its length is the
    // time for which the client has been too slow.
    private long sinceMillis;
    private long movedBytes;

    // The answer that is being sent.
    private long waitedMillis; // Without the current wait.
    private long takenBytes;

    /** Counts bytes that the client has sent or read. */
    void moved(long bytes) {
        movedBytes += bytes;
        takenBytes += bytes;
    }

    /** Sets whether the server now waits for the client. */
    void await(boolean isAwaited) {
        if (isAwaited != awaited) {
            await(isAwaited, System.currentTimeMillis());
        }
    }

    void await(boolean isAwaited, long nowMillis) {
        if (isAwaited) {
            begin(nowMillis);
            awaitedSinceMillis = nowMillis;
        } else {
            waitedMillis = waitedMillis(nowMillis);
        }
        awaited = isAwaited;
    }

    private void begin(long nowMillis) {
        sinceMillis = nowMillis;
        movedBytes = 0;
    }

    /** Starts the measurement for a new answer. The server does not wait for the client yet. */
    void beginAnswer() {
        waitedMillis = 0;
        takenBytes = 0;
    }

    /** Discards all measurements, because the server itself was stopped during them. */
    void forget(long nowMillis) {
        begin(nowMillis);
        beginAnswer();
        awaitedSinceMillis = nowMillis;
    }

    /** Starts a new period if the client has reached the rate in the current one. */
    void measure(long nowMillis, long bytesPerSecondMin) {
        boolean isFast = movedBytes * 1000 >= bytesPerSecondMin * (nowMillis - sinceMillis);
        if (awaited && movedBytes > 0 && isFast) {
            begin(nowMillis);
        }
    }

    /**
     * For how long the client has been slower than the rate; 0 if the server does not wait for it.
     */
    long stalledMillis(long nowMillis) {
        return awaited ? Math.max(0, nowMillis - sinceMillis) : 0;
    }

    /**
     * How fast the client reads its answer: bytes per second of the server's waiting time. {@link
     * Long#MAX_VALUE} while the server has waited for less than one second.
     */
    long answerBytesPerSecond(long nowMillis) {
        long millis = waitedMillis(nowMillis);
        return millis < WAITED_MILLIS_MIN ? Long.MAX_VALUE : takenBytes * 1000 / millis;
    }

    private long waitedMillis(long nowMillis) {
        return waitedMillis + (awaited ? Math.max(0, nowMillis - awaitedSinceMillis) : 0);
    }
}
