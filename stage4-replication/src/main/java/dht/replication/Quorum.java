package dht.replication;

/**
 * How many replicas a key has, and how many of them must answer. If the {@code ack} of a write plus
 * the {@code ack} of a read is greater than {@code from}, both have at least one replica in common,
 * so the read sees the write.
 *
 * <p>Immutable.
 *
 * @param ack how many replicas must answer, 1 to {@code from}
 * @param from how many replicas the key has: the first nodes of its preference list
 */
public record Quorum(int ack, int from) {
    public Quorum {
        if (ack < 1 || ack > from) {
            throw new IllegalArgumentException("ack=" + ack + " from=" + from);
        }
    }

    /** The smallest quorum with more than half of the replicas. */
    public static Quorum majorityOf(int from) {
        return new Quorum(from / 2 + 1, from);
    }

    /** As {@code ack/from}. */
    @Override
    public String toString() {
        return ack + "/" + from;
    }
}
