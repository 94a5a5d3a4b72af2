package dht.sharding;

import java.util.Arrays;
import java.util.List;

/**
 * Consistent hashing: each node has the same number of tokens on a ring, and the hash of a key is a
 * place on that ring. The first node of a key is the node of the first token at or after this
 * place. The other nodes follow in the order of their first tokens after it.
 *
 * <p>A token is one number: its upper bits are a place on the ring, its lower bits a node. So one
 * sorted array of numbers is enough for a search:
 *
 * <pre>
 *   | place 48 bits | node 16 bits |
 * </pre>
 *
 * <p>Immutable and thread-safe.
 */
final class ConsistentPlacement implements Placement {
    private static final int NODE_BITS = 16;
    private static final long NODE_MASK = (1L << NODE_BITS) - 1;
    private static final int TOKEN_COUNT_MAX = 1 << 28;

    private final int nodeCount;
    private final long[] tokens;

    /**
     * Shortens the search: for each value of a place's upper bits, the index of the first token
     * whose upper bits have this value or a greater one.
     */
    private final int[] starts;

    private final int startShift;

    ConsistentPlacement(List<String> names, int virtualNodeCount) {
        this(names.size(), tokens(names, virtualNodeCount));
    }

    /**
     * @param tokens sorted, with at least one token for each node
     */
    ConsistentPlacement(int nodeCount, long[] tokens) {
        this.nodeCount = nodeCount;
        this.tokens = tokens;
        int bits = Math.max(1, Integer.SIZE - Integer.numberOfLeadingZeros(tokens.length - 1));
        this.startShift = Long.SIZE - bits;
        this.starts = starts(1 << bits);
    }

    private static long[] tokens(List<String> names, int virtualNodeCount) {
        long tokenCount = (long) names.size() * virtualNodeCount;
        if (names.size() > NODE_MASK) {
            throw new IllegalArgumentException(
                    "nodes=%d: there may be at most %d".formatted(names.size(), NODE_MASK));
        }
        if (virtualNodeCount < 1 || tokenCount > TOKEN_COUNT_MAX) {
            throw new IllegalArgumentException(
                    "virtualNodes=%d nodes=%d: each node needs at least one virtual node, and there may be at most %d in total"
                            .formatted(virtualNodeCount, names.size(), TOKEN_COUNT_MAX));
        }
        long[] tokens = new long[(int) tokenCount];
        int next = 0;
        for (int node = 0; node < names.size(); node++) {
            long nameHash = PlacementHash.ofName(names.get(node));
            for (int i = 0; i < virtualNodeCount; i++) {
                tokens[next++] = token(PlacementHash.combine(nameHash, i), node);
            }
        }
        Arrays.sort(tokens);
        return tokens;
    }

    private int[] starts(int count) {
        int[] found = new int[count];
        int token = 0;
        for (int i = 0; i < count; i++) {
            while (token < tokens.length && startIndex(tokens[token]) < i) {
                token++;
            }
            found[i] = token;
        }
        return found;
    }

    static long token(long hash, int node) {
        return place(hash) | node;
    }

    private static long place(long hash) {
        return hash & ~NODE_MASK;
    }

    /**
     * The upper bits of a place, as an index: 0 for the smallest places, which are negative
     * numbers.
     */
    private int startIndex(long place) {
        return (int) ((place ^ Long.MIN_VALUE) >>> startShift);
    }

    private int firstTokenFor(long keyHash) {
        long place = place(keyHash);
        int token = starts[startIndex(place)];
        while (token < tokens.length && tokens[token] < place) {
            token++;
        }
        return token == tokens.length ? 0 : token;
    }

    private int node(int token) {
        return (int) (tokens[token] & NODE_MASK);
    }

    @Override
    public int nodeCount() {
        return nodeCount;
    }

    @Override
    public int owner(byte[] key) {
        return owner(PlacementHash.ofKey(key));
    }

    int owner(long keyHash) {
        return node(firstTokenFor(keyHash));
    }

    @Override
    public int[] preferenceList(byte[] key, int count) {
        return preferenceList(PlacementHash.ofKey(key), count);
    }

    int[] preferenceList(long keyHash, int count) {
        Placement.checkCount(count, nodeCount);
        int[] nodes = new int[count];
        boolean[] isListed = new boolean[nodeCount];
        int found = 0;
        for (int token = firstTokenFor(keyHash);
                found < count;
                token = (token + 1) % tokens.length) {
            int node = node(token);
            if (!isListed[node]) {
                isListed[node] = true;
                nodes[found++] = node;
            }
        }
        return nodes;
    }
}
