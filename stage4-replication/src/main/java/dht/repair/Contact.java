package dht.repair;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When this node last had contact with other nodes. The time is stored now and then, so that the
 * node knows after a start how long it was away.
 *
 * <p>Thread-safe. Noting a contact never waits for the disk.
 */
final class Contact {
    private static final Logger LOG = LoggerFactory.getLogger(Contact.class);

    private final Absence absence;
    private final StoredState stored;

    @GuardedBy("this")
    private long lastMillis;

    @GuardedBy("this")
    private boolean isFrozen; // There was no contact for longer than tombstones are kept.

    Contact(Absence absence, StoredState stored) {
        this.absence = absence;
        this.stored = stored;
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

    void store() throws IOException {
        long millis;
        synchronized (this) {
            millis = lastMillis;
        }
        stored.update(state -> state.withContact(millis));
    }
}
