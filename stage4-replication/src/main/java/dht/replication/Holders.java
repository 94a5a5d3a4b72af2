package dht.replication;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.peer.Peers;
import dht.sharding.Placement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Finds the replicas of a key, in the order in which this node asks them. Thread-safe. */
public final class Holders {
    private final Placement placement;
    private final Healing healing;
    private final int self;
    private final List<NodeAddress> addresses; // One per node, by the node's index.
    private final List<Replica> replicas; // One per node, by the node's index.

    /**
     * @param healing is notified of writes that other nodes have not stored, and knows which nodes
     *     answer no reads
     */
    public Holders(
            Placement placement,
            Peers peers,
            LocalReplica local,
            HybridLogicalClock clock,
            Healing healing) {
        this.placement = placement;
        this.healing = healing;
        this.self = peers.self();
        this.addresses = new ArrayList<>();
        this.replicas = new ArrayList<>();
        peers.all().forEach(peer -> addresses.add(peer.address()));
        peers.all().forEach(peer -> replicas.add(new PeerReplica(peer, clock, healing)));
        this.addresses.add(self, peers.selfAddress());
        this.replicas.add(self, local);
    }

    public int nodeCount() {
        return replicas.size();
    }

    /** The same write; it says how many nodes hold the version, unless all of them do. */
    public EntityRequest placed(EntityRequest write, int from) {
        int recorded = PlacementRecord.recorded(from, nodeCount());
        return recorded == 0 ? write : write.withFrom(recorded);
    }

    /**
     * The replicas of a key, in the order in which they are asked: this node first, then the nodes
     * that follow it in the cluster. So each node prefers a different other node, and most requests
     * of one node go to the same few others. Nodes whose data may be incomplete come last: they
     * answer no reads, and are busy. They are still asked, because what is known may be out of
     * date.
     */
    public List<Replica> of(byte[] key, int from) {
        int[] nodes = placement.preferenceList(key, from);
        int count = replicas.size();
        int[] ranks = new int[nodes.length];
        for (int i = 0; i < nodes.length; i++) {
            int distance = Math.floorMod(nodes[i] - self, count);
            ranks[i] = isIncomplete(nodes[i]) ? distance + count : distance;
        }
        Arrays.sort(ranks);
        List<Replica> holders = new ArrayList<>(ranks.length);
        for (int rank : ranks) {
            holders.add(replicas.get((self + rank) % count));
        }
        return holders;
    }

    private boolean isIncomplete(int node) {
        return node != self && healing.isIncomplete(addresses.get(node));
    }
}
