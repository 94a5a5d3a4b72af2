package dht.http;

/**
 * How fast a client sends and reads, where the server has to wait for it: whether it moves on at
 * the rate that is asked of it, and how fast it takes the answer that it is sent.
 *
 * <p>Used under the connection's monitor.
 */
final class ClientPace {
    /** Before the server has waited for so long, nobody can tell how fast an answer is taken. */
    private static final long WAITED_MILLIS_MIN = 1000;

    private boolean awaited;
    private long awaitedSinceMillis;

    // Of the stretch in which the client has been too slow so far.
    private long sinceMillis;
    private long movedBytes;

    // Of the answer that is being sent.
    private long waitedMillis; // Up to when the client was awaited last.
    private long takenBytes;

    /** Says that bytes were received from the client, or taken by it. */
    void moved(long bytes) {
        movedBytes += bytes;
        takenBytes += bytes;
    }

    /** Says whether the next step is the client's. */
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

    /** Begins with another answer, for which the client is not awaited yet. */
    void beginAnswer() {
        waitedMillis = 0;
        takenBytes = 0;
    }

    /** Forgets what was measured, as the server itself was away meanwhile. */
    void forget(long nowMillis) {
        begin(nowMillis);
        beginAnswer();
        awaitedSinceMillis = nowMillis;
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

    /**
     * How fast the client takes its answer: bytes in the time in which the server waited for it;
     * {@link Long#MAX_VALUE} as long as it has hardly had to wait.
     */
    long answerBytesPerSecond(long nowMillis) {
        long millis = waitedMillis(nowMillis);
        return millis < WAITED_MILLIS_MIN ? Long.MAX_VALUE : takenBytes * 1000 / millis;
    }

    private long waitedMillis(long nowMillis) {
        return waitedMillis + (awaited ? Math.max(0, nowMillis - awaitedSinceMillis) : 0);
    }
}
