package dht.http;

/**
 * What answers requests for entities.
 *
 * <p>Seam: stage 1 answers from the node's own storage; stage 3 forwards to the key's owner, stages
 * 4 and 5 ask several replicas.
 *
 * <p>Thread-safe.
 */
@FunctionalInterface
public interface EntityService {
    /**
     * Answers through the responder, exactly once: now, or later on any thread.
     *
     * @throws RuntimeException instead of answering; then the client is told of the failure
     */
    void serve(EntityRequest request, Responder responder);

    /** This service, done where the executor says, which may refuse. */
    default EntityService on(RequestExecutor executor) {
        return new ExecutedService(this, executor);
    }
}
