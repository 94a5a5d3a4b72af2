/** This node is the last of the list, whatever its index. */
class Peers {
    public List<EntityService> services(EntityService self) {
        List<EntityService> services = new ArrayList<>();
        peers.forEach(peer -> services.add(new ForwardingService(peer)));
        services.add(self);
        return services;
    }
}
