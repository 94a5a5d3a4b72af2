package dht.replication;

import dht.storage.EntryView;
import dht.storage.ReadOutcome;
import java.lang.foreign.MemorySegment;

/**
 * Compares versions of one key that different replicas have returned. It uses the same order as the
 * storage, {@link EntryView#winsOver}, so all nodes and all coordinators choose the same version.
 * If a value is in a file of this node that cannot be read, it throws a {@link
 * dht.storage.CorruptionException}. Stateless and thread-safe.
 */
final class VersionOrder {
    private VersionOrder() {}

    /** Returns the newer version and closes the other one. */
    static ReadOutcome of(ReadOutcome first, ReadOutcome second) {
        boolean isSecond = winsOver(second, first);
        (isSecond ? first : second).close();
        return isSecond ? second : first;
    }

    /** Whether both are the same version. Two absent versions are the same. */
    static boolean isSame(ReadOutcome first, ReadOutcome second) {
        return !winsOver(first, second) && !winsOver(second, first);
    }

    /** Any version wins over an absent one. */
    static boolean winsOver(ReadOutcome challenger, ReadOutcome incumbent) {
        if (challenger instanceof ReadOutcome.Absent || incumbent instanceof ReadOutcome.Absent) {
            return !(challenger instanceof ReadOutcome.Absent);
        }
        return entry(challenger).winsOver(entry(incumbent));
    }

    private static EntryView entry(ReadOutcome outcome) {
        EntryView entry = new EntryView();
        switch (outcome) {
            case ReadOutcome.Found found -> {
                int length = (int) found.value().byteSize();
                entry.wrap(found.value(), 0, 0, 0, length, found.timestampMicros());
                if (found.value().isMapped()) {
                    entry.wrapValue(found.value(), 0);
                }
            }
            case ReadOutcome.Deleted deleted ->
                    entry.wrap(
                            MemorySegment.NULL,
                            0,
                            0,
                            0,
                            EntryView.TOMBSTONE,
                            deleted.timestampMicros());
            case ReadOutcome.Absent absent -> throw new IllegalArgumentException("" + absent);
        }
        return entry;
    }
}
