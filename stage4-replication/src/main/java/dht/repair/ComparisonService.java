package dht.repair;

import static java.nio.charset.StandardCharsets.UTF_8;

import dht.http.HttpRequest;
import dht.http.Method;
import dht.http.OwnedBytes;
import dht.http.RequestException;
import dht.http.RequestExecutor;
import dht.http.Responder;
import dht.http.Response;
import dht.http.Router;
import dht.repair.RepairMessage.Head;
import dht.repair.VersionTree.Verdict;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

/**
 * Serves the requests of comparisons. Another node that compares itself with this one asks for
 * digests and versions. An operator can start this node's own comparisons.
 *
 * <p>Thread-safe.
 */
final class ComparisonService {
    /** PUT starts comparisons with all nodes; GET returns their states. */
    static final String PATH = "/internal/v0/repair";

    private static final String TEXT = "text/plain; charset=utf-8";

    /** Finds the tree over the versions that this node shares with another one. */
    @FunctionalInterface
    interface Trees {
        VersionTree sharedWith(int node, long forgottenMicros) throws RequestException;
    }

    private final Trees trees;
    private final Membership membership;
    private final ComparisonQueue queue;
    private final RequestExecutor executor;

    /**
     * @param membership knows whether this node's data is complete
     */
    ComparisonService(
            Trees trees, Membership membership, ComparisonQueue queue, RequestExecutor executor) {
        this.trees = trees;
        this.membership = membership;
        this.queue = queue;
        this.executor = executor;
    }

    void route(Router router) {
        router.route(RepairMessage.DIGESTS, Map.of(Method.PUT, handler(this::verdicts)));
        router.route(RepairMessage.VERSIONS, Map.of(Method.PUT, handler(this::page)));
        router.route(PATH, Map.of(Method.PUT, this::start, Method.GET, this::describe));
    }

    private Router.Handler handler(RepairMessage.Parser<byte[]> question) {
        return (http, responder) -> {
            executor.execute(new AnswerTask(() -> answer(question, http.body()), responder));
        };
    }

    private byte[] answer(RepairMessage.Parser<byte[]> question, OwnedBytes body)
            throws RequestException {
        membership.vote();
        return RepairMessage.parse(body.segment().asByteBuffer(), question);
    }

    private byte[] verdicts(ByteBuffer message) throws RequestException {
        VersionTree tree = tree(message);
        List<Verdict> verdicts = RepairMessage.parts(message).stream().map(tree::verdict).toList();
        return RepairMessage.ofVerdicts(verdicts);
    }

    private byte[] page(ByteBuffer message) throws RequestException {
        VersionTree tree = tree(message);
        return RepairMessage.ofPage(tree.page(RepairMessage.range(message)));
    }

    private VersionTree tree(ByteBuffer message) throws RequestException {
        Head head = Head.read(message);
        return trees.sharedWith(head.asker(), head.forgottenMicros());
    }

    private void start(HttpRequest http, Responder responder) {
        queue.askAll();
        describe(http, responder);
    }

    private void describe(HttpRequest http, Responder responder) {
        responder.respond(Response.text(TEXT, queue.describe().getBytes(UTF_8)));
    }
}
