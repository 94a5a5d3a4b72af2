package dht.testkit.contract;

import dht.testkit.ClusterUnderTest;
import dht.testkit.ServerUnderTest;
import dht.testkit.concurrent.Deadline;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Preview;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Waits for copies that nodes send each other without a client's request. Stateless. */
final class Healing {
    private Healing() {}

    /**
     * Waits until a node itself holds the value. Its range shows this, because a range is read from
     * the node's own storage.
     */
    static void awaitCopy(ServerUnderTest node, String key, byte[] value) {
        Deadline.in(node.longPatience())
                .await(
                        "%s to hold the newest value of key=%s".formatted(node.name(), key),
                        () -> endsWith(node.range(key, key + '\0').body(), value));
    }

    private static boolean endsWith(byte[] entry, byte[] value) {
        var from = entry.length - value.length;
        return from > 0 && Arrays.equals(entry, from, entry.length, value, 0, value.length);
    }

    /**
     * Waits until all nodes hold the same entries for the keys from {@code start} (inclusive) to
     * {@code end} (exclusive).
     */
    static void awaitAlike(ClusterUnderTest cluster, String start, String end) {
        var patience = Deadline.in(cluster.node(0).longPatience());
        if (!patience.reached(() -> isAlike(cluster, start, end))) {
            throw notAlike(cluster, start, end);
        }
    }

    /** Whether all nodes hold the same entries now. */
    static boolean isAlike(ClusterUnderTest cluster, String start, String end) {
        var expected = cluster.node(0).range(start, end).body();
        return cluster.nodes().stream()
                .allMatch(node -> Arrays.equals(node.range(start, end).body(), expected));
    }

    /** The failure to report if they do not: names the first entry that differs. */
    static Mismatch notAlike(ClusterUnderTest cluster, String start, String end) {
        var ranges = cluster.nodes().stream().map(node -> node.range(start, end).chunks()).toList();
        var most = ranges.stream().mapToInt(List::size).max().orElse(0);
        var first = IntStream.range(0, most).filter(i -> !isAlikeAt(i, ranges)).findFirst();
        return new Mismatch(
                "all nodes to hold the same entries, without a request of a client",
                first.isEmpty()
                        ? "they became alike only after the time for it"
                        : "different ones from entry %,d on: %s"
                                .formatted(
                                        first.getAsInt() + 1,
                                        entriesAt(first.getAsInt(), cluster, ranges)));
    }

    private static String entriesAt(
            int i, ClusterUnderTest cluster, List<? extends List<byte[]>> ranges) {
        return IntStream.range(0, ranges.size())
                .mapToObj(
                        node ->
                                "%s has %,d entries, and here %s"
                                        .formatted(
                                                cluster.node(node).name(),
                                                ranges.get(node).size(),
                                                words(entry(ranges.get(node), i))))
                .collect(Collectors.joining("; "));
    }

    private static boolean isAlikeAt(int i, List<? extends List<byte[]>> ranges) {
        var expected = entry(ranges.getFirst(), i);
        return ranges.stream().allMatch(range -> Arrays.equals(entry(range, i), expected));
    }

    private static byte[] entry(List<byte[]> range, int i) {
        return i < range.size() ? range.get(i) : null;
    }

    private static String words(byte[] entry) {
        return entry == null ? "none" : Preview.of(entry);
    }

    /**
     * Waits until all nodes have one stamp: a repaired copy with a new one could win over a later
     * write.
     */
    static void awaitSameStamps(ClusterUnderTest cluster, String key) {
        Deadline.in(cluster.node(0).patience())
                .await(
                        "all nodes to hold key=%s under one stamp".formatted(key),
                        () ->
                                cluster.nodes().stream()
                                                .map(node -> stamp(node, key))
                                                .distinct()
                                                .count()
                                        == 1);
    }

    private static String stamp(ServerUnderTest node, String key) {
        return node.ask(Request.get(Target.internalEntity(key)))
                .header("Timestamp-Micros")
                .orElse("none");
    }
}
