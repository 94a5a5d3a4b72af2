package dht.testkit.tiny;

import dht.testkit.http.Response;
import dht.testkit.node.NodeSpec;
import dht.testkit.tiny.TinyRequest.Fault;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Stream;

/** Nodes with faults in finding the owner of a key, and in forwarding requests to it. */
final class WrongClusters {
    private WrongClusters() {}

    private static Wrong node(String fault, Function<NodeSpec, TinyNode> node, String... caughtBy) {
        return Wrong.server(fault, node::apply, caughtBy);
    }

    static Stream<Wrong> all() {
        return Stream.concat(asking(), losing());
    }

    private static Stream<Wrong> asking() {
        return Stream.of(
                node(
                        "a key of another node is a 404",
                        spec ->
                                new TinyNode(spec) {
                                    @Override
                                    TinyAnswer ask(
                                            URI owner, String method, String key, byte[] body) {
                                        return method.equals("GET")
                                                ? error(404, "no such key")
                                                : super.ask(owner, method, key, body);
                                    }
                                },
                        "put_throughAnyNode_isReadThroughEach"),
                node(
                        "a value of another node is cached",
                        Remembering::new,
                        "put_overAnotherThroughAnyNode_isReadThroughEach"),
                node(
                        "a delete of another node's key is not passed on",
                        spec ->
                                new TinyNode(spec) {
                                    @Override
                                    TinyAnswer ask(
                                            URI owner, String method, String key, byte[] body) {
                                        return method.equals("DELETE")
                                                ? TinyAnswer.of(202, new byte[0])
                                                : super.ask(owner, method, key, body);
                                    }
                                },
                        "delete_throughAnyNode_isSeenThroughEach"),
                node(
                        "a large value is cut between nodes",
                        spec ->
                                new TinyNode(spec) {
                                    @Override
                                    TinyAnswer passedOn(URI owner, Response answer) {
                                        var size = Math.min(answer.body().length, 64 << 10);
                                        return answer.status() == 200
                                                ? TinyAnswer.of(
                                                        200, Arrays.copyOf(answer.body(), size))
                                                : super.passedOn(owner, answer);
                                    }
                                },
                        "value_ofAnySize_passesBetweenNodesWhole"),
                node(
                        "a plus is a space between nodes",
                        spec ->
                                new TinyNode(spec) {
                                    @Override
                                    TinyAnswer ask(
                                            URI owner, String method, String key, byte[] body) {
                                        var wrong = key.replace('+', ' ');
                                        return super.ask(owner, method, wrong, body);
                                    }
                                },
                        "key_ofAnyBytes_isTheSameOnEachNode"),
                node(
                        "a node that passes a value on stores a copy",
                        spec ->
                                new TinyNode(spec) {
                                    @Override
                                    TinyAnswer ask(
                                            URI owner, String method, String key, byte[] body) {
                                        keepCopy(method, key, body);
                                        return super.ask(owner, method, key, body);
                                    }

                                    private void keepCopy(String method, String key, byte[] body) {
                                        try {
                                            if (method.equals("PUT")) {
                                                store().put(key, body);
                                            }
                                        } catch (IOException failed) {
                                            throw new AssertionError(failed);
                                        }
                                    }
                                },
                        "key_writtenThroughEveryNode_isOnOneAlone"),
                node(
                        "one node owns all keys",
                        spec ->
                                new TinyNode(spec) {
                                    @Override
                                    URI owner(String key) {
                                        return nodes().getFirst();
                                    }
                                },
                        "keys_thatFollowEachOther_areSpreadOverAllNodes"),
                node(
                        "another node's value is deleted before it is replaced",
                        spec ->
                                new TinyNode(spec) {
                                    @Override
                                    TinyAnswer ask(
                                            URI owner, String method, String key, byte[] body) {
                                        if (method.equals("PUT")) {
                                            super.ask(owner, "DELETE", key, body);
                                            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
                                        }
                                        return super.ask(owner, method, key, body);
                                    }
                                },
                        "key_usedByManyThroughAllNodes_isNeverMissingOrMixed"),
                node(
                        "an internal request is forwarded too",
                        spec ->
                                new TinyNode(spec) {
                                    @Override
                                    TinyAnswer internal(TinyRequest request, byte[] body)
                                            throws Fault, IOException {
                                        var key = key(request, "id");
                                        return owner(key).equals(self())
                                                ? local(request, body)
                                                : ask(owner(key), request.method(), key, body);
                                    }
                                },
                        "internalRequest_toAnyNode_isAnsweredFromItsOwnStorage"),
                node(
                        "nodes forward in a circle",
                        Circling::new,
                        "put_throughAnyNode_isReadThroughEach",
                        "key_writtenThroughEveryNode_isOnOneAlone"),
                node(
                        "nodes of different clusters work together",
                        spec ->
                                new TinyNode(spec) {
                                    @Override
                                    String clusterName() {
                                        return "any";
                                    }
                                },
                        "clusterLists_thatDiffer_areToldOnFirstContact"));
    }

