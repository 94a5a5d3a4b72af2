package dht.testkit.tiny;

import static dht.testkit.tiny.Wrong.server;
import static java.nio.charset.StandardCharsets.UTF_8;

import dht.testkit.tiny.TinyRequest.Fault;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.stream.Stream;

/** Servers that are wrong about ranges over the cluster. */
final class WrongClusterRanges {
    private static final String EACH_ONCE = "clusterRange_ofEntriesOnAnyNodes_hasEachOnce";
    private static final String HAS_LENGTHS =
            "clusterRange_ofKeysWithLineFeeds_isTakenApartByLengths";
    private static final String IS_COMPLETE =
            "clusterRange_whenAsManyNodesAreLostAsMayBe_isComplete";
    private static final String IS_BROKEN_OFF = "clusterRange_whenTooManyNodesAreLost_isBrokenOff";

    private WrongClusterRanges() {}

    static Stream<Wrong> all() {
        return Stream.of(entries(), lengths(), losses(), readers()).flatMap(Function.identity());
    }

    private static Stream<Wrong> entries() {
        return Stream.of(
                server(
                        "a range over the cluster has only the own entries",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    List<URI> rangeNodes() {
                                        return List.of(self(), self(), self());
                                    }
                                },
                        EACH_ONCE),
                server(
                        "a range over the cluster has each copy",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    void sendEntries(OutputStream out, Map<String, byte[]> entries)
                                            throws IOException {
                                        for (var entry : entries.entrySet()) {
                                            var chunk = chunk(entry.getKey(), entry.getValue());
                                            out.write(chunk);
                                            out.write(chunk);
                                        }
                                        out.write(TinyAnswer.chunk(new byte[0]));
                                    }
                                },
                        EACH_ONCE),
                server(
                        "each range is over the cluster",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    String scope(TinyRequest request) throws Fault {
                                        return "cluster";
                                    }
                                },
                        "range_withOrWithoutNodeScope_isOfOneNode"),
                server(
                        "a range over the cluster has any version",
                        node ->
                                new HintlessReplica(node) {
                                    @Override
                                    TinyVersion choose(List<TinyVersion> versions) {
                                        return Collections.min(versions);
                                    }
                                },
                        "clusterRange_afterAReplicaMissedOverwrites_hasTheNewestVersions"),
                server(
                        "a range over the cluster takes a tombstone for nothing",
                        node ->
                                new HintlessReplica(node) {
                                    @Override
                                    TinyVersion choose(List<TinyVersion> versions) {
                                        return versions.stream()
                                                .filter(version -> !version.isTombstone())
                                                .findFirst()
                                                .orElse(TinyVersion.NONE);
                                    }
                                },
                        "clusterRange_afterAReplicaMissedDeletions_listsNoDeletedKey"));
    }

    private static Stream<Wrong> lengths() {
        return Stream.of(
                server(
                        "a range over the cluster has no lengths, whatever Accept asks for",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    boolean asksForLengths(TinyRequest request) {
                                        return false;
                                    }
                                },
                        HAS_LENGTHS),
                server(
                        "a range over the cluster has lengths, whatever Accept asks for",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    boolean asksForLengths(TinyRequest request) {
                                        return true;
                                    }
                                },
                        "clusterRange_whoseAcceptDoesNotNameLengths_isText"),
                server(
                        "nodes send each other entries as text, and cut them at the first line feed",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    TinyAnswer rangeOf(
                                            Map<String, byte[]> entries, TinyRequest request) {
                                        return super.rangeOf(cutApart(entries), request);
                                    }
                                },
                        HAS_LENGTHS));
    }

    private static Map<String, byte[]> cutApart(Map<String, byte[]> entries) {
        var cut = new LinkedHashMap<String, byte[]>();
        entries.forEach(
                (key, value) -> {
                    var keyAndRest = key.split("\n", 2);
                    var rest = keyAndRest.length == 1 ? "" : keyAndRest[1] + "\n";
                    var out = new ByteArrayOutputStream();
                    out.writeBytes(rest.getBytes(UTF_8));
                    out.writeBytes(value);
                    cut.put(keyAndRest[0], out.toByteArray());
                });
        return cut;
    }

    private static Stream<Wrong> losses() {
        return Stream.of(
                server(
                        "a range over the cluster is of the nodes that answer",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    int acksWanted(Quorum quorum) {
                                        return 1;
                                    }
                                },
                        "clusterRange_whileTooFewNodesAnswer_is504"),
                server(
                        "an empty node counts in ranges over the cluster",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    boolean isComplete() {
                                        return true;
                                    }
                                },
                        "clusterRange_whileANodeOfTheQuorumIsEmpty_is504"),
                server(
                        "a range over the cluster ends where a node is lost",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    void sendEntries(OutputStream out, Map<String, byte[]> entries)
                                            throws IOException {
                                        for (var entry : entries.entrySet()) {
                                            if (running(cluster()).size() < cluster().size()) {
                                                break;
                                            }
                                            out.write(chunk(entry.getKey(), entry.getValue()));
                                            out.flush();
                                        }
                                        out.write(TinyAnswer.chunk(new byte[0]));
                                    }
                                },
                        IS_COMPLETE,
                        IS_BROKEN_OFF));
    }

    private static Stream<Wrong> readers() {
        return Stream.of(
                server(
                        "a node serves nobody else while it sends a range",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    synchronized TinyAnswer answer(TinyRequest request, byte[] body)
                                            throws Fault, IOException {
                                        return super.answer(request, body);
                                    }

                                    @Override
                                    synchronized void sendEntries(
                                            OutputStream out, Map<String, byte[]> entries)
                                            throws IOException {
                                        super.sendEntries(out, entries);
                                    }
                                },
                        "clusterRange_ofSlowReaders_harmsNobodyAndIsComplete"),
                server(
                        "a range over the cluster counts for ever if its reader goes away",
                        node ->
                                new TinyReplica(node) {
                                    private final Semaphore ranges = new Semaphore(4);

                                    @Override
                                    TinyAnswer range(TinyRequest request) throws Fault {
                                        return scope(request).equals("node") || ranges.tryAcquire()
                                                ? super.range(request)
                                                : error(503, "too many ranges");
                                    }

                                    @Override
                                    void sendEntries(OutputStream out, Map<String, byte[]> entries)
                                            throws IOException {
                                        super.sendEntries(out, entries);
                                        ranges.release();
                                    }
                                },
                        "clusterRange_abandonedByItsReaders_harmsNobody"));
    }
}
