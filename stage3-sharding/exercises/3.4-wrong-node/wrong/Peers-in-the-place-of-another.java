/** Swaps this node with the one at its index, which is then at the end instead of one further. */
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
