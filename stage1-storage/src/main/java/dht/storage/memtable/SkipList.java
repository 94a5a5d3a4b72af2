package dht.storage.memtable;

import dht.storage.memory.Bytes;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * A sorted index from keys to log records, in memory outside the heap.
 *
 * <p>One thread at a time writes; the engine's write lock ensures this. Any number of threads may
 * read at the same time without locks. Nothing is ever removed or moved. So a reader only has to
 * see each reference after the data that it refers to.
 *
 * <p>After W. Pugh, "Skip Lists: A Probabilistic Alternative to Balanced Trees", 1990.
 */
final class SkipList {
    private static final int MAX_HEIGHT =
            12; // A quarter of each level's nodes are in the next one, too: enough for 4^12 nodes.
    private static final int HEAD = 1;
    private static final byte[] NO_KEY = {};

    private final MemorySegment memory;

    // Written by the writing thread.
    private final SplittableRandom random;
    private final int[] predecessors = new int[MAX_HEIGHT];
    private long usedBytes;

    /**
     * @param memory for nodes and versions, aligned to eight bytes; its contents are overwritten
     * @param seed for the random heights of nodes
     */
    SkipList(MemorySegment memory, long seed) {
        this.memory = memory;
        this.random = new SplittableRandom(seed);
        NodeLayout.write(memory, HEAD, NO_KEY, MAX_HEIGHT, 0);
        for (int level = 0; level < MAX_HEIGHT; level++) {
            NodeLayout.next(memory, HEAD, level, NodeLayout.NONE);
        }
        this.usedBytes = NodeLayout.offset(HEAD) + NodeLayout.bytes(0, MAX_HEIGHT);
    }

    /**
     * Computes an upper bound of the memory that a list needs for keys that are added to it in this
     * order. Keys may come more than once.
     *
     * <p>This class draws a height for each key that is added. The list draws the same heights in
     * the same order, but only for new keys. From the first repeated key on, this class and the
     * list may give different heights to a key. But the list draws no more heights than this class.
     * So the sum is still an upper bound.
     */
    static final class Sizer {
        /**
         * For keys of one length, the padding of a node depends on its height. It varies by this at
         * most.
         */
        private static final int PADDING_VARIES_BYTES = Integer.BYTES;

        private final SplittableRandom random;
        private long bytes = NodeLayout.offset(HEAD) + NodeLayout.bytes(0, MAX_HEIGHT);

        /**
         * @param seed of the list
         */
        Sizer(long seed) {
            this.random = new SplittableRandom(seed);
        }

        void add(int keyLength) {
            bytes += NodeLayout.bytes(keyLength, drawHeight(random)) + PADDING_VARIES_BYTES;
        }

        long bytes() {
            return bytes;
        }
    }

    boolean hasRoom(int keyLength) {
        return usedBytes + NodeLayout.bytes(keyLength, 1) <= memory.byteSize();
    }

    /**
     * Finds a key, and remembers its position for the next {@link #insert}. Writing thread only.
     *
     * @return the node, or {@link NodeLayout#NONE}
     */
    int locate(byte[] key) {
        int node = HEAD;
        for (int level = MAX_HEIGHT - 1; level >= 0; level--) {
            int next = NodeLayout.next(memory, node, level);
            while (next != NodeLayout.NONE && compare(key, next) > 0) {
                node = next;
                next = NodeLayout.next(memory, node, level);
            }
            predecessors[level] = node;
        }
        return orNone(NodeLayout.next(memory, node, 0), key);
    }

    /** Adds a key that was just {@linkplain #locate located} and not found. Writing thread only. */
    void insert(byte[] key, long recordOffset) {
        int height = heightFor(key);
        int node = NodeLayout.reference(usedBytes);
        usedBytes += NodeLayout.bytes(key.length, height);
        NodeLayout.write(
                memory, node, key, height, NodeLayout.version(recordOffset, NodeLayout.NONE));
        for (int level = 0; level < height; level++) {
            NodeLayout.next(
                    memory, node, level, NodeLayout.next(memory, predecessors[level], level));
            NodeLayout.next(memory, predecessors[level], level, node);
        }
    }

    /**
     * Gives a node a newer version, and keeps the previous version for readers of an older view.
     * Writing thread only.
     */
    void supersede(int node, long recordOffset) {
        int older = NodeLayout.reference(usedBytes);
        usedBytes += NodeLayout.UNIT_BYTES;
        NodeLayout.version(memory, older, NodeLayout.version(memory, node));
        NodeLayout.version(memory, node, NodeLayout.version(recordOffset, older));
    }

    private int heightFor(byte[] key) {
        int height = drawHeight(random);
        boolean fits = usedBytes + NodeLayout.bytes(key.length, height) <= memory.byteSize();
        return fits ? height : 1;
    }

    private static int drawHeight(SplittableRandom random) {
        int height = 1;
        while (height < MAX_HEIGHT && (random.nextInt() & 3) == 0) {
            height++;
        }
        return height;
    }

    /** The node of a key, or {@link NodeLayout#NONE}. Any thread may call this. */
    int find(byte[] key) {
        return orNone(ceiling(key), key);
    }

    /**
     * The first node whose key is this key or a greater one, or {@link NodeLayout#NONE}. Any thread
     * may call this.
     */
    int ceiling(byte[] key) {
        int node = HEAD;
        int next = NodeLayout.NONE;
        for (int level = MAX_HEIGHT - 1; level >= 0; level--) {
            next = NodeLayout.next(memory, node, level);
            while (next != NodeLayout.NONE && compare(key, next) > 0) {
                node = next;
                next = NodeLayout.next(memory, node, level);
            }
        }
        return next;
    }

    long memoryBytes() {
        return memory.byteSize();
    }

    int first() {
        return next(HEAD);
    }

    int next(int node) {
        return NodeLayout.next(memory, node, 0);
    }

    /**
     * The record offset of a node's newest version, among those whose records are below {@code
     * visibleUpTo}; -1 if there is none.
     */
    long record(int node, long visibleUpTo) {
        long version = NodeLayout.version(memory, node);
        while (NodeLayout.record(version) >= visibleUpTo) {
            int older = NodeLayout.older(version);
            if (older == NodeLayout.NONE) {
                return -1;
            }
            version = NodeLayout.version(memory, older);
        }
        return NodeLayout.record(version);
    }

    int compare(byte[] key, int node) {
        return Bytes.compare(
                key,
                memory,
                NodeLayout.keyOffset(memory, node),
                NodeLayout.keyLength(memory, node));
    }

    private int orNone(int node, byte[] key) {
        return node != NodeLayout.NONE && compare(key, node) == 0 ? node : NodeLayout.NONE;
    }
}
