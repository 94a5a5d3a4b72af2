package dht.repair;

import dht.replication.PlacementRecord;
import java.util.Arrays;

/**
 * A range of clients' keys. Immutable.
 *
 * @param from the first key; empty: the range begins with the first key of all
 * @param to the key after the range; empty: the range ends with the last key of all
 */
record KeyRange(byte[] from, byte[] to) {
    static final KeyRange ALL = new KeyRange(new byte[0], new byte[0]);

    /** The end of this range, from a key in it. */
    KeyRange startingAt(byte[] key) {
        return new KeyRange(key, to);
    }

    /** Whether a part of this range, which has the same start, ends with this range. */
    boolean endsAt(byte[] partTo) {
        return Arrays.equals(to, partTo);
    }

    /** Whether a key can be the end of a part of this range, which has the same start. */
    boolean isContinuedAt(byte[] partTo) {
        return endsAt(partTo) || (Arrays.compareUnsigned(from, partTo) < 0 && isBeforeEnd(partTo));
    }

    /** Whether a key, which is not before this range, is before its end. */
    boolean isBeforeEnd(byte[] key) {
        return to.length == 0 || Arrays.compareUnsigned(key, to) < 0;
    }

    /** Where the storage begins to read. */
    byte[] storageFrom() {
        return from.length == 0 ? null : from;
    }

    /** Where the storage stops, which is always before the placement records. */
    byte[] storageTo() {
        return to.length == 0 ? new byte[] {PlacementRecord.PREFIX} : to;
    }

    /** The start of the range of these keys' placement records. */
    byte[] recordsFrom() {
        return PlacementRecord.key(from);
    }

    /** The end of that range; null: it ends with the last key of the storage. */
    byte[] recordsTo() {
        return to.length == 0 ? null : PlacementRecord.key(to);
    }
}
