/** Puts this node first, which is right only for the first node of the cluster. */
class Peers {
    public List<EntityService> services(EntityService self) {
        List<EntityService> services = new ArrayList<>();
        services.add(self);
        peers.forEach(peer -> services.add(new ForwardingService(peer)));
        return services;
    }
}
