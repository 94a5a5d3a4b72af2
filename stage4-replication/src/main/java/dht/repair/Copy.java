package dht.repair;

import dht.http.EntityRequest;
import dht.http.OwnedBytes;
import dht.storage.EntryView;
import dht.storage.ReadOutcome;
import java.lang.foreign.MemorySegment;

/**
 * A copy of a version in memory, to be sent from one replica to another. Immutable.
 *
 * @param key the key
 * @param value null for a tombstone
 * @param from how many nodes hold the version; 0 if all of them do
 */
record Copy(byte[] key, OwnedBytes value, long timestampMicros, int from) {
    Copy(byte[] key, OwnedBytes value, long timestampMicros) {
        this(key, value, timestampMicros, 0);
    }

    /**
     * Copies the version that a replica has; returns null if the replica has none.
     *
     * @throws dht.storage.CorruptionException if the value is in a file that cannot be read there
     */
    static Copy of(byte[] key, ReadOutcome outcome) {
        return switch (outcome) {
            case ReadOutcome.Found found ->
                    new Copy(key, OwnedBytes.copyOf(found), found.timestampMicros());
            case ReadOutcome.Deleted deleted -> new Copy(key, null, deleted.timestampMicros());
            case ReadOutcome.Absent _ -> null;
        };
    }

    /** Copies an entry. The caller may reuse the view of the entry afterwards. */
    static Copy of(EntryView entry) {
        return new Copy(
                entry.copyKey(),
                entry.isTombstone() ? null : OwnedBytes.takeOver(entry.copyValue()),
                entry.timestampMicros());
    }

    /** The same version with another key and another number of nodes that hold it. */
    Copy with(byte[] otherKey, int count) {
        return new Copy(otherKey, value, timestampMicros, count);
    }

    boolean isTombstone() {
        return value == null;
    }

    /** Whether this version is newer than another, in the order of the storage. */
    boolean winsOver(Copy other) {
        return view().winsOver(other.view());
    }

    private EntryView view() {
        EntryView view = new EntryView();
        if (isTombstone()) {
            view.wrap(MemorySegment.NULL, 0, 0, 0, EntryView.TOMBSTONE, timestampMicros);
        } else {
            view.wrap(value.segment(), 0, 0, 0, (int) value.byteSize(), timestampMicros);
        }
        return view;
    }

    /** The request that stores this version on a replica. */
    EntityRequest request() {
        return isTombstone()
                ? new EntityRequest.Delete(key, null, from)
                : new EntityRequest.Put(key, value, null, from);
    }
}
