package dht.replication;

import dht.http.EntityRequest;
import dht.http.EntityService;
import dht.http.MemoryBudget;
import dht.http.RequestException;
import dht.http.RequestExecutor;
import dht.http.Responder;
import dht.peer.Peers;
import dht.sharding.Placement;
import java.util.ArrayList;
import java.util.List;

/**
 * Coordinates: has each request answered by the replicas of its key, one after the other, this node
 * first if it is one of them.
 *
 * <p>A request travels. It begins on a worker of the pool, which does what is this node's own; each
 * further step is done by a thread of the {@link dht.peer.Peer} that is asked, and blocks that
 * thread alone. So a replica that is slow holds up its own threads and its own bounded queue, never
 * the pool, and so neither the other replicas nor the copies that other nodes ask for: these could
 * else wait for each other in a circle.
 *
 * <p>Thread-safe. To be called on a thread of the pool.
 */
public final class ReplicatedEntityService implements EntityService {
    private final Placement placement;
    private final int self;
    private final List<Replica> replicas;
    private final QuorumParameters parameters;
    private final HybridLogicalClock clock;
    private final RequestExecutor executor;
    private final MemoryBudget lateMemory;
    private final ReplicationCounts counts = new ReplicationCounts();

    /**
     * @param executor the pool
     * @param lateMemory of values whose further copies are written after the answer
     */
    public ReplicatedEntityService(
            Placement placement,
            Peers peers,
            LocalReplica local,
            HybridLogicalClock clock,
            RequestExecutor executor,
            MemoryBudget lateMemory) {
        this.placement = placement;
        this.self = peers.self();
        this.replicas = new ArrayList<>();
        peers.all().forEach(peer -> replicas.add(new PeerReplica(peer, clock)));
        this.replicas.add(self, local);
        this.parameters = new QuorumParameters(replicas.size());
        this.clock = clock;
        this.executor = executor;
        this.lateMemory = lateMemory;
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
        switch (request) {
            case EntityRequest.Get get ->
                    new SequentialRead(get, responder, quorum, holders, counts).step();
            case EntityRequest.Put _, EntityRequest.Delete _ ->
                    new SequentialWrite(request, responder, quorum, holders, this).begin();
        }
    }

    /** The replicas of a key, in the order in which they are asked. */
    private List<Replica> holders(byte[] key, int from) {
        List<Replica> holders = new ArrayList<>(from);
        for (int node : placement.preferenceList(key, from)) {
            holders.add(node == self ? 0 : holders.size(), replicas.get(node));
        }
        return holders;
    }

    HybridLogicalClock clock() {
        return clock;
    }

    RequestExecutor executor() {
        return executor;
    }

    MemoryBudget lateMemory() {
        return lateMemory;
    }

    /** What became of requests so far. */
    public ReplicationCounts counts() {
        return counts;
    }
}
