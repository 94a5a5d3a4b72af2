package dht.sharding;

/**
 * Which nodes hold a key. Nodes go by their index in the list that the placement was made of.
 *
 * <p>Pure: the same key and the same names give the same nodes, in every process and in every
 * version of this program. Every node holds an equal share of the keys, and when a node joins or
 * leaves, the keys move that it takes or gives up, and no others.
 *
 * <p>Immutable and thread-safe.
 */
public interface Placement {
    int nodeCount();

    /** The first node of the key's preference list. Allocates nothing. */
    int owner(byte[] key);

    /**
     * The first nodes of the key's preference list, which is all nodes in the order in which they
     * are to hold the key. So a shorter list is the beginning of every longer one.
     *
     * @param count 1 to {@link #nodeCount}
     * @return that many distinct nodes
     */
    int[] preferenceList(byte[] key, int count);
}
