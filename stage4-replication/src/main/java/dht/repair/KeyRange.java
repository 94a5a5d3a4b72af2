package dht.repair;

import dht.replication.PlacementRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A range of clients' keys. Immutable.
 *
 * @param from the first key; empty: the range begins with the first key of all
 * @param to the key after the range; empty: the range ends with the last key of all
 */
record KeyRange(byte[] from, byte[] to) {
    static final KeyRange ALL = new KeyRange(new byte[0], new byte[0]);

    /**
     * Finds the clients' keys that belong to a range of the storage: the keys in it, and the keys
     * whose placement records are in it.
     *
     * @param to the end of the range, not empty
     */
    static List<KeyRange> concernedBy(byte[] from, byte[] to) {
        byte[] firstRecord = {PlacementRecord.PREFIX};
        List<KeyRange> ranges = new ArrayList<>();
        if (Arrays.compareUnsigned(from, firstRecord) < 0) {
            boolean endsBefore = Arrays.compareUnsigned(to, firstRecord) < 0;
            ranges.add(new KeyRange(from, endsBefore ? to : new byte[0]));
        }
        if (Arrays.compareUnsigned(to, firstRecord) > 0) {
            ranges.add(new KeyRange(entityKey(from), entityKey(to)));
        }
        return ranges;
    }

    /** The key of the entity that a record belongs to; empty for a key before all records. */
    private static byte[] entityKey(byte[] recordKey) {
        return recordKey[0] == PlacementRecord.PREFIX
                ? Arrays.copyOfRange(recordKey, 1, recordKey.length)
                : new byte[0];
    }

    /** The part of this range that begins with this key. */
    KeyRange startingAt(byte[] key) {
        return new KeyRange(key, to);
    }

    /** Whether {@code partTo} is the end of this range. */
    boolean endsAt(byte[] partTo) {
        return Arrays.equals(to, partTo);
    }

    /**
     * Whether {@code partTo} is a valid end of a first part of this range: it is after the start,
     * and not after the end.
     */
    boolean isContinuedAt(byte[] partTo) {
        return endsAt(partTo) || (Arrays.compareUnsigned(from, partTo) < 0 && isBeforeEnd(partTo));
    }

    /** Whether a key is before the end of this range. The key must not be before its start. */
    boolean isBeforeEnd(byte[] key) {
        return to.length == 0 || Arrays.compareUnsigned(key, to) < 0;
    }

    /** The first key that the storage must read; null: from the beginning. */
    byte[] storageFrom() {
        return from.length == 0 ? null : from;
    }

    /** The key at which the storage must stop. It is never after the first placement record. */
    byte[] storageTo() {
        return to.length == 0 ? new byte[] {PlacementRecord.PREFIX} : to;
    }

    /** The first key of the storage's range that contains the placement records of these keys. */
    byte[] recordsFrom() {
        return PlacementRecord.key(from);
    }

    /**
     * The key after the storage's range that contains the placement records of these keys; null if
     * that range ends with the last key of the storage.
     */
    byte[] recordsTo() {
        return to.length == 0 ? null : PlacementRecord.key(to);
    }
}
