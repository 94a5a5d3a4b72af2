/** Serves every key on this node: each node then has a value of its own. */
class ShardedEntityService {
    @Override
    public void serve(EntityRequest request, Responder responder) {
        local.increment();
        services[self].serve(request, responder);
    }
}
