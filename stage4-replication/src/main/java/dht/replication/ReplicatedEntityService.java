package dht.replication;

import dht.http.EntityRequest;
import dht.http.EntityService;
import dht.http.RequestException;
import dht.http.Responder;
import java.util.List;

/**
 * The coordinator: finds the replicas of each request's key, with this node first if it is one of
 * them, and asks them through the {@link FanOut}.
 *
 * <p>Thread-safe. Called on threads of the pool.
 */
public final class ReplicatedEntityService implements EntityService {
    private final LocalReplica local;
    private final Holders holders;
    private final QuorumParameters parameters;
    private final RegisterParameter register;
    private final FanOut fanOut;

    /**
     * @param usual the kind of register for requests that do not name one
     */
    public ReplicatedEntityService(
            LocalReplica local, Holders holders, FanOut fanOut, RegisterKind usual) {
        this.local = local;
        this.holders = holders;
        this.parameters = new QuorumParameters(holders.nodeCount());
        this.register = new RegisterParameter(usual);
        this.fanOut = fanOut;
    }

    @Override
    public void serve(EntityRequest request, Responder responder) {
        Quorum quorum;
        RegisterKind kind;
        try {
            quorum = parameters.of(request.http());
            kind = register.of(request.http());
        } catch (RequestException e) {
            responder.respond(e.response());
            return;
        }
        List<Replica> replicas = holders.of(request.key(), quorum.from());
        if (replicas.getFirst() == local) {
            replicas.set(0, local.loggedBy(responder));
        }
        switch (request) {
            case EntityRequest.Get get -> fanOut.read(get, responder, quorum, kind, replicas);
            case EntityRequest.Put _, EntityRequest.Delete _ ->
                    fanOut.write(
                            holders.placed(request, quorum.from()),
                            responder,
                            quorum,
                            kind,
                            replicas);
        }
    }
}
