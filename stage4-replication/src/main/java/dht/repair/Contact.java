package dht.repair;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When this node last had contact with other nodes. The time is stored now and then, so that the
 * node knows after a start how long it was away. The stored time may be older by {@link
 * #STORE_PAUSE_MAX}: then the absence looks longer than it was, which is safe.
 *
 * <p>Thread-safe. Noting a contact never waits for the disk.
 */
final class Contact {
    private static final Logger LOG = LoggerFactory.getLogger(Contact.class);

    /** Storing costs two syncs of the disk, on which writes of clients would wait. */
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
     * Notes a contact. While the node does not know whether its data is complete, it counts not.
     */
    synchronized void note(NodePhase phase, long nowMillis) {
        boolean isLate = absence.isTooLong(lastMillis, nowMillis);
        if (phase == NodePhase.READY && isLate && !isFrozen) {
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

    /** The data is complete now, however long the node was away. */
    synchronized void begin(long nowMillis) {
        lastMillis = nowMillis;
    }

    /**
     * Stores the time, unless a time shortly before is stored.
     *
     * @throws IOException if it cannot be stored; then the former time stays
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
