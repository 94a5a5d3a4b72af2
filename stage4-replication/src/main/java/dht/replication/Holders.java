package dht.replication;

import dht.http.EntityRequest;
import dht.peer.Peers;
import dht.sharding.Placement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the replicas of a key, in the order in which this node asks them. Immutable and
 * thread-safe.
 */
public final class Holders {
    private final Placement placement;
    private final int self;
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
        this.self = peers.self();
        this.replicas = new ArrayList<>();
        peers.all().forEach(peer -> replicas.add(new PeerReplica(peer, clock, healing)));
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
     * of one node go to the same few others.
     */
    public List<Replica> of(byte[] key, int from) {
        int[] nodes = placement.preferenceList(key, from);
        int[] distances = new int[nodes.length];
        for (int i = 0; i < nodes.length; i++) {
            distances[i] = Math.floorMod(nodes[i] - self, replicas.size());
        }
        Arrays.sort(distances);
        List<Replica> holders = new ArrayList<>(distances.length);
        for (int distance : distances) {
            holders.add(replicas.get((self + distance) % replicas.size()));
        }
        return holders;
    }

    /**
     * The replicas of a key, in the order in which a read asks them: as {@link #of}, but those that
     * are known to answer no reads come last. They are still asked, because what is known may be
     * out of date.
     */
    List<Replica> toRead(byte[] key, int from) {
        List<Replica> holders = of(key, from);
        int next = 0;
        for (int left = holders.size(); left > 0; left--) {
            if (holders.get(next).isIncomplete()) {
                holders.add(holders.remove(next));
            } else {
                next++;
            }
        }
        return holders;
    }
}
