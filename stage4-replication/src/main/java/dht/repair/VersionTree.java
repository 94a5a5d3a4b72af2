package dht.repair;

import dht.repair.Digest.Hasher;
import dht.storage.Dao;
import dht.storage.EntryView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The hash tree (Merkle tree) over the versions that this node shares with another one. It is never
 * in memory as a whole: it consists of digests of key ranges, which are computed when they are
 * needed. Both nodes use the key ranges that the comparing node has chosen. So if they have the
 * same versions in a range, they get the same digest.
 *
 * <p>The tree leaves out tombstones that are so old that a replica may have deleted them. Otherwise
 * two nodes that delete a tombstone at different times would differ in the meantime.
 *
 * <p>Immutable and thread-safe.
 *
 * @param forgottenMicros tombstones with a lower stamp are not in the tree
 */
record VersionTree(Dao dao, Sharing sharing, long forgottenMicros) {
    /** The largest number of parts into which a range is divided. */
    static final int FAN_OUT = 32;

    /** A leaf has at most this many versions. */
    static final int LEAF_KEYS = 64;

    /**
     * The limit for the cost of the versions that one message covers; the last version may exceed
     * it. If both nodes have about the same versions, a thread of the answering node is busy with a
     * message for about 10 milliseconds.
     */
    static final int MESSAGE_COST_MAX = 1 << 14;

    private static final int PAGE_BYTES_MAX = 128 << 10;

    /**
     * For each part of a message, this node may read this much more than the other one, because it
     * also reads versions that the two nodes do not share. A message has at most {@link #FAN_OUT}
     * parts.
     */
    private static final int EXTRA_COST_MAX = 4096;

    /** A range and the digest of its versions. */
    record Part(KeyRange range, Digest digest) {}

    /**
     * How a part of another node's tree compares with this node's versions. Messages contain the
     * number of the constant: do not change the order.
     */
    enum Verdict {
        SAME,
        DIFFERENT,
        /** This node has no version in the range. */
        EMPTY
    }

    /**
     * A version, without its value.
     *
     * @param from how many nodes hold it; 0 if all of them do
     * @param contentHash distinguishes two versions with the same stamp
     */
    record Known(byte[] key, int from, long timestampMicros, long contentHash) {
        boolean isSame(Known other) {
            return timestampMicros == other.timestampMicros && contentHash == other.contentHash;
        }
    }

    /**
     * Shared versions in a range, in key order, beginning at its start.
     *
     * @param to the key at which the listing ends: the end of the range, or an earlier key if there
     *     are many versions
     */
    record Page(List<Known> versions, byte[] to) {}

    /** Is notified of each read, and may slow the reader down. */
    @FunctionalInterface
    interface Meter {
        void read(int cost) throws InterruptedException;
    }

    private boolean includes(VersionCursor cursor) {
        EntryView entry = cursor.entry();
        if (entry.isTombstone() && entry.timestampMicros() < forgottenMicros) {
            return false;
        }
        return cursor.from() == 0 || sharing.includes(entry.copyKey(), cursor.from());
    }

    /**
     * Divides a range into parts, beginning at its start, and computes their digests.
     *
     * @param partKeys the largest number of versions in a part
     * @return parts without gaps between them; they may cover only the beginning of the range
     */
    List<Part> parts(KeyRange range, int partKeys, Meter meter) throws InterruptedException {
        List<Part> parts = new ArrayList<>();
        Hasher hasher = new Hasher();
        Digest digest = new Digest();
        byte[] from = range.from();
        int cost = 0;
        try (VersionCursor cursor = VersionCursor.open(dao, range, forgottenMicros)) {
            while (cursor.next()) {
                int entryCost = Digest.costOf(cursor.entry());
                meter.read(entryCost);
                if (!includes(cursor)) {
                    continue;
                }
                if (digest.count() == partKeys || cost >= MESSAGE_COST_MAX) {
                    byte[] to = cursor.entry().copyKey();
                    parts.add(new Part(new KeyRange(from, to), digest));
                    if (parts.size() == FAN_OUT || cost >= MESSAGE_COST_MAX) {
                        return parts;
                    }
                    from = to;
                    digest = new Digest();
                }
                digest.add(cursor.entry(), hasher);
                cost += entryCost;
            }
        }
        parts.add(new Part(new KeyRange(from, range.to()), digest));
        return parts;
    }

    /**
     * Compares a part of another node's tree with this node's versions. Stops early if this node
     * has much more to read than the other one; the part then counts as different.
     */
    Verdict verdict(Part part) {
        Hasher hasher = new Hasher();
        Digest own = new Digest();
        int left = part.digest().cost() + EXTRA_COST_MAX;
        try (VersionCursor cursor = VersionCursor.open(dao, part.range())) {
            while (cursor.next()) {
                left -= Digest.costOf(cursor.entry());
                if (left < 0) {
                    return Verdict.DIFFERENT;
                }
                if (includes(cursor)) {
                    own.add(cursor.entry(), hasher);
                }
            }
        }
        if (own.isSame(part.digest())) {
            return Verdict.SAME;
        }
        return own.count() == 0 ? Verdict.EMPTY : Verdict.DIFFERENT;
    }

    /** Lists the versions at the start of a range. */
    Page page(KeyRange range) {
        List<Known> versions = new ArrayList<>();
        Hasher hasher = new Hasher();
        int cost = 0;
        int bytes = 0;
        try (VersionCursor cursor = VersionCursor.open(dao, range)) {
            while (cursor.next()) {
                EntryView entry = cursor.entry();
                if (cost >= MESSAGE_COST_MAX || bytes >= PAGE_BYTES_MAX) {
                    return new Page(versions, entry.copyKey());
                }
                cost += Digest.costOf(entry);
                if (includes(cursor)) {
                    versions.add(known(cursor, hasher));
                    bytes += RepairMessage.KNOWN_BYTES_MIN + entry.keyLength();
                }
            }
        }
        return new Page(versions, range.to());
    }

    private static Known known(VersionCursor cursor, Hasher hasher) {
        EntryView entry = cursor.entry();
        return new Known(
                entry.copyKey(), cursor.from(), entry.timestampMicros(), hasher.contentHash(entry));
    }

    /**
     * Finds the keys of which two nodes have different versions. Returns the newer version of each;
     * if both have the same stamp, either of them.
     *
     * @param own in key order
     * @param other in key order
     */
    static List<Known> differences(List<Known> own, List<Known> other) {
        List<Known> different = new ArrayList<>();
        int i = 0;
        int j = 0;
        while (i < own.size() || j < other.size()) {
            int order = order(own, i, other, j);
            if (order < 0) {
                different.add(own.get(i++));
            } else if (order > 0) {
                different.add(other.get(j++));
            } else {
                Known mine = own.get(i++);
                Known theirs = other.get(j++);
                if (!mine.isSame(theirs)) {
                    boolean isOlder = mine.timestampMicros() < theirs.timestampMicros();
                    different.add(isOlder ? theirs : mine);
                }
            }
        }
        return different;
    }

    private static int order(List<Known> own, int i, List<Known> other, int j) {
        if (i == own.size()) {
            return 1;
        }
        return j == other.size()
                ? -1
                : Arrays.compareUnsigned(own.get(i).key(), other.get(j).key());
    }
}
