package dht.repair;

import dht.http.EntityRequest;
import dht.http.OwnedBytes;
import dht.storage.EntryView;
import dht.storage.ReadOutcome;
import java.lang.foreign.MemorySegment;

/**
 * A version of a key in memory of its own, on its way from replica to replica. Immutable.
 *
 * @param key of which it is a version
 * @param value null for a tombstone
 */
record Copy(byte[] key, OwnedBytes value, long timestampMicros) {
    /** Copies what a replica holds; null if that is nothing. */
    static Copy of(byte[] key, ReadOutcome outcome) {
        return switch (outcome) {
            case ReadOutcome.Found found ->
                    new Copy(key, OwnedBytes.copyOf(found.value()), found.timestampMicros());
            case ReadOutcome.Deleted deleted -> new Copy(key, null, deleted.timestampMicros());
            case ReadOutcome.Absent _ -> null;
        };
    }

    /** Copies an entry, which may move on then. */
    static Copy of(EntryView entry) {
        return new Copy(
                entry.copyKey(),
                entry.isTombstone() ? null : OwnedBytes.takeOver(entry.copyValue()),
                entry.timestampMicros());
    }

    boolean isTombstone() {
        return value == null;
    }

    /** Whether it is newer, in the order of the storage. */
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

    /** What has a replica store it. */
    EntityRequest request() {
        return isTombstone()
                ? new EntityRequest.Delete(key, null)
                : new EntityRequest.Put(key, value, null);
    }
}
