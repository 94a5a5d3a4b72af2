package dht.testkit.contract;

import dht.testkit.ClusterUnderTest;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.Deadline;
import dht.testkit.http.NoAnswer;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Needs;
import dht.testkit.junit.Verifies;
import dht.testkit.node.Ability;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Promise;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code GET /v0/entities?scope=cluster}: the entries of all nodes. */
public interface ClusterRangeContract extends ClusterContract {
    String OVER_CLUSTER = "scope=cluster";

    /** Together, the values are more than all buffers between a server and a client. */
    int LARGE_RANGE_ENTRIES = 128;

    int LARGE_VALUE_BYTES = StalledClients.UNREAD_BYTES / LARGE_RANGE_ENTRIES;

    /** A server may read few ranges over the cluster at a time, because each needs much memory. */
    int SLOW_READER_COUNT = 3;

    int ABANDONED_COUNT = 20;

    @Test
    @Verifies(Promise.CLUSTER_RANGE_IS_COMPLETE)
    default void clusterRange_ofEntriesOnAnyNodes_hasEachOnce() {
        var cluster = cluster();
        var space = new KeySpace(cluster.node(0));
        for (var i = 0; i < 60; i++) {
            var from = 1 + i % cluster.size();
            var writer = cluster.node(i / 2 % cluster.size());
            space.put(writer, KeySpace.numbered(i), Values.small(), from, from);
        }
        expectEverywhere(cluster, space);
    }

    @Test
    @Verifies(Promise.CLUSTER_RANGE_IS_COMPLETE)
    default void range_withOrWithoutNodeScope_isOfOneNode() {
        var cluster = cluster();
        var space = new KeySpace(cluster.node(0));
        space.put(cluster.node(0), "one", Values.small(), 1, 1);
        for (var request : List.of(space.request(), space.request("scope=node"))) {
            var holders =
                    cluster.nodes().stream()
                            .filter(node -> node.ask(request).expectStatus(200).body().length > 0)
                            .toList();
            if (holders.size() != 1) {
                throw new Mismatch("one node with the entry", Replicas.names(holders));
            }
        }
        cluster.node(0).ask(space.request("scope=all")).expectError(400);
    }

    @Test
    @Verifies(Promise.RANGE_HAS_LENGTHS)
    default void clusterRange_ofKeysWithLineFeeds_isTakenApartByLengths() {
        var cluster = cluster();
        var space = lineFeedsOnAnyNodes(cluster);
        for (var node : cluster.nodes()) {
            var answer =
                    node.ask(
                            space.request(OVER_CLUSTER)
                                    .header("Accept: " + RangeLengthsContract.LENGTHS));
            answer.expectChunks(space.chunksWithLengths());
            RangeLengthsContract.expectMediaType(answer, RangeLengthsContract.LENGTHS);
        }
    }

    @Test
    @Verifies(Promise.RANGE_HAS_LENGTHS)
    default void clusterRange_whoseAcceptDoesNotNameLengths_isText() {
        var cluster = cluster();
        var space = lineFeedsOnAnyNodes(cluster);
        for (var node : cluster.nodes()) {
            var answer = node.ask(space.request(OVER_CLUSTER).header("Accept: */*"));
            answer.expectChunks(space.chunks());
            RangeLengthsContract.expectMediaType(answer, "application/octet-stream");
        }
    }

    private static KeySpace lineFeedsOnAnyNodes(ClusterUnderTest cluster) {
        var space = new KeySpace(cluster.node(0));
        var texts = List.of("", "\n", "\n\n", "a", "a\n", "a\nb", "b");
        for (var i = 0; i < texts.size(); i++) {
            var from = 1 + i % cluster.size();
            var writer = cluster.node(i / 2 % cluster.size());
            space.put(writer, texts.get(i), Values.text(texts.get(i)), from, from);
        }
        return space;
    }

