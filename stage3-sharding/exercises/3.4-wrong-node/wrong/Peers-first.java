/** Puts this node first: right for the first node of the cluster alone. */
class Peers {
    public List<EntityService> services(EntityService self) {
        List<EntityService> services = new ArrayList<>();
        services.add(self);
        peers.forEach(peer -> services.add(new ForwardingService(peer)));
        return services;
    }
}
