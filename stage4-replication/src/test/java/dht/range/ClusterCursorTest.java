package dht.range;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.replication.Quorum;
import dht.storage.EntryView;
import dht.storage.StorageUnavailableException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ClusterCursorTest {
    private static final byte[] FIRST = {' '};
    private static final byte[] LAST = {(byte) 0xFF};
    private static final int KEYS = 200;
    private static final int LARGE_BYTES = 70 << 10;

    /** A version; a tombstone has no value. */
    private record Version(long stamp, byte[] value) {}

    /** A node in memory, whose pages have a few entries. After some requests, it fails. */
    private static final class MemoryNode implements RangeNode {
        private final NavigableMap<String, Version> entries = new TreeMap<>();
        private final int entriesAPage;
        private int requestsLeft = Integer.MAX_VALUE;

        MemoryNode(int entriesAPage) {
            this.entriesAPage = entriesAPage;
        }

        void put(String key, Version version) {
            entries.merge(key, version, (a, b) -> a.stamp > b.stamp ? a : b);
        }

        synchronized void failAfter(int requestCount) {
            requestsLeft = requestCount;
        }

        private synchronized void request() throws IOException {
            if (requestsLeft-- <= 0) {
                throw new IOException("lost");
            }
        }

        @Override
        public String url() {
            return "http://memory";
        }

        @Override
        public byte[] page(byte[] from, byte[] to) throws IOException {
            request();
            EntryPage.Writer page = new EntryPage.Writer(EntryPage.BYTES_MAX);
            int count = 0;
            for (var entry : entries.tailMap(new String(from, UTF_8)).entrySet()) {
                if (count++ == entriesAPage) {
                    return page.finish(false);
                }
                page.add(view(entry.getKey(), entry.getValue()), 0);
            }
            return page.finish(true);
        }

        private static EntryView view(String key, Version version) {
            byte[] keyBytes = key.getBytes(UTF_8);
            byte[] value = version.value == null ? new byte[0] : version.value;
            byte[] both = Arrays.copyOf(keyBytes, keyBytes.length + value.length);
            System.arraycopy(value, 0, both, keyBytes.length, value.length);
            EntryView view = new EntryView();
            view.wrap(
                    MemorySegment.ofArray(both),
                    0,
                    keyBytes.length,
                    keyBytes.length,
                    version.value == null ? EntryView.TOMBSTONE : value.length,
                    version.stamp);
            return view;
        }

        @Override
        public Large value(byte[] key) throws IOException {
            request();
            Version version = entries.get(new String(key, UTF_8));
            return version.value == null ? null : new Large(version.value, version.stamp);
        }
    }

    private final NavigableMap<String, String> expected = new TreeMap<>();

    /** Each key has its newest version on a majority, and older ones or none on the others. */
    private List<MemoryNode> nodes(Random random, int nodeCount) {
        List<MemoryNode> nodes = new ArrayList<>();
        for (int i = 0; i < nodeCount; i++) {
            nodes.add(new MemoryNode(1 + random.nextInt(20)));
        }
        for (int i = 0; i < KEYS; i++) {
            String key = "key-" + i;
            int versionCount = 1 + random.nextInt(3);
            for (int stamp = 1; stamp <= versionCount; stamp++) {
                Version version = version(random, key, stamp);
                List<MemoryNode> holders = new ArrayList<>(nodes);
                Collections.shuffle(holders, random);
                holders.subList(0, nodeCount / 2 + 1).forEach(node -> node.put(key, version));
                expected.remove(key);
                if (version.value != null) {
                    expected.put(key, stamp + ":" + Arrays.hashCode(version.value));
                }
            }
        }
        return nodes;
    }

    private static Version version(Random random, String key, int stamp) {
        byte[] value = (key + stamp).getBytes(UTF_8);
        return switch (random.nextInt(10)) {
            case 0, 1 -> new Version(stamp, null);
            case 2 -> new Version(stamp, Arrays.copyOf(value, LARGE_BYTES));
            default -> new Version(stamp, value);
        };
    }

    private static ClusterCursor open(List<MemoryNode> nodes) {
        NodeQuorum quorum = new NodeQuorum(Quorum.majorityOf(nodes.size()), nodes.size());
        return new ClusterCursor(List.copyOf(nodes), FIRST, LAST, quorum);
    }

    private static NavigableMap<String, String> read(ClusterCursor cursor) {
        NavigableMap<String, String> seen = new TreeMap<>();
        String last = "";
        cursor.begin();
        while (cursor.next()) {
            String key = new String(cursor.entry().copyKey(), UTF_8);
            assertThat(key).isGreaterThan(last);
            last = key;
            if (!cursor.entry().isTombstone()) {
                int hash = Arrays.hashCode(cursor.entry().copyValue());
                seen.put(key, cursor.entry().timestampMicros() + ":" + hash);
            }
        }
        return seen;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void cursor_overAllNodes_hasTheNewestVersionOfEachKey(int nodeCount) {
        for (int seed = 0; seed < 20; seed++) {
            expected.clear();
            List<MemoryNode> nodes = nodes(new Random(seed), nodeCount);
            assertThat(read(open(nodes))).as("seed=%d", seed).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void cursor_whoseNodesFailUpToAMinority_hasTheNewestVersionOfEachKey(int nodeCount) {
        for (int seed = 0; seed < 50; seed++) {
            expected.clear();
            Random random = new Random(seed);
            List<MemoryNode> nodes = nodes(random, nodeCount);
            nodes.subList(0, (nodeCount - 1) / 2)
                    .forEach(node -> node.failAfter(random.nextInt(12)));
            Collections.shuffle(nodes, random);
            assertThat(read(open(nodes))).as("seed=%d", seed).isEqualTo(expected);
        }
    }

    /** It either has everything, because the nodes failed too late, or it fails. */
    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void cursor_whoseNodesFailUntilTooFewAreLeft_neverEndsEarly(int nodeCount) {
        int failedCount = 0;
        for (int seed = 0; seed < 50; seed++) {
            expected.clear();
            Random random = new Random(seed);
            List<MemoryNode> nodes = nodes(random, nodeCount);
            nodes.subList(0, (nodeCount + 1) / 2)
                    .forEach(node -> node.failAfter(random.nextInt(40)));
            ClusterCursor cursor = open(nodes);
            try {
                assertThat(read(cursor)).as("seed=%d", seed).isEqualTo(expected);
            } catch (StorageUnavailableException e) {
                assertThat(e).hasMessageContaining("http://memory: lost");
                failedCount++;
            }
        }
        assertThat(failedCount).isPositive();
    }

    @Test
    void cursor_whoseFirstPagesAreTooFew_doesNotBegin() {
        List<MemoryNode> nodes = nodes(new Random(1), 3);
        nodes.get(1).failAfter(0);
        nodes.get(2).failAfter(0);
        try (ClusterCursor cursor = open(nodes)) {
            assertThatThrownBy(cursor::begin)
                    .isInstanceOf(StorageUnavailableException.class)
                    .hasMessage(
                            "scope=cluster: 1 nodes of 3 answer, and replicas=2/3 needs 2;"
                                    + " http://memory: lost; http://memory: lost");
        }
    }

    /** A node of an earlier version, or a broken one, must not make a range endless. */
    @Test
    void cursor_ofANodeThatAnswersOneKeyAgainAndAgain_leavesItOut() {
        List<MemoryNode> nodes = nodes(new Random(1), 3);
        RangeNode broken =
                new RangeNode() {
                    @Override
                    public String url() {
                        return "http://broken";
                    }

                    @Override
                    public byte[] page(byte[] from, byte[] to) {
                        EntryPage.Writer page = new EntryPage.Writer(EntryPage.BYTES_MAX);
                        page.add(MemoryNode.view("a", new Version(1, FIRST)), 0);
                        return page.finish(false);
                    }

                    @Override
                    public Large value(byte[] key) {
                        return null;
                    }
                };
        List<RangeNode> all = List.of(nodes.get(0), nodes.get(1), broken);
        NodeQuorum quorum = new NodeQuorum(Quorum.majorityOf(3), 3);
        NavigableMap<String, String> seen = read(new ClusterCursor(all, FIRST, LAST, quorum));
        seen.remove("a");
        assertThat(seen).isEqualTo(expected);
    }
}
