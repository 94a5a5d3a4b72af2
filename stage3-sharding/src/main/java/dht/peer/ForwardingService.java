package dht.peer;

import dht.http.EntityRequest;
import dht.http.EntityService;
import dht.http.Responder;

/**
 * Serves another node's keys: forwards each request to that node. Thread-safe; doesn't block the
 * caller.
 */
final class ForwardingService implements EntityService {
    private final RemoteNode node;
    private final ForwardedAnswer forwarded;

    ForwardingService(RemoteNode node) {
        this.node = node;
        this.forwarded = new ForwardedAnswer(node.address());
    }

    @Override
    public void serve(EntityRequest request, Responder responder) {
        node.ask(
                request,
                0,
                answer -> {
                    try {
                        forwarded.pass(answer, responder);
                    } catch (Throwable e) {
                        responder.fail(e);
                    }
                });
    }
}
