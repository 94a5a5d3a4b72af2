package dht.repair;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.cluster.NodeAddress;
import dht.storage.StorageUnavailableException;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether this node's data is complete, and remembers the identities of the other nodes.
 *
 * <p>In two cases a node does not know whether its data is complete: its data directory was empty,
 * or it was away for longer than tombstones are kept. Then it asks the other nodes. If one of them
 * remembers a different identity for this node's URL, the data was lost. If enough nodes remember
 * no identity for this node, or its present one, then nothing was lost. For an empty directory this
 * means that the cluster is new.
 *
 * <p>How many nodes are enough? For an empty directory, more than half of the other nodes: any two
 * groups of this size have a node in common. Each node that has agreed remembers this node's
 * identity. If the data is lost later, this node must hear from a group of the same size again, and
 * at least one node in that group remembers the lost identity. After a long absence, half of the
 * other nodes are enough: a deletion that a majority has stored is on at least one of them.
 *
 * <p>A node that is running may also have no contact for longer than tombstones are kept, because
 * it was cut off or suspended. Then it answers no reads until it is restarted, and asks.
 *
 * <p>Thread-safe. Invariants, which hold even if something is thrown:
 *
 * <ol>
 *   <li>What this node remembers, has agreed to or has received is on disk before another node
 *       hears of it.
 *   <li>The node answers reads only while {@code phase} is READY, and only while its last contact
 *       is recent enough. {@code phase} becomes READY only after READY was stored in the file.
 *   <li>The remembered identity of a node is not replaced while that node is ASKING. It might be
 *       killed before it has stored that its data is lost, and must then hear the lost identity
 *       again.
 * </ol>
 */
final class Membership {
    private static final Logger LOG = LoggerFactory.getLogger(Membership.class);

    private final NodeAddress self;
    private final OtherNodes others;
    private final StoredState stored;
    private final Contact contact;
    private final Absence absence;
    private final InstantSource timeOfDay;
    private final boolean wasAway;
    private final int agreedMin;
    private final String tooOld;

    /** After a long absence, this is ASKING, although the file says READY. */
    @GuardedBy("this")
    private NodePhase phase;

    @GuardedBy("this")
    private boolean isStorageOpen;

    /** Why this node may not answer reads in this phase; null if it may. */
    private volatile String refusal;

    Membership(
            NodeAddress self,
            OtherNodes others,
            StoredState stored,
            Contact contact,
            InstantSource timeOfDay) {
        this.self = self;
        this.others = others;
        this.stored = stored;
        this.contact = contact;
        this.absence = contact.absence();
        this.timeOfDay = timeOfDay;
        boolean isReady = stored.get().phase() == NodePhase.READY;
        this.wasAway = isReady && absence.isTooLong();
        this.phase = wasAway ? NodePhase.ASKING : stored.get().phase();
        int othersCount = others.all().size();
        // A deletion that a majority has stored is on at least one of this many other nodes.
        this.agreedMin =
                wasAway ? (othersCount + 1) / 2 : Math.min(othersCount, othersCount / 2 + 1);
        this.tooOld =
                "no contact with half of the other nodes for longer than --gc-grace=%s: this node answers no reads; restart it, so that it is rebuilt"
                        .formatted(absence.grace());
        this.refusal = reason();
    }

    /** Why this node may not answer reads; null if it may. Takes no lock. */
    String refusal() {
        String reason = refusal;
        return reason == null && contact.isTooOld(timeOfDay.millis()) ? tooOld : reason;
    }

    /**
     * Throws unless this node may answer reads.
     *
     * @throws StorageUnavailableException if its data may be incomplete
     */
    void vote() {
        String reason = refusal();
        if (reason != null) {
            throw new StorageUnavailableException(reason);
        }
    }

    synchronized NodePhase phase() {
        return phase;
    }

    private NodeState state() {
        return stored.get();
    }

    /**
     * The greeting that this node sends to another one. A node whose data may be too old says that
     * it is ASKING. Then other nodes do not receive entries from it, and coordinators ask it last.
     */
    synchronized Greeting greeting(NodeAddress receiver) {
        boolean isTooOld = phase == NodePhase.READY && refusal() != null;
        return new Greeting(
                self,
                state().identity(),
                isTooOld ? NodePhase.ASKING : phase,
                Optional.ofNullable(state().of(receiver).identity()),
                absence.before().anyMillis(),
                absence.up(timeOfDay.millis()));
    }

    /**
     * Processes a greeting, and returns this node's own greeting. The returned greeting contains
     * the identity that this node remembered before.
     *
     * @throws IllegalArgumentException if the sender is not in {@code --cluster}
     * @throws IOException if a change cannot be stored; changes before it remain
     */
    synchronized Greeting heard(Greeting greeting) throws IOException {
        NodeAddress node = greeting.node();
        if (!others.all().contains(node)) {
            throw new IllegalArgumentException("node " + node + " is not in --cluster");
        }
        Greeting answer = greeting(node);
        contact.note(node, phase, timeOfDay.millis());
        others.heard(node, greeting.phase());
        remember(node, greeting);
        if (phase == NodePhase.ASKING) {
            judge(greeting);
        }
        return answer;
    }