    private static Stream<Wrong> losing() {
        return Stream.of(
                node(
                        "a key whose owner is down is a 404",
                        spec ->
                                new TinyNode(spec) {
                                    @Override
                                    TinyAnswer unreachable(URI owner) {
                                        return error(404, "no such key");
                                    }
                                },
                        "owner_thatIsDown_is502ForItsKeysAlone",
                        "owner_thatWasKilled_is502ForItsKeysAlone"),
                node(
                        "an owner that was down is never asked again",
                        Unforgiving::new,
                        "owner_startedAgain_isServedThroughEachNode"),
                node(
                        "a node forgets its keys when it stops",
                        spec ->
                                new TinyNode(spec) {
                                    @Override
                                    TinyStore openStore(Path directory) throws IOException {
                                        Files.deleteIfExists(directory.resolve("log"));
                                        return super.openStore(directory);
                                    }
                                },
                        "cluster_startedAgain_hasEveryKeyWhereItWas"));
    }

    /** Caches the answers of other nodes, and returns them for later requests. */
    private static final class Remembering extends TinyNode {
        private final Map<String, TinyAnswer> answers = new ConcurrentHashMap<>();

        Remembering(NodeSpec spec) {
            super(spec);
        }

        @Override
        TinyAnswer ask(URI owner, String method, String key, byte[] body) {
            return method.equals("GET")
                    ? answers.computeIfAbsent(key, _ -> super.ask(owner, method, key, body))
                    : super.ask(owner, method, key, body);
        }
    }

    /** Forwards every request to the next node, which forwards it to the next one. */
    private static final class Circling extends TinyNode {
        Circling(NodeSpec spec) {
            super(spec);
        }

        /** Until then, every step in the circle holds a connection. */
        @Override
        Duration peerPatience() {
            return Duration.ofMillis(200);
        }

        @Override
        URI owner(String key) {
            return nodes().get((nodes().indexOf(self()) + 1) % nodes().size());
        }

        @Override
        TinyAnswer internal(TinyRequest request, byte[] body) throws Fault, IOException {
            var key = key(request, "id");
            return ask(owner(key), request.method(), key, body);
        }
    }

    /** Never asks a node again after it once did not answer. */
    static final class Unforgiving extends TinyNode {
        private final Set<URI> written = ConcurrentHashMap.newKeySet();

        Unforgiving(NodeSpec spec) {
            super(spec);
        }

        @Override
        TinyAnswer ask(URI owner, String method, String key, byte[] body) {
            return written.contains(owner)
                    ? unreachable(owner)
                    : super.ask(owner, method, key, body);
        }

        @Override
        TinyAnswer unreachable(URI owner) {
            written.add(owner);
            return super.unreachable(owner);
        }

        @Override
        TinyAnswer silent(URI owner) {
            written.add(owner);
            return super.silent(owner);
        }
    }

    /** Serves only one request at a time. */
    static final class OneByOne extends TinyNode {
        OneByOne(NodeSpec spec) {
            super(spec);
        }

        @Override
        synchronized TinyAnswer answer(TinyRequest request, byte[] body) throws Fault, IOException {
            return super.answer(request, body);
        }
    }

    /** Answers 404 if the owner does not answer, as if the owner did not have the key. */
    static final class Assuming extends TinyNode {
        Assuming(NodeSpec spec) {
            super(spec);
        }

        @Override
        TinyAnswer silent(URI owner) {
            return error(404, "no such key");
        }
    }
}
