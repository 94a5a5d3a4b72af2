package dht.replication;

/**
 * How many copies a key has, and how many of their holders must answer. A write and a read of which
 * {@code ack + ack > from} have a holder in common, so the read sees the write.
 *
 * <p>Immutable.
 *
 * @param ack answers that suffice, 1 to {@code from}
 * @param from copies, the first nodes of the key's preference list
 */
public record Quorum(int ack, int from) {
    public Quorum {
        if (ack < 1 || ack > from) {
            throw new IllegalArgumentException("ack=" + ack + " from=" + from);
        }
    }

    /** More than half. */
    public static Quorum majorityOf(int from) {
        return new Quorum(from / 2 + 1, from);
    }

    /** As {@code ack/from}. */
    @Override
    public String toString() {
        return ack + "/" + from;
    }
}
