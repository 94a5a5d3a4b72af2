package dht.storage.lsm;

import java.util.concurrent.TimeUnit;

/**
 * How long a sync is delayed, so that the clients that were answered after the last sync can share
 * it. Without a delay, they write again a moment too late. Then the clients split into two halves,
 * and each half waits while the other one syncs.
 *
 * <p>This is the group commit timer of Helland et al., "Group Commit Timers and High Volume
 * Transaction Systems" (1987). Not thread-safe.
 */
final class CommitDelay {
    /** Below this there is no delay: the processor, and not the disk, limits the writes. */
    private static final long SYNC_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long DELAY_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(5);

    /**
     * The shortest of the recent syncs. It grows by an eighth at each longer one. So it follows a
     * disk that has become slow, but it ignores a thread that had to wait for a processor. It
     * begins at 0, so about the first hundred syncs have no delay.
     */
    private long shortestSyncNanos;

    /**
     * Returns the longest delay of the next sync: a quarter of the shortest recent sync, at most 5
     * ms, and none if that sync took less than 1 ms.
     *
     * @param syncNanos the duration of the sync that has just ended
     */
    long afterSync(long syncNanos) {
        shortestSyncNanos = Math.min(syncNanos, shortestSyncNanos + shortestSyncNanos / 8 + 1);
        return shortestSyncNanos < SYNC_NANOS_MIN
                ? 0
                : Math.min(shortestSyncNanos / 4, DELAY_NANOS_MAX);
    }
}
