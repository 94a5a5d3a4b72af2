package dht.sharding;

/**
 * Decides which nodes have a key. A node is identified by its index in the list with which the
 * placement was created.
 *
 * <p>Pure: the same key and the same names give the same nodes, in every process and in every
 * version of this program. Each node has an equal share of the keys. When a node joins or leaves,
 * only the keys that it takes or gives up move.
 *
 * <p>Immutable and thread-safe.
 */
public interface Placement {
    int nodeCount();

    /** The first node of the key's preference list. Allocates nothing. */
    int owner(byte[] key);

    /**
     * The first nodes of the key's preference list. This list contains all nodes in the order in
     * which they should hold the key. So a shorter list is the beginning of every longer one.
     *
     * @param count 1 to {@link #nodeCount}
     * @return that many distinct nodes
     */
    int[] preferenceList(byte[] key, int count);
}
