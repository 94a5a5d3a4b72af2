package dht.repair;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.cluster.NodeAddress;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When this node last had contact with half of the other nodes: since this time, each of them has
 * been heard. A deletion that a majority has stored is on at least one node of such a half. Fewer
 * nodes are not enough: they may be cut off from the majority together with this node.
 *
 * <p>This time, and that of the last contact with any node, are stored on disk at intervals. So the
 * node knows after a restart how long it was away. The stored times may be too old, by a little
 * more than {@link Absence#storePause}. The absence then looks longer than it was, which is safe.
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
    private final int othersMin;

    /** When each node was heard last, since {@link #begin}. */
    @GuardedBy("this")
    private final Map<NodeAddress, Long> heardMillis = new HashMap<>();

    @GuardedBy("this")
    private LastContact last;

    /**
     * Until when the data is recent enough without another contact; {@link #OVER} after a contact
     * that did not count. Written while this is locked.
     */
    private volatile long recentUntilMillis;

    /**
     * @param othersCount how many other nodes the cluster has
     */
    Contact(Absence absence, StoredState stored, int othersCount) {
        this.absence = absence;
        this.stored = stored;
        this.othersMin = (othersCount + 1) / 2;
        this.silenceMaxMillis = Math.max(absence.grace().toMillis(), SILENCE_MIN.toMillis());
        setLast(stored.get().contact());
        // The first entry allocates the map's table. If there were no memory for it later, the
        // map would be damaged, and might not find its entries again.
        heardMillis.put(null, 0L);
        heardMillis.clear();
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
     * Notes a contact with another node. In the phase ASKING of this node, it does not count. It
     * also does not count if the data may be too old already. Then no later one counts, either: the
     * node must be restarted.
     */
    synchronized void note(NodeAddress node, NodePhase phase, long nowMillis) {
        if (phase == NodePhase.ASKING) {
            return;
        }
        if (!isTooOld(nowMillis)) {
            heardMillis.put(node, nowMillis);
            setLast(new LastContact(nowMillis, halfMillis(nowMillis)));
        } else if (recentUntilMillis != OVER) {
            LOG.error(
                    "this node had no contact with half of the other nodes for longer than --gc-grace={}, so its data may be"
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
        heardMillis.clear();
        setLast(LastContact.at(nowMillis));
    }

    @GuardedBy("this")
    private void setLast(LastContact contact) {
        last = contact;
        recentUntilMillis =
                absence.grace().isZero() ? Long.MAX_VALUE : contact.halfMillis() + silenceMaxMillis;
    }

    /** Since this time, half of the other nodes have been heard. */
    @GuardedBy("this")
    private long halfMillis(long nowMillis) {
        if (heardMillis.size() < othersMin) {
            return Math.min(last.halfMillis(), nowMillis);
        }
        // If the clock was set back, no contact was later than now.
        heardMillis.replaceAll((_, millis) -> Math.min(millis, nowMillis));
        long[] millis = heardMillis.values().stream().mapToLong(Long::longValue).sorted().toArray();
        return millis[millis.length - othersMin];
    }

    /**
     * Stores the time, unless the stored time is only a little older.
     *
     * @throws IOException if it cannot be stored; then the file still has the previous time
     */
    void store() throws IOException {
        LastContact contact;
        synchronized (this) {
            contact = last;
        }
        long laterMillis = contact.anyMillis() - stored.get().contact().anyMillis();
        if (laterMillis > absence.storePause().toMillis()) {
            stored.update(state -> state.with(contact));
        }
    }
}
