package dht.replication;

import dht.http.EntityRequest;
import dht.http.EntityService;
import dht.http.RequestException;
import dht.http.Responder;
import dht.peer.Peers;
import dht.sharding.Placement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Coordinates: has each request answered by the replicas of its key, this node first if it is one
 * of them. How these are asked is up to the {@link FanOut}.
 *
 * <p>Thread-safe. To be called on a thread of the pool.
 */
public final class ReplicatedEntityService implements EntityService {
    private final Placement placement;
    private final int self;
    private final LocalReplica local;
    private final List<Replica> replicas;
    private final QuorumParameters parameters;
    private final FanOut fanOut;

    public ReplicatedEntityService(
            Placement placement,
            Peers peers,
            LocalReplica local,
            HybridLogicalClock clock,
            FanOut fanOut) {
        this.placement = placement;
        this.self = peers.self();
        this.local = local;
        this.replicas = new ArrayList<>();
        peers.all().forEach(peer -> replicas.add(new PeerReplica(peer, clock)));
        this.replicas.add(self, local);
        this.parameters = new QuorumParameters(replicas.size());
        this.fanOut = fanOut;
    }

    @Override
    public void serve(EntityRequest request, Responder responder) {
        Quorum quorum;
        try {
            quorum = parameters.of(request.http());
        } catch (RequestException e) {
            responder.respond(e.response());
            return;
        }
        List<Replica> holders = holders(request.key(), quorum.from());
        if (holders.getFirst() == local) {
            holders.set(0, local.loggedBy(responder));
        }
        switch (request) {
            case EntityRequest.Get get -> fanOut.read(get, responder, quorum, holders);
            case EntityRequest.Put _, EntityRequest.Delete _ ->
                    fanOut.write(request, responder, quorum, holders);
        }
    }

    /**
     * The replicas of a key, in the order in which they are asked: this node, and then those that
     * follow it in the cluster. So every node asks another one, and what it has to ask comes
     * together at few of them.
     */
    List<Replica> holders(byte[] key, int from) {
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
}