    /** A node of an earlier release has answered: it remembers nothing. */
    synchronized void heardNothing(NodeAddress node) throws IOException {
        contact.note(node, phase, timeOfDay.millis());
        others.heard(node, NodePhase.READY);
        if (phase == NodePhase.ASKING) {
            agree(node);
        }
    }

    @GuardedBy("this")
    private void remember(NodeAddress node, Greeting greeting) throws IOException {
        NodeState.Other known = state().of(node);
        boolean isNew = !greeting.identity().equals(known.identity());
        if (isNew && (known.identity() == null || greeting.phase() != NodePhase.ASKING)) {
            if (known.identity() != null) {
                LOG.warn(
                        "node {} has another data directory than before: identity={}, before {}",
                        node,
                        greeting.identity(),
                        known.identity());
            }
            stored.update(
                    state ->
                            state.with(
                                    node,
                                    new NodeState.Other(greeting.identity(), known.isReceived())));
        }
    }

    @GuardedBy("this")
    private void judge(Greeting greeting) throws IOException {
        UUID yours = greeting.yours().orElse(state().identity());
        if (!yours.equals(state().identity())) {
            rebuild(
                    "node %s remembers identity=%s for %s, and this data directory has identity=%s: the data was lost"
                            .formatted(greeting.node(), yours, self, state().identity()));
        } else if (!wasAway || !absence.wasMissedBy(greeting)) {
            agree(greeting.node());
        } else if (greeting.phase() == NodePhase.READY) { // Only such a node can replace the data.
            rebuild(
                    "this node was away since %s, longer than --gc-grace=%s, while node %s was running: its data may be too old"
                            .formatted(absence.since(), absence.grace(), greeting.node()));
        }
    }

    @GuardedBy("this")
    private void rebuild(String reason) throws IOException {
        String kept = wasAway ? KeptData.name(timeOfDay.instant()) : "";
        long nowMillis = timeOfDay.millis();
        stored.update(
                state ->
                        state.withNoneReceived()
                                .with(NodePhase.REBUILDING)
                                .withKept(kept)
                                .with(LastContact.at(nowMillis)));
        contact.begin(nowMillis);
        enter(NodePhase.REBUILDING);
        LOG.warn(
                "{}: this node is rebuilt from the others, and answers no reads until then",
                reason);
        if (wasAway && isStorageOpen) {
            LOG.error("the old data is in use: restart this node, so that the rebuild can begin");
        }
    }

    @GuardedBy("this")
    private void agree(NodeAddress node) throws IOException {
        others.agreed(node);
        refusal = reason();
        if (others.haveAgreed(agreedMin)) {
            becomeReady();
        }
    }

    /**
     * Becomes READY at once if no other node must be asked.
     *
     * @throws IOException if the state cannot be stored
     */
    synchronized void decideAlone() throws IOException {
        if (phase == NodePhase.ASKING && agreedMin == 0) {
            becomeReady();
        }
    }

    /** The storage is open: from now on, the data cannot be moved away. */
    synchronized void storageOpened() {
        isStorageOpen = true;
    }

    /** The old data has been moved away. */
    synchronized void dataKept() throws IOException {
        stored.update(state -> state.withKept(""));
        enter(phase);
    }

    /** Waits until the node is rebuilding and its old data has been moved away. */
    synchronized void awaitRebuilding() throws InterruptedException {
        while (phase != NodePhase.REBUILDING || !state().keptName().isEmpty()) {
            wait();
        }
    }

    /** Waits until the phase changes, but no longer than {@code max}. */
    synchronized void awaitChange(Duration max) throws InterruptedException {
        NodePhase before = phase;
        long endNanos = System.nanoTime() + max.toNanos();
        long leftMillis = max.toMillis();
        while (phase == before && leftMillis > 0) {
            wait(leftMillis);
            leftMillis = (endNanos - System.nanoTime()) / 1_000_000;
        }
    }

    /**
     * All data has been received and is durable.
     *
     * @throws IOException if the state cannot be stored, or if what was received first may be too
     *     old by now
     */
    synchronized void rebuilt() throws IOException {
        if (contact.isTooOld(timeOfDay.millis())) {
            throw new IOException(tooOld);
        }
        becomeReady();
        LOG.info("this node is rebuilt, and answers reads again: node={}", self);
    }

    @GuardedBy("this")
    private void becomeReady() throws IOException {
        long nowMillis = timeOfDay.millis();
        stored.update(state -> state.with(NodePhase.READY).with(LastContact.at(nowMillis)));
        contact.begin(nowMillis);
        enter(NodePhase.READY);
    }

    @GuardedBy("this")
    private void enter(NodePhase next) {
        phase = next;
        refusal = reason();
        notifyAll();
    }

    @GuardedBy("this")
    private String reason() {
        return switch (phase) {
            case READY -> null;
            case REBUILDING ->
                    "rebuilding: this node answers no reads until it has the entries of the others";
            case ASKING ->
                    "%s: this node answers no reads until %d other nodes have answered it; waiting for %s"
                            .formatted(
                                    wasAway ? "away for long" : "new data directory",
                                    agreedMin,
                                    others.notAgreed());
        };
    }
}
