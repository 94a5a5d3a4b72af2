package dht.http;

/**
 * Serves requests for entities.
 *
 * <p>Seam: stage 1 uses the node's own storage. Stage 3 forwards requests to the key's owner.
 * Stages 4 and 5 ask several replicas.
 *
 * <p>Thread-safe.
 */
@FunctionalInterface
public interface EntityService {
    /**
     * Answers through the responder, exactly once: now, or later on any thread.
     *
     * @throws RuntimeException instead of an answer; the client then gets an error
     */
    void serve(EntityRequest request, Responder responder);

    /** This service, called on the executor's threads. The executor may refuse requests. */
    default EntityService on(RequestExecutor executor) {
        return new ExecutedService(this, executor);
    }
}
