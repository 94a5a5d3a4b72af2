package dht.peer;

import dht.cluster.NodeAddress;
import dht.http.LocalEntityService;
import dht.http.Responder;
import dht.http.Response;
import dht.http.Status;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.CircuitOpen;
import dht.peer.PeerAnswer.NoMemory;
import dht.peer.PeerAnswer.OwnFailure;
import dht.peer.PeerAnswer.QueueFull;
import dht.peer.PeerAnswer.TimedOut;
import dht.peer.PeerAnswer.TooLarge;
import dht.peer.PeerAnswer.Unreachable;
import dht.storage.ReadOutcome.Found;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Turns another node's answer into the answer to the client. A value, and the statuses 201, 202 and
 * 404, are passed on. The text of a failure names the node, except if this node has no memory for
 * the answer, or if the other node's own text is passed on. Thread-safe.
 */
final class ForwardedAnswer {
    private static final Map<Integer, Status> STATUSES =
            Arrays.stream(Status.values())
                    .collect(
                            Collectors.toMap(
                                    Status::code, Function.identity(), (first, _) -> first));

    private final NodeAddress node;
    private final Response queueFull;
    private final Response noMemory = Response.unavailable("too many large values at a time");

    ForwardedAnswer(NodeAddress node) {
        this.node = node;
        this.queueFull = Response.unavailable("too many requests wait for node " + node);
    }

    /**
     * Answers the client. The memory of the answer is always released, even if something is thrown.
     */
    void pass(PeerAnswer answer, Responder responder) {
        boolean isTakenOver = false;
        try {
            if (answer instanceof Answered answered && answered.status() == Status.OK.code()) {
                Found found = answered.found();
                isTakenOver = true;
                responder.respond(found);
            } else {
                responder.respond(response(answer));
            }
        } finally {
            if (!isTakenOver) {
                answer.release();
            }
        }
    }

    private Response response(PeerAnswer answer) {
        return switch (answer) {
            case Answered answered -> response(answered);
            case CircuitOpen rejected -> failure(rejected.last());
            default -> failure(answer);
        };
    }

    private Response failure(PeerAnswer answer) {
        return switch (answer) {
            case TooLarge _, NoMemory _ -> noMemory;
            case QueueFull _ -> queueFull;
            case OwnFailure _ -> failure(Status.INTERNAL_ERROR, answer);
            case Unreachable _ -> failure(Status.BAD_GATEWAY, answer);
            case TimedOut _, CircuitOpen _, Answered _ -> failure(Status.GATEWAY_TIMEOUT, answer);
        };
    }

    private Response failure(Status status, PeerAnswer answer) {
        return Response.of(status, "node " + node + " " + answer.description());
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
