package dht.sharding;

/**
 * Decides which nodes have a key. A node is identified by its index in the list with which the
 * placement was created.
 *
 * <p>Deterministic: the same key and the same names give the same nodes, in every process and in
 * every release of this program. Each node has about the same number of keys. When a node joins,
 * keys move only to it; when a node leaves, only its keys move.
 *
 * <p>Immutable and thread-safe.
 */
public interface Placement {
    int nodeCount();

    /** The first node of the key's preference list. Allocates nothing. */
    int owner(byte[] key);

    /**
     * The first nodes of the key's preference list. The complete list contains all nodes; a key
     * with n copies is on the first n. So a shorter list is always the beginning of a longer one.
     *
     * @param count 1 to {@link #nodeCount}
     * @return that many distinct nodes
     * @throws IllegalArgumentException if the count is out of these bounds
     */
    int[] preferenceList(byte[] key, int count);

    /**
     * Checks that this number of nodes can be listed.
     *
     * @throws IllegalArgumentException if the count is not from 1 to {@code nodeCount}
     */
    static void checkCount(int count, int nodeCount) {
        if (count < 1 || count > nodeCount) {
            throw new IllegalArgumentException("count=%d nodes=%d".formatted(count, nodeCount));
        }
    }
}
