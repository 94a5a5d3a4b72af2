package dht.repair;

import dht.cluster.NodeAddress;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends greetings to all other nodes at intervals, so that each node knows the identities and
 * phases of the others. Until this node is READY, the pause between two rounds is half a second.
 *
 * <p>Thread-safe. Its own thread does the work.
 */
final class Greeter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Greeter.class);
    private static final Duration PAUSE_MIN = Duration.ofMillis(500);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(10);

    /**
     * After this many rounds of greetings, which take 5 seconds or more, a warning says that the
     * node still waits. The nodes of a new cluster should have started by then.
     */
    private static final int SILENT_ROUNDS = 10;

    private final Membership membership;
    private final OtherNodes others;
    private final Contact contact;
    private final NodeClient client;
    private final Duration pause;
    private int rounds; // Used by the thread.
    private final Set<NodeAddress> unknowing = ConcurrentHashMap.newKeySet();
    private final RepairThread thread = new RepairThread("greeter", this::greetAndWait);

    /**
     * @param grace how long tombstones are kept. The pause between two rounds of a READY node is a
     *     quarter of this, but at least half a second and at most 10 seconds; zero: 10 seconds
     */
    Greeter(
            Membership membership,
            OtherNodes others,
            Contact contact,
            NodeClient client,
            Duration grace) {
        this.membership = membership;
        this.others = others;
        this.contact = contact;
        this.client = client;
        Duration quarter = grace.isZero() ? PAUSE_MAX : Absence.part(grace, 4);
        Duration shorter = quarter.compareTo(PAUSE_MAX) < 0 ? quarter : PAUSE_MAX;
        this.pause = shorter.compareTo(PAUSE_MIN) > 0 ? shorter : PAUSE_MIN;
    }

    void start() {
        thread.start();
    }

    private void greetAndWait() throws InterruptedException {
        greetAll();
        try {
            contact.store();
        } catch (IOException e) {
            LOG.warn("cannot store this node's state: {}", e.toString());
        }
        rounds++;
        if (rounds == SILENT_ROUNDS && membership.phase() == NodePhase.ASKING) {
            LOG.warn("{} (start them, or see --rebuild)", membership.refusal());
        }
        membership.awaitChange(membership.phase() == NodePhase.READY ? pause : PAUSE_MIN);
    }

    /** Greets each other node once. A node that does not answer is skipped. */
    void greetAll() {
        for (NodeAddress node : others.all()) {
            try {
                greet(node);
            } catch (IOException | IllegalArgumentException e) {
                LOG.debug("node {} was not greeted: {}", node, e.toString());
            }
        }
    }

    private void greet(NodeAddress node) throws IOException {
        try {
            byte[] body = membership.greeting(node).toBytes();
            membership.heard(Greeting.parse(client.put(node, Greeting.PATH, body).body()));
            unknowing.remove(node);
        } catch (NodeClient.Refused e) {
            if (!e.isUnknownPath()) {
                throw e;
            }
            if (unknowing.add(node)) {
                LOG.warn(
                        "{}: it runs an earlier release, and remembers no identities",
                        e.getMessage());
            }
            membership.heardNothing(node);
        }
    }

    @Override
    public void close() {
        thread.close();
    }
}
