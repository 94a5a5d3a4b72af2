package dht.repair;

/**
 * When a node last had contact with other nodes, in milliseconds since 1970. Immutable.
 *
 * <p>A node that had contact with only a few others may have been cut off from the majority
 * together with them, and may have missed deletions. A deletion that a majority has stored is on at
 * least one node of each half of the others.
 *
 * @param anyMillis with any other node; until then, this node may have received deletions
 * @param halfMillis with half of the other nodes: each of them has been heard at this time or later
 */
record LastContact(long anyMillis, long halfMillis) {
    /** Contact with all other nodes at this time. */
    static LastContact at(long millis) {
        return new LastContact(millis, millis);
    }
}
