package dht.repair;

import dht.cluster.NodeAddress;
import dht.cluster.Topology;
import dht.peer.Credentials;
import dht.peer.PeerOptions;
import dht.peer.Peers;
import dht.range.ClusterRange;
import dht.range.RangeNode;
import dht.replication.Healing;
import dht.replication.Holders;
import dht.replication.HybridLogicalClock;
import dht.replication.LocalReplica;
import dht.sharding.Placement;
import dht.storage.Dao;
import dht.storage.file.LocalDirectory;
import dht.storage.file.StorageDirectory;
import dht.storage.lsm.LsmDao;
import dht.storage.manifest.ManifestFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects that this node's data was lost or is too old, and rebuilds it from the other nodes.
 *
 * <p>Thread-safe.
 */
public final class NodeReplacement implements AutoCloseable {
    /** The directory of the state, in the data directory. */
    static final String DIRECTORY = "node";

    private static final Logger LOG = LoggerFactory.getLogger(NodeReplacement.class);

    private final NodeAddress self;
    private final StorageDirectory directory;
    private final Path data;
    private final StoredState stored;
    private final OtherNodes others;
    private final Contact contact;
    private final Membership membership;
    private final NodeClient client;
    private final Greeter greeter;
    private final RebuildOptions rebuild;
    private final RepairOptions repair;
    private final RepairCounts counts = new RepairCounts();

    /**
     * The hints are opened and closed here, and not with the rest of healing. They must be closed
     * after the peers: a request that is in flight when the peers are closed leaves a hint. Null if
     * no hints are kept.
     */
    private final Hints hints;

    /**
     * Reads this node's state, and opens its hints. Must be called before the storage is opened,
     * because old data may have to be moved away.
     *
     * @param data the data directory
     * @throws IOException if the directory cannot be used
     */
    public static NodeReplacement open(
            Topology topology,
            Credentials credentials,
            PeerOptions peers,
            Path data,
            RebuildOptions rebuild,
            RepairOptions repair)
            throws IOException {
        NodeClient client = new NodeClient(credentials, peers);
        StorageDirectory directory = LocalDirectory.open(data.resolve(DIRECTORY));
        NodeReplacement replacement = null;
        boolean isOpen = false;
        try {
            replacement = new NodeReplacement(topology, client, directory, data, rebuild, repair);
            replacement.decide();
            isOpen = true;
            return replacement;
        } finally {
            if (!isOpen) {
                close(replacement == null ? null : replacement.hints, directory);
            }
        }
    }

    private NodeReplacement(
            Topology topology,
            NodeClient client,
            StorageDirectory directory,
            Path data,
            RebuildOptions rebuild,
            RepairOptions repair)
            throws IOException {
        this.self = topology.selfAddress();
        this.directory = directory;
        this.data = data;
        this.client = client;
        this.rebuild = rebuild;
        this.repair = repair;
        this.others = new OtherNodes(topology.nodes(), self);
        InstantSource timeOfDay = InstantSource.system();
        Optional<NodeState> found = NodeStateFile.load(directory);
        boolean isAbsenceChecked = rebuild.isOn() && !others.all().isEmpty();
        Absence absence =
                new Absence(
                        timeOfDay.millis(),
                        found.map(NodeState::contact).orElse(LastContact.at(0)),
                        isAbsenceChecked ? rebuild.grace() : Duration.ZERO);
        this.stored = new StoredState(directory, state(found, absence));
        this.contact = new Contact(absence, stored, others.all().size());
        this.membership = new Membership(self, others, stored, contact, timeOfDay);
        this.greeter = new Greeter(membership, others, contact, client, rebuild.grace());
        this.hints = // Last: if it fails, nothing else is to be closed.
                repair.hintWindow().isZero() ? null : Hints.open(repair, others.all(), counts);
    }

    private static void close(Hints hints, StorageDirectory directory) {
        try (directory;
                hints) {
            // Closes both, even if one cannot be closed.
        }
    }

    private NodeState state(Optional<NodeState> found, Absence absence) {
        long nowMillis = absence.startedMillis();
        boolean hasData = Files.exists(data.resolve(ManifestFile.NAME));
        // Data without a state was written by an earlier release, which had no rebuild.
        NodePhase first = hasData ? NodePhase.READY : NodePhase.ASKING;
        NodeState state = found.orElseGet(() -> NodeState.first(first, nowMillis, others.all()));
        if (state.phase() == NodePhase.READY && !hasData) { // Only the storage was lost.
            state = state.withNewIdentity().with(NodePhase.ASKING);
        } else if (state.phase() == NodePhase.REBUILDING && (!hasData || absence.isTooLong())) {
            state = begunAgain(state, hasData, nowMillis);
        }
        boolean isForced = !rebuild.isOn() && state.phase() != NodePhase.READY;
        return isForced ? withoutRebuild(state, found.isPresent()) : state;
    }

