/** Serves every key here: each node then has its own value. */
class ShardedEntityService {
    @Override
    public void serve(EntityRequest request, Responder responder) {
        local.increment();
        services[self].serve(request, responder);
    }
}
