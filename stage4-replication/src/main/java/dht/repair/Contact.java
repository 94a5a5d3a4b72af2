package dht.repair;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When this node last had contact with other nodes. The time is stored on disk at intervals, so
 * that the node knows after a restart how long it was away. The stored time may be too old, by a
 * little more than {@link #STORE_PAUSE_MAX}. The absence then looks longer than it was, which is
 * safe.
 *
 * <p>Thread-safe. Noting a contact never waits for the disk.
 */
final class Contact {
    private static final Logger LOG = LoggerFactory.getLogger(Contact.class);

    /**
     * The longest interval. Storing the time more often would disturb clients: it costs two syncs
     * of the disk, and their writes wait meanwhile.
     */
    private static final Duration STORE_PAUSE_MAX = Duration.ofMinutes(10);

    private static final int STORED_IN_GRACE = 8;

    private final Absence absence;
    private final StoredState stored;
    private final long storePauseMillis;

    @GuardedBy("this")
    private long lastMillis;

    @GuardedBy("this")
    private boolean isFrozen; // There was no contact for longer than tombstones are kept.

    Contact(Absence absence, StoredState stored) {
        this.absence = absence;
        this.stored = stored;
        Duration part = absence.grace().dividedBy(STORED_IN_GRACE);
        boolean isShort = !part.isZero() && part.compareTo(STORE_PAUSE_MAX) < 0;
        this.storePauseMillis = (isShort ? part : STORE_PAUSE_MAX).toMillis();
        this.lastMillis = stored.get().contactMillis();
    }

    Absence absence() {
        return absence;
    }

    /**
     * Notes a contact with another node. The contact does not count in the phase ASKING. It also
     * does not count if this node was READY, and then had no contact for longer than tombstones are
     * kept: until a restart, no contact counts any more.
     */
    synchronized void note(NodePhase phase, long nowMillis) {
        boolean isTooLong = absence.isTooLong(lastMillis, nowMillis);
        if (phase == NodePhase.READY && isTooLong && !isFrozen) {
            isFrozen = true;
            LOG.error(
                    "this node had no contact with other nodes for longer than --gc-grace={}: restart it,"
                            + " so that it is rebuilt; until then it may bring deleted keys back",
                    absence.grace());
        }
        if (phase != NodePhase.ASKING && !isFrozen) {
            lastMillis = nowMillis;
        }
    }

    /** Must be called when the data has become complete: the earlier absence no longer matters. */
    synchronized void begin(long nowMillis) {
        lastMillis = nowMillis;
    }

    /**
     * Stores the time, unless the stored time is only a little older.
     *
     * @throws IOException if it cannot be stored; then the file still has the previous time
     */
    void store() throws IOException {
        long millis;
        synchronized (this) {
            millis = lastMillis;
        }
        if (millis - stored.get().contactMillis() > storePauseMillis) {
            stored.update(state -> state.withContact(millis));
        }
    }
}
