/** Swaps this node with the node at its index: that node is then at the end, and not one place later. */
class Peers {
    public List<EntityService> services(EntityService self) {
        List<EntityService> services = new ArrayList<>();
        peers.forEach(peer -> services.add(new ForwardingService(peer)));
        services.add(self);
        EntityService moved = services.set(topology.self(), self);
        services.set(services.size() - 1, moved);
        return services;
    }
}
