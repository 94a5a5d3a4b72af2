package dht.storage.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.TextDao;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SkipListTest {
    private static final long ALL = Long.MAX_VALUE;
    private static final int HEAD = 1; // The first node, which has no key.

    private final Arena arena = Arena.ofShared();

    @AfterEach
    void close() {
        arena.close();
    }

    private SkipList list(long bytes) {
        return list(bytes, 1);
    }

    private SkipList list(long bytes, long seed) {
        MemorySegment memory = arena.allocate(bytes, 8);
        memory.fill((byte) 0xee); // What it finds there is of no matter.
        return new SkipList(memory, seed);
    }

    private static void put(SkipList list, byte[] key, long record) {
        int node = list.locate(key);
        if (node == NodeLayout.NONE) {
            list.insert(key, record);
        } else {
            list.supersede(node, record);
        }
    }

    private static byte[] randomKey(SplittableRandom random, int lengthMax) {
        byte[] key = new byte[1 + random.nextInt(lengthMax)];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) (random.nextInt(4) * 85); // 0, 85, 170 and 255, so that keys repeat.
        }
        return key;
    }

    @Test
    void find_emptyList_findsNothing() {
        SkipList list = list(4096);

        assertThat(list.first()).isEqualTo(NodeLayout.NONE);
        assertThat(list.find(TextDao.bytes("a"))).isEqualTo(NodeLayout.NONE);
        assertThat(list.ceiling(TextDao.bytes("a"))).isEqualTo(NodeLayout.NONE);
    }

    @Test
    void operations_randomKeys_agreeWithTreeMap() {
        for (int seed = 0; seed < 20; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            SkipList list = list(1 << 20);
            TreeMap<byte[], Long> expected = new TreeMap<>(Arrays::compareUnsigned);
            for (long record = 8; record < 8 * 1000; record += 8) {
                byte[] key = randomKey(random, 12);
                put(list, key, record);
                expected.put(key, record);
            }

            checkWalk(list, expected, seed);
            for (int i = 0; i < 1000; i++) {
                byte[] key = randomKey(random, 12);
                Long found = expected.get(key);
                assertThat(recordOf(list, list.find(key))).as("seed=%d", seed).isEqualTo(found);
                var ceiling = expected.ceilingEntry(key);
                assertThat(recordOf(list, list.ceiling(key)))
                        .as("seed=%d", seed)
                        .isEqualTo(ceiling == null ? null : ceiling.getValue());
            }
        }
    }

    private static Long recordOf(SkipList list, int node) {
        return node == NodeLayout.NONE ? null : list.record(node, ALL);
    }

    private static void checkWalk(SkipList list, TreeMap<byte[], Long> expected, long seed) {
        int node = list.first();
        for (var entry : expected.entrySet()) {
            assertThat(list.compare(entry.getKey(), node)).as("seed=%d", seed).isZero();
            assertThat(list.record(node, ALL)).isEqualTo(entry.getValue());
            node = list.next(node);
        }
        assertThat(node).isEqualTo(NodeLayout.NONE);
    }

    /** One node in four is in the next higher list: without them a search would pass every node. */
    @Test
    void insert_manyKeys_eachLevelLinksTheNodesThatReachIt() {
        int count = 10_000;
        MemorySegment memory = arena.allocate(1 << 20, 8);
        SkipList list = new SkipList(memory, 1);
        for (int i = 0; i < count; i++) {
            put(list, scattered(i), 8);
        }
        List<Integer> all = nodes(memory, 0);

        for (int level = 0; level < 4; level++) {
            int height = level + 1;
            List<Integer> linked = nodes(memory, level);
            assertThat(linked)
                    .as("level %d", level)
                    .containsExactlyElementsOf(
                            all.stream()
                                    .filter(node -> NodeLayout.height(memory, node) >= height)
                                    .toList());
            int expected = count >> 2 * level;
            assertThat(linked.size())
                    .as("level %d", level)
                    .isBetween(expected * 3 / 4, expected * 5 / 4);
        }
    }

    /**
     * The sizer draws the heights, too, and computes from them how much memory a list needs. So the
     * list must draw neither more often nor less often, also if a node is too high for the memory.
     */
    @Test
    void insert_anyMemory_drawsOneHeightForEachNode() {
        int keyLength = scattered(0).length;
        for (long seed : seedsOfHighFirstNodes()) {
            SkipList.Sizer sizer = new SkipList.Sizer(seed);
            long emptyBytes = sizer.bytes();
            List<Integer> drawn = heights(1 << 12, seed);
            for (int height : drawn) {
                long before = sizer.bytes();
                sizer.add(keyLength);
                assertThat(NodeLayout.bytes(keyLength, height))
                        .as("seed=%d heights=%s: bytes of a node", seed, drawn)
                        .isEqualTo(sizer.bytes() - before - Integer.BYTES); // It adds some padding.
            }

            long tooFewBytes = emptyBytes + NodeLayout.bytes(keyLength, drawn.getFirst()) - 8;
            List<Integer> expected = heightsThatFit(drawn, keyLength, tooFewBytes - emptyBytes);
            assertThat(heights(tooFewBytes, seed))
                    .as("seed=%d heights=%s: the first is too high", seed, drawn)
                    .isEqualTo(expected)
                    .startsWith(1);
        }
    }

    /** Memory that is a little too small for such a node has room for two low ones. */
    private static List<Long> seedsOfHighFirstNodes() {
        int keyLength = scattered(0).length;
        return LongStream.iterate(0, seed -> seed + 1)
                .filter(
                        seed -> {
                            SkipList.Sizer sizer = new SkipList.Sizer(seed);
                            long before = sizer.bytes();
                            sizer.add(keyLength);
                            return sizer.bytes() - before > 2 * NodeLayout.bytes(keyLength, 1) + 8;
                        })
                .limit(50)
                .boxed()
                .toList();
    }

    /** The heights of the nodes of a list, in the order in which they were inserted. */
    private List<Integer> heights(long bytes, long seed) {
        MemorySegment memory = arena.allocate(bytes, 8);
        SkipList list = new SkipList(memory, seed);
        List<Integer> heights = new ArrayList<>();
        for (int i = 0; i < 20 && list.hasRoom(scattered(i).length); i++) {
            put(list, scattered(i), 8);
            heights.add(NodeLayout.height(memory, list.find(scattered(i))));
        }
        return heights;
    }

    /** The heights of as many nodes as fit into so many bytes. */
    private static List<Integer> heightsThatFit(List<Integer> drawn, int keyLength, long bytes) {
        List<Integer> heights = new ArrayList<>();
        long left = bytes;
        while (left >= NodeLayout.bytes(keyLength, 1)) {
            int height = drawn.get(heights.size());
            heights.add(NodeLayout.bytes(keyLength, height) <= left ? height : 1);
            left -= NodeLayout.bytes(keyLength, heights.getLast());
        }
        return heights;
    }

    private static List<Integer> nodes(MemorySegment memory, int level) {
        List<Integer> nodes = new ArrayList<>();
        int node = NodeLayout.next(memory, HEAD, level);
        while (node != NodeLayout.NONE) {
            nodes.add(node);
            node = NodeLayout.next(memory, node, level);
        }
        return nodes;
    }

    @Test
    void record_keySuperseded_showsEachViewItsOwnVersion() {
        SkipList list = list(4096);
        byte[] key = TextDao.bytes("key");
        for (long record : new long[] {80, 160, 240}) {
            put(list, key, record);
        }

        int node = list.find(key);
        assertThat(list.record(node, ALL)).isEqualTo(240);
        assertThat(list.record(node, 240)).isEqualTo(160);
        assertThat(list.record(node, 81)).isEqualTo(80);
        assertThat(list.record(node, 80)).isEqualTo(-1);
    }

    @Test
    void record_offsetsBeyondFourGigabytes_areKept() {
        SkipList list = list(4096);
        put(list, TextDao.bytes("key"), 30L << 30);

        assertThat(list.record(list.first(), ALL)).isEqualTo(30L << 30);
    }

    @Test
    void hasRoom_untilItHasNot_everythingFits() {
        for (int bytes = 200; bytes < 1200; bytes += 8) {
            SkipList list = list(bytes);
            SplittableRandom random = new SplittableRandom(bytes);
            int count = 0;
            byte[] key = randomKey(random, 30);
            TreeMap<byte[], Long> expected = new TreeMap<>(Arrays::compareUnsigned);
            while (list.hasRoom(key.length)) {
                put(list, key, ++count * 8L);
                expected.put(key, count * 8L);
                key = randomKey(random, 30);
            }
            checkWalk(list, expected, bytes);
        }
    }

    @Test
    void hasRoom_listHasRoom_isUsedUp() {
        SkipList list = list(4096);
        int count = 0;
        while (list.hasRoom(4)) {
            put(list, TextDao.bytes("%04d".formatted(count++)), 8);
        }

        assertThat(count).isBetween(100, 170); // A node takes 24 to 32 bytes, mostly.
    }

    @Test
    void sizer_sameKeysAndSeed_isEnough() {
        SplittableRandom random = new SplittableRandom(5);
        SkipList.Sizer sizer = new SkipList.Sizer(1);
        byte[][] keys = new byte[500][];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = randomKey(random, 5); // Some come again, and take less.
            sizer.add(keys[i].length);
        }
        SkipList list = list(sizer.bytes());
        TreeMap<byte[], Long> expected = new TreeMap<>(Arrays::compareUnsigned);
        for (byte[] key : keys) {
            put(list, key, 16);
            expected.put(key, 16L);
        }

        checkWalk(list, expected, 5);
    }

    /** After a key that comes again, each height belongs to another key than in the sizer. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void sizer_lengthsAreMixedAndOneKeyComesAgain_isEnough(long seed) {
        SplittableRandom lengths = new SplittableRandom(seed);
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            keys.add(Arrays.copyOf(scattered(i), 8 + lengths.nextInt(8)));
        }
        keys.add(1, keys.getFirst());
        SkipList.Sizer sizer = new SkipList.Sizer(seed);
        keys.forEach(key -> sizer.add(key.length));

        SkipList list = list(sizer.bytes(), seed);
        TreeMap<byte[], Long> expected = new TreeMap<>(Arrays::compareUnsigned);
        for (byte[] key : keys) {
            put(list, key, 16);
            expected.put(key, 16L);
        }

        checkWalk(list, expected, seed);
    }

    /** A reader finds what was there when it began, in order, whatever is added meanwhile. */
    @Test
    @Timeout(30)
    void read_whileAnotherThreadWrites_isInOrderAndComplete() throws Exception {
        int count = 20_000;
        SkipList list = list(2 << 20);
        AtomicInteger written = new AtomicInteger();
        CompletableFuture<Void> reading =
                CompletableFuture.runAsync(
                        () -> {
                            while (written.get() < count) {
                                readAll(list, written.get());
                            }
                        });
        for (int i = 0; i < count && !reading.isDone(); i++) {
            put(list, scattered(i), 8L * (i + 1));
            written.set(i + 1);
        }
        reading.get();
        readAll(list, count);
    }

    /** A permutation of the numbers, so that keys come in no order. */
    private static byte[] scattered(int number) {
        return TextDao.bytes("%08x".formatted(Integer.reverse(number * 0x9E3779B1)));
    }

    private static void readAll(SkipList list, int atLeast) {
        int seen = 0;
        int previous = NodeLayout.NONE;
        byte[] last = new byte[0];
        for (int node = list.first(); node != NodeLayout.NONE; node = list.next(node)) {
            assertThat(list.compare(last, node)).isNegative();
            last = scattered((int) (list.record(node, ALL) / 8) - 1);
            assertThat(list.compare(last, node)).isZero();
            previous = node;
            seen++;
        }
        assertThat(seen).isGreaterThanOrEqualTo(atLeast);
        assertThat(previous == NodeLayout.NONE).isEqualTo(seen == 0);
        if (atLeast > 0) {
            assertThat(list.find(scattered(atLeast - 1))).isNotEqualTo(NodeLayout.NONE);
        }
    }
}