    @Test
    @Verifies(Promise.CLUSTER_RANGE_IS_COMPLETE)
    default void clusterRange_afterAReplicaMissedDeletions_listsNoDeletedKey() {
        var cluster = freshCluster();
        var space = spaceOnAllNodes(cluster);
        whileOneIsDown(cluster, () -> everySecondKey().forEach(space::delete));
        expectEverywhere(cluster, space);
    }

    @Test
    @Verifies(Promise.CLUSTER_RANGE_IS_COMPLETE)
    default void clusterRange_afterAReplicaMissedOverwrites_hasTheNewestVersions() {
        var cluster = freshCluster();
        var space = spaceOnAllNodes(cluster);
        whileOneIsDown(
                cluster, () -> everySecondKey().forEach(key -> space.put(key, Values.small())));
        expectEverywhere(cluster, space);
    }

    @Test
    @Verifies(Promise.CLUSTER_RANGE_IS_NEVER_SHORT)
    default void clusterRange_whileTooFewNodesAnswer_is504() {
        var cluster = freshCluster();
        var space = spaceOnAllNodes(cluster);
        var client = cluster.node(0);
        var quorum = Replicas.majority(cluster);
        cluster.nodes().subList(quorum, cluster.size()).forEach(ServerUnderTest::stop);
        client.ask(space.request(OVER_CLUSTER)).expectChunks(space.chunks());
        var all = Replicas.of(cluster.size(), cluster.size());
        client.ask(space.request(OVER_CLUSTER + "&" + all)).expectError(504);
        cluster.node(quorum - 1).stop();
        client.ask(space.request(OVER_CLUSTER)).expectError(504);
    }

    /** The emptied node does not know which entries it lacks. */
    @Test
    @Verifies(Promise.CLUSTER_RANGE_IS_NEVER_SHORT)
    default void clusterRange_whileANodeOfTheQuorumIsEmpty_is504() {
        var cluster = freshCluster();
        var space = spaceOnAllNodes(cluster);
        var quorum = Replicas.majority(cluster);
        var emptied = cluster.node(quorum - 1);
        cluster.nodes().subList(quorum, cluster.size()).forEach(ServerUnderTest::stop);
        emptied.stop();
        emptied.emptyDataDirectory();
        emptied.start();
        for (var node : List.of(cluster.node(0), emptied)) {
            node.ask(space.request(OVER_CLUSTER)).expectError(504);
        }
    }

    @Test
    @Verifies(Promise.CLUSTER_RANGE_IS_NEVER_SHORT)
    default void clusterRange_whenAsManyNodesAreLostAsMayBe_isComplete() {
        var cluster = freshCluster();
        var space = largeSpaceOnAllNodes(cluster);
        var quorum = Replicas.majority(cluster);
        var seen = chunks(cluster, space, quorum);
        if (!Arrays.deepEquals(seen.toArray(), space.chunks().toArray())) {
            throw new Mismatch(
                    LARGE_RANGE_ENTRIES + " entries, because enough nodes are left",
                    seen.size() + " chunks");
        }
    }

    @Test
    @Verifies(Promise.CLUSTER_RANGE_IS_NEVER_SHORT)
    default void clusterRange_whenTooManyNodesAreLost_isBrokenOff() {
        var cluster = freshCluster();
        var space = largeSpaceOnAllNodes(cluster);
        List<byte[]> seen;
        try {
            seen = chunks(cluster, space, Replicas.majority(cluster) - 1);
        } catch (NoAnswer broken) {
            if (broken.isGone()) {
                return;
            }
            throw broken;
        }
        if (!Arrays.deepEquals(seen.toArray(), space.chunks().toArray())) {
            throw new Mismatch(
                    "all %d entries, or an answer without its end".formatted(LARGE_RANGE_ENTRIES),
                    "an answer that ends after " + seen.size());
        }
    }

    @Test
    @Verifies(Promise.RANGE_IS_STREAMED)
    default void clusterRange_ofSlowReaders_harmsNobodyAndIsComplete() {
        var cluster = freshCluster();
        var space = largeSpaceOnAllNodes(cluster);
        var client = cluster.node(0);
        var readers =
                StalledClients.readers(client, SLOW_READER_COUNT, space.request(OVER_CLUSTER));
        cluster.nodes().forEach(Bystanders::areServed);
        readers.removeLast().reset();
        for (var reader : readers) {
            reader.receive().expectChunks(space.chunks());
            reader.expectInStep();
        }
        cluster.nodes().forEach(Bystanders::areServed);
    }

