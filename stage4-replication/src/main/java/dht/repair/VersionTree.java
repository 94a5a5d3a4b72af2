package dht.repair;

import dht.repair.Digest.Hasher;
import dht.storage.Dao;
import dht.storage.EntryView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The hash tree over the versions that this node shares with another one. The tree is never in
 * memory: its nodes are digests of key ranges, which are calculated when they are needed. Both
 * nodes use the key ranges of the node that compares, so equal ranges have equal digests.
 *
 * <p>A tombstone that is so old that a replica may have deleted it is not in the tree. Otherwise
 * two nodes that delete it at different times would always differ.
 *
 * <p>Immutable and thread-safe.
 *
 * @param forgottenMicros tombstones with a lower stamp are not in the tree
 */
record VersionTree(Dao dao, Sharing sharing, long forgottenMicros) {
    /** The children of a node. */
    static final int FAN_OUT = 32;

    /** A leaf has at most this many versions. */
    static final int LEAF_KEYS = 64;

    /**
     * What one message covers costs at most this, plus the cost of one version: the node that
     * answers it keeps a thread of its pool busy for about 10 milliseconds.
     */
    static final int MESSAGE_COST_MAX = 1 << 14;

    private static final int PAGE_BYTES_MAX = 128 << 10;

    /** Reading this much more than the other node is normal: versions that are not shared. */
    private static final int EXTRA_COST_MAX = 4096;

    /** A range and the digest of its versions. */
    record Part(KeyRange range, Digest digest) {}

    /** How a part of another node's tree compares with this node's versions. */
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
     * @param contentHash tells two versions of one stamp apart
     */
    record Known(byte[] key, int from, long timestampMicros, long contentHash) {
        boolean isSame(Known other) {
            return timestampMicros == other.timestampMicros && contentHash == other.contentHash;
        }
    }

    /**
     * The shared versions from the start of a range.
     *
     * @param to the end of what they cover: the end of the range, or less if there are many
     */
    record Page(List<Known> versions, byte[] to) {}

    /** Is notified of what is read, and may slow the reader down. */
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
     * Divides the start of a range into parts, and calculates their digests.
     *
     * @param partKeys how many versions a part has at most
     * @return parts without gaps; the last one ends where the range ends, or before
     */
    List<Part> parts(KeyRange range, int partKeys, Meter meter) throws InterruptedException {
        List<Part> parts = new ArrayList<>();
        Hasher hasher = new Hasher();
        Digest digest = new Digest();
        byte[] from = range.from();
        int cost = 0;
        try (VersionCursor cursor = VersionCursor.open(dao, range)) {
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
     * Compares a part of another node's tree with this node's versions. Reads not much more than
     * the other node has read.
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
     * The keys of which two nodes have different versions, each with the newer version. Of two
     * versions with the same stamp, it is either one.
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
