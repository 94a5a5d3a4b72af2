package dht.peer;

import dht.cluster.NodeAddress;
import dht.http.LocalEntityService;
import dht.http.Responder;
import dht.http.Response;
import dht.http.Status;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.CircuitOpen;
import dht.peer.PeerAnswer.QueueFull;
import dht.peer.PeerAnswer.TimedOut;
import dht.peer.PeerAnswer.TooLarge;
import dht.peer.PeerAnswer.Unreachable;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Passes a node's answers on to clients: what it said of an entity as it is. Thread-safe. */
final class ForwardedAnswer {
    private static final Map<Integer, Status> STATUSES =
            Arrays.stream(Status.values())
                    .collect(
                            Collectors.toMap(
                                    Status::code, Function.identity(), (first, _) -> first));

    private final NodeAddress node;
    private final Response busy;
    private final Response noMemory = Response.unavailable("too many large values at a time");

    ForwardedAnswer(NodeAddress node) {
        this.node = node;
        this.busy = Response.unavailable("too many requests wait for node " + node);
    }

    void pass(PeerAnswer answer, Responder responder) {
        switch (answer) {
            case Answered answered -> pass(answered, responder);
            case CircuitOpen notAsked -> responder.respond(failure(notAsked.last()));
            default -> responder.respond(failure(answer));
        }
    }

    private Response failure(PeerAnswer answer) {
        return switch (answer) {
            case TooLarge _ -> noMemory;
            case QueueFull _ -> busy;
            case Unreachable _ -> failure(Status.BAD_GATEWAY, answer);
            case TimedOut _, CircuitOpen _, Answered _ -> failure(Status.GATEWAY_TIMEOUT, answer);
        };
    }

    private Response failure(Status status, PeerAnswer answer) {
        return Response.of(status, "node " + node + " " + answer.verdict());
    }

    private void pass(Answered answered, Responder responder) {
        if (answered.status() == Status.OK.code()) {
            responder.respond(answered.found());
            return;
        }
        Response response;
        try {
            response = response(answered);
        } finally {
            answered.release();
        }
        responder.respond(response);
    }

    private Response response(Answered answered) {
        Status status = STATUSES.get(answered.status());
        return switch (status) {
            case CREATED -> LocalEntityService.CREATED;
            case ACCEPTED -> LocalEntityService.ACCEPTED;
            case NOT_FOUND -> LocalEntityService.NOT_FOUND;
            case SERVICE_UNAVAILABLE ->
                    Response.unavailable("node " + node + ": " + answered.firstLine());
            case INTERNAL_ERROR ->
                    Response.of(status, "node " + node + ": " + answered.firstLine());
            case MISDIRECTED_REQUEST -> Response.of(Status.BAD_GATEWAY, answered.firstLine());
            case null, default ->
                    Response.of(
                            Status.BAD_GATEWAY,
                            "node %s answered %d: %s"
                                    .formatted(node, answered.status(), answered.firstLine()));
        };
    }
}