    /**
     * A server may limit the ranges that it reads at a time. Ranges that a client has abandoned
     * must not count.
     */
    @Test
    @Verifies(Promise.RANGE_IS_STREAMED)
    default void clusterRange_abandonedByItsReaders_harmsNobody() {
        var cluster = freshCluster();
        var space = largeSpaceOnAllNodes(cluster);
        var client = cluster.node(0);
        for (var i = 0; i < ABANDONED_COUNT; i++) {
            client.connect().send(space.request(OVER_CLUSTER)).reset();
            client.connectSmall().send(space.request(OVER_CLUSTER)).awaitAnswer().reset();
        }
        Deadline.in(client.longPatience())
                .await(
                        "a range over the cluster to be served again",
                        () -> client.ask(space.request(OVER_CLUSTER)).status() == 200);
        client.ask(space.request(OVER_CLUSTER)).expectChunks(space.chunks());
    }

    @Test
    @Verifies(Promise.RANGE_IS_STREAMED)
    @Needs(Ability.BOUNDED_MEMORY)
    default void clusterRange_largerThanMemory_isComplete() {
        var client = freshCluster().node(0);
        var entries = SeededEntries.largerThanMemory(client, LARGE_VALUE_BYTES);
        var request = entries.space().request(OVER_CLUSTER);
        var stalled = StalledClients.readers(client, SLOW_READER_COUNT - 1, request);
        entries.expectFrom(client.connect().send(request));
        entries.expectUnlessCutOff(stalled.getFirst());
    }

    /** Reads a range. After its first chunk, all nodes are lost except some. */
    private static List<byte[]> chunks(ClusterUnderTest cluster, KeySpace space, int leftCount) {
        var reader = cluster.node(0).connectSmall();
        reader.send(space.request(OVER_CLUSTER)).receiveChunkedHead();
        var seen = new ArrayList<>(List.of(reader.nextChunk().orElseThrow()));
        cluster.nodes().subList(leftCount, cluster.size()).forEach(ServerUnderTest::stop);
        reader.remainingChunks().forEachRemaining(seen::add);
        return seen;
    }

    /** Values of a size that is read with others, and of one that is read alone. */
    private static KeySpace largeSpaceOnAllNodes(ClusterUnderTest cluster) {
        var space = new KeySpace(cluster.node(0));
        for (var i = 0; i < LARGE_RANGE_ENTRIES; i++) {
            var bytes = i % 2 == 0 ? LARGE_VALUE_BYTES * 3 / 2 : LARGE_VALUE_BYTES / 2;
            var all = cluster.size();
            space.put(cluster.node(0), KeySpace.numbered(i), Values.ofSize(bytes), all, all);
        }
        return space;
    }

    private static KeySpace spaceOnAllNodes(ClusterUnderTest cluster) {
        var space = new KeySpace(cluster.node(0));
        Replicas.awaitServing(cluster);
        for (var i = 0; i < 9; i++) {
            var all = cluster.size();
            space.put(cluster.node(0), KeySpace.numbered(i), Values.small(), all, all);
        }
        return space;
    }

    private static Stream<String> everySecondKey() {
        return IntStream.iterate(0, i -> i < 9, i -> i + 2).mapToObj(KeySpace::numbered);
    }

    private static void whileOneIsDown(ClusterUnderTest cluster, Runnable writes) {
        var absent = cluster.node(1);
        absent.stop();
        writes.run();
        absent.start();
        Replicas.awaitServing(cluster);
        Replicas.awaitReading(cluster);
    }

    private static void expectEverywhere(ClusterUnderTest cluster, KeySpace space) {
        for (var node : cluster.nodes()) {
            node.ask(space.request(OVER_CLUSTER)).expectChunks(space.chunks());
        }
    }
}
