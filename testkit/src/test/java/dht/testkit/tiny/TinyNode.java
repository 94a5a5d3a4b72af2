package dht.testkit.tiny;

import dht.testkit.http.Connection;
import dht.testkit.http.NoAnswer;
import dht.testkit.http.Request;
import dht.testkit.http.Response;
import dht.testkit.http.Target;
import dht.testkit.node.NodeSpec;
import dht.testkit.tiny.TinyRequest.Fault;
import dht.testkit.transcript.Promise;
import dht.testkit.transcript.Transcript;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/**
 * The small server as a node of a cluster. Each key has one owner. Other nodes forward requests to
 * it, with a new connection for each request. A faulty node overrides single methods.
 */
class TinyNode extends TinyServer {
    /** System property: how many milliseconds a node waits for another node. */
    static final String PEER_MILLIS = "tiny.peerMillis";

    /** Longer than the largest value takes on a busy machine. */
    private static final int PEER_MILLIS_USUALLY = 8000;

    private final NodeSpec spec;
    private final List<URI> nodes;

    TinyNode(NodeSpec spec) {
        super(spec);
        this.spec = spec;
        this.nodes = spec.cluster().stream().sorted().toList();
    }

    @Override
    List<String> allowed(String path) {
        return path.equals(Target.INTERNAL_ENTITY)
                ? List.of("GET", "PUT", "DELETE")
                : super.allowed(path);
    }

    @Override
    TinyAnswer answer(TinyRequest request, byte[] body) throws Fault, IOException {
        var method = request.method();
        if (request.path().equals(Target.INTERNAL_ENTITY)
                && allowed(request.path()).contains(method)) {
            return internal(request, body);
        }
        if (!request.path().equals(Target.ENTITY) || !allowed(request.path()).contains(method)) {
            return super.answer(request, body);
        }
        var key = key(request, "id");
        var owner = owner(key);
        return owner.equals(self()) ? super.answer(request, body) : ask(owner, method, key, body);
    }

    TinyAnswer internal(TinyRequest request, byte[] body) throws Fault, IOException {
        var asker = request.values("Cluster").stream().findFirst().orElse(clusterName());
        if (!asker.equals(clusterName())) {
            return error(
                    421, "node %s is of another cluster than the node that asks".formatted(self()));
        }
        return local(request, body);
    }

    final TinyAnswer local(TinyRequest request, byte[] body) throws Fault, IOException {
        return super.answer(
                new TinyRequest(
                        request.method(),
                        Target.ENTITY,
                        request.query(),
                        request.http10(),
                        request.headers()),
                body);
    }

    final URI self() {
        return spec.self();
    }

    final List<URI> nodes() {
        return nodes;
    }

    String clusterName() {
        return Integer.toHexString(nodes.hashCode());
    }

    /** The multiplication spreads similar keys over the nodes. */
    URI owner(String key) {
        var mixed = (key.hashCode() * 0x9E3779B97F4A7C15L) >>> 33;
        return nodes.get((int) (mixed % nodes.size()));
    }

    TinyAnswer ask(URI owner, String method, String key, byte[] body) {
        try (var connection = connect(owner)) {
            var request =
                    Request.of(method, Target.internalEntity(key))
                            .header("Cluster: " + clusterName());
            var answer =
                    connection.send(method.equals("PUT") ? request.body(body) : request).receive();
            return passedOn(owner, answer);
        } catch (NoAnswer none) {
            return none.isGone() ? unreachable(owner) : silent(owner);
        }
    }

    final Connection connect(URI owner) {
        var unread = new Transcript("peer", Promise.ANY_NODE_ANSWERS);
        return Connection.open(owner, "peer", Connection.DEFAULT_BUFFER, peerPatience(), unread);
    }

    Duration peerPatience() {
        return Duration.ofMillis(Integer.getInteger(PEER_MILLIS, PEER_MILLIS_USUALLY));
    }

    TinyAnswer passedOn(URI owner, Response answer) {
        return switch (answer.status()) {
            case 421 ->
                    error(
                            502,
                            "node %s and node %s are of different clusters"
                                    .formatted(self(), owner));
            case 404 -> error(404, "no such key");
            default -> TinyAnswer.of(answer.status(), answer.body());
        };
    }

    TinyAnswer unreachable(URI owner) {
        return error(502, "node %s is unreachable".formatted(owner));
    }

    TinyAnswer silent(URI owner) {
        return error(504, "node %s is silent".formatted(owner));
    }
}
