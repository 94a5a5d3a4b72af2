package dht.peer;

import static java.nio.charset.StandardCharsets.UTF_8;

import dht.cluster.NodeAddress;
import dht.http.LocalEntityService;
import dht.http.Responder;
import dht.http.Response;
import dht.http.Status;
import dht.peer.PeerAnswer.Answered;
import dht.storage.ReadOutcome.Found;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Passes a node's answers on to clients: what it said of an entity as it is. Thread-safe. */
final class ForwardedAnswer {
    private static final Map<Integer, Status> STATUSES =
            Arrays.stream(Status.values())
                    .collect(Collectors.toMap(Status::code, Function.identity()));

    private final NodeAddress node;

    ForwardedAnswer(NodeAddress node) {
        this.node = node;
    }

    void pass(Answered answered, Responder responder) {
        if (answered.status() == Status.OK.code()) {
            responder.respond(new Found(answered.body(), 0, answered.hold()));
            return;
        }
        Response response = response(answered);
        answered.hold().release();
        responder.respond(response);
    }

    private Response response(Answered answered) {
        Status status = STATUSES.get(answered.status());
        return switch (status) {
            case CREATED -> LocalEntityService.CREATED;
            case ACCEPTED -> LocalEntityService.ACCEPTED;
            case NOT_FOUND -> LocalEntityService.NOT_FOUND;
            case SERVICE_UNAVAILABLE ->
                    Response.unavailable("node " + node + ": " + line(answered));
            case INTERNAL_ERROR -> Response.of(status, "node " + node + ": " + line(answered));
            case MISDIRECTED_REQUEST -> Response.of(Status.BAD_GATEWAY, line(answered));
            case null, default ->
                    Response.of(
                            Status.BAD_GATEWAY,
                            "node %s answered %d: %s"
                                    .formatted(node, answered.status(), line(answered)));
        };
    }

    private static String line(Answered answered) {
        String text = new String(answered.body().toArray(ValueLayout.JAVA_BYTE), UTF_8);
        return text.lines().findFirst().orElse("");
    }
}