    /** A rebuild must begin again if what it has received is lost, or may be too old. */
    private static NodeState begunAgain(NodeState state, boolean hasData, long nowMillis) {
        NodeState again = state.withNoneReceived().with(LastContact.at(nowMillis));
        return hasData && state.keptName().isEmpty()
                ? again.withKept(KeptData.name(Instant.ofEpochMilli(nowMillis)))
                : again;
    }

    private static NodeState withoutRebuild(NodeState state, boolean isStored) {
        if (isStored) {
            LOG.warn(
                    "--rebuild=off: this node answers reads with what it has, though it was in phase={}:"
                            + " reads may miss acknowledged writes",
                    state.phase());
        }
        return state.with(NodePhase.READY).withKept("");
    }

    /** Asks the other nodes, and moves old data away if they say that it is too old. */
    private void decide() throws IOException {
        membership.decideAlone();
        if (membership.phase() == NodePhase.ASKING) {
            greeter.greetAll();
        }
        String kept = stored.get().keptName();
        if (!kept.isEmpty()) {
            Path old = KeptData.move(data, kept);
            LOG.warn(
                    "the old data of this node is kept in path={}: it may have writes that only this node has"
                            + " acknowledged; delete the directory when you do not need them",
                    old);
            membership.dataKept();
        }
    }

    /**
     * Throws while this node's data may be incomplete. A {@link LocalReplica} calls this before
     * reads.
     *
     * @throws dht.storage.StorageUnavailableException if the data may be incomplete
     */
    public void vote() {
        membership.vote();
    }

    /** Creates the service for ranges over this node and the others. */
    public ClusterRange clusterRange(Dao dao) {
        List<RangeNode> nodes = new ArrayList<>();
        nodes.add(entries(dao));
        others.all().forEach(node -> nodes.add(new OtherEntries(client, node)));
        return new ClusterRange(nodes);
    }

    private OwnEntries entries(Dao dao) {
        return new OwnEntries(self.url(), membership, dao);
    }

    /**
     * Starts read repair, the delivery of hints, greetings and the rebuild, as far as they are on.
     * {@link ReplicaHealing#introduce} starts anti-entropy and mending later. Must be called once,
     * after the storage was opened: from now on, old data cannot be moved away.
     */
    public ReplicaHealing heal(
            LocalReplica local,
            Placement placement,
            Peers peers,
            HybridLogicalClock clock,
            LsmDao dao) {
        membership.storageOpened();
        Holders holders = new Holders(placement, peers, local, clock, Healing.NONE);
        RunningReplacement running =
                others.all().isEmpty()
                        ? null
                        : running(local, holders, placement, peers, clock, dao);
        return ReplicaHealing.open(repair, holders, peers, clock, running, hints, counts);
    }

    private RunningReplacement running(
            LocalReplica local,
            Holders holders,
            Placement placement,
            Peers peers,
            HybridLogicalClock clock,
            LsmDao dao) {
        EntryReceiver receiver =
                new EntryReceiver(client, local, holders, rebuild.bytesPerSecondMax(), counts);
        Mending mending =
                rebuild.isMended()
                        ? new Mending(
                                new LostVersions(dao, local, dao.damagedTables(), rebuild.grace()),
                                others,
                                new EntryReceiver(
                                        client,
                                        local,
                                        holders,
                                        rebuild.bytesPerSecondMax(),
                                        new RepairCounts()))
                        : null;
        RebuildProgress progress = new RebuildProgress(others, stored);
        return new RunningReplacement(
                membership,
                others,
                progress,
                client,
                greeter,
                new Rebuild(membership, progress, receiver, dao),
                mending,
                new AntiEntropy(
                        repair,
                        membership,
                        client,
                        placement,
                        peers,
                        local,
                        clock,
                        dao,
                        () -> local.missedCount() + counts.hintLostCount()),
                entries(dao),
                counts);
    }

    /** Closes the hints, and stores this node's state. The peers must be closed before. */
    @Override
    public void close() {
        try (directory;
                hints) {
            contact.store();
        } catch (IOException e) {
            LOG.warn("cannot store this node's state: {}", e.toString());
        }
    }
}
