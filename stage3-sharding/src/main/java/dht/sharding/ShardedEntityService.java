package dht.sharding;

import dht.http.EntityRequest;
import dht.http.EntityService;
import dht.http.EventCounter;
import dht.http.Responder;
import java.util.List;

/**
 * Passes each request to the service of the node that owns its key. Thread-safe.
 *
 * <p>Called on the selector thread. So a request changes threads only once: to a thread of the
 * service that answers it. A large value for another node passes through one thread more, which
 * sends it.
 */
public final class ShardedEntityService implements EntityService {
    private final Placement placement;
    private final int self;
    private final EntityService[] services;
    private final EventCounter local = new EventCounter();
    private final EventCounter forwarded = new EventCounter();

    /**
     * @param self the index of this node
     * @param services the service for each node, by its index; they must not block the caller
     */
    public ShardedEntityService(Placement placement, int self, List<EntityService> services) {
        this.placement = placement;
        this.self = self;
        this.services = services.toArray(EntityService[]::new);
    }

    @Override
    public void serve(EntityRequest request, Responder responder) {
        int owner = placement.owner(request.key());
        (owner == self ? local : forwarded).increment();
        services[owner].serve(request, responder);
    }

    /** Requests for keys of this node. */
    public long localCount() {
        return local.sum();
    }

    /** Requests for keys of other nodes. */
    public long forwardedCount() {
        return forwarded.sum();
    }
}
