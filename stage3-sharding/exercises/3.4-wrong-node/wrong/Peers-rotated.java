import java.util.Collections;

/** Turns the list until this node is at its index: then the others are not at theirs. */
class Peers {
    public List<EntityService> services(EntityService self) {
        List<EntityService> services = new ArrayList<>();
        peers.forEach(peer -> services.add(new ForwardingService(peer)));
        services.add(self);
        Collections.rotate(services, topology.self() + 1);
        return services;
    }
}
