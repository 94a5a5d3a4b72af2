package dht.repair;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When this node last had contact with other nodes. The time is stored on disk at intervals, so
 * that the node knows after a restart how long it was away. The stored time may be too old, by a
 * little more than {@link Absence#storePause}. The absence then looks longer than it was, which is
 * safe.
 *
 * <p>Thread-safe. Noting a contact never waits for the disk.
 */
final class Contact {
    private static final Logger LOG = LoggerFactory.getLogger(Contact.class);

    /**
     * A running node may be without contact for this time, even if tombstones are kept for a
     * shorter time. Otherwise a busy node, which answers greetings late, would have to be
     * restarted.
     */
    private static final Duration SILENCE_MIN = Duration.ofMinutes(1);

    private static final long OVER = Long.MIN_VALUE;

    private final Absence absence;
    private final StoredState stored;
    private final long silenceMaxMillis;

    @GuardedBy("this")
    private long lastMillis;

    /**
     * Until when the data is recent enough without another contact; {@link #OVER} after a contact
     * that did not count. Written while this is locked.
     */
    private volatile long recentUntilMillis;

    Contact(Absence absence, StoredState stored) {
        this.absence = absence;
        this.stored = stored;
        this.silenceMaxMillis = Math.max(absence.grace().toMillis(), SILENCE_MIN.toMillis());
        begin(stored.get().contactMillis());
    }

    Absence absence() {
        return absence;
    }

    /**
     * Whether this node had no contact for so long that its data may be too old, although it is
     * running. Takes no lock.
     */
    boolean isTooOld(long nowMillis) {
        return nowMillis > recentUntilMillis;
    }

    /**
     * Notes a contact with another node. The contact does not count in the phase ASKING. It also
     * does not count if the data may be too old already. Then no later one counts, either: the node
     * must be restarted.
     */
    synchronized void note(NodePhase phase, long nowMillis) {
        if (phase == NodePhase.ASKING) {
            return;
        }
        if (!isTooOld(nowMillis)) {
            begin(nowMillis);
        } else if (recentUntilMillis != OVER) {
            LOG.error(
                    "this node had no contact with other nodes for longer than --gc-grace={}, so its data may be"
                            + " too old: it answers no reads; restart it, so that it is rebuilt",
                    absence.grace());
            recentUntilMillis = OVER;
        }
    }

    /**
     * Must be called when the data has become complete, and when a rebuild begins: an earlier
     * absence no longer matters.
     */
    synchronized void begin(long nowMillis) {
        lastMillis = nowMillis;
        recentUntilMillis =
                absence.grace().isZero() ? Long.MAX_VALUE : nowMillis + silenceMaxMillis;
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
        if (millis - stored.get().contactMillis() > absence.storePause().toMillis()) {
            stored.update(state -> state.withContact(millis));
        }
    }
}
