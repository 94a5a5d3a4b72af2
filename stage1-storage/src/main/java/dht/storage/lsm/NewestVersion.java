package dht.storage.lsm;

import dht.storage.EntryView;
import dht.storage.ReadOutcome;
import dht.storage.memory.RefCounted;
import dht.storage.memtable.MemTable;
import dht.storage.sstable.KeyHash;
import dht.storage.sstable.SSTable;

/**
 * A key's newest entry in one {@link Snapshot}, and the memtable or table that contains it. Used by
 * one thread, which must retain the snapshot.
 */
final class NewestVersion {
    private EntryView entry;
    private RefCounted part;
    private EntryView candidate = new EntryView();

    private NewestVersion() {}

    /**
     * Finds the newest entry of a key; returns null if there is none. Tables whose entries are all
     * older than {@code fromMicros} are skipped. So if the newest entry is older than {@code
     * fromMicros}, the result may be null, or may be an entry that is older still.
     */
    static NewestVersion find(Snapshot snapshot, byte[] key, long fromMicros) {
        NewestVersion newest = new NewestVersion();
        newest.lookInMemTables(snapshot, key);
        newest.lookInTables(snapshot, key, fromMicros);
        return newest.entry == null ? null : newest;
    }

    private void lookInMemTables(Snapshot snapshot, byte[] key) {
        for (MemTable memTable : snapshot.memTables()) {
            boolean mayBeNewer =
                    entry == null || memTable.greatestTimestampMicros() >= entry.timestampMicros();
            if (mayBeNewer && memTable.find(key, candidate) && isNewer()) {
                entry = candidate;
                part = memTable;
                candidate = new EntryView();
            }
        }
    }

    private void lookInTables(Snapshot snapshot, byte[] key, long fromMicros) {
        long hash = KeyHash.of(key);
        long wantedMicros =
                entry == null ? fromMicros : Math.max(fromMicros, entry.timestampMicros());
        for (SSTable table : snapshot.tables()) {
            if (table.greatestTimestampMicros() >= wantedMicros
                    && table.find(key, hash, candidate)
                    && isNewer()) {
                entry = candidate;
                entry.detach(); // The next lookup reuses the same memory.
                part = table;
                wantedMicros = Math.max(wantedMicros, entry.timestampMicros());
                candidate = new EntryView();
            }
        }
    }

    private boolean isNewer() {
        return entry == null || candidate.winsOver(entry);
    }

    long timestampMicros() {
        return entry.timestampMicros();
    }

    /**
     * The entry as an outcome for the reader. A large value is read from the mapped file, so the
     * outcome keeps the memtable or table. A small value is a copy, and keeps nothing.
     */
    ReadOutcome outcome(Pins pins) {
        if (entry.isTombstone()) {
            return new ReadOutcome.Deleted(entry.timestampMicros());
        }
        if (!entry.isValueInFile()) {
            return new ReadOutcome.Found(
                    entry.value().asReadOnly(), entry.timestampMicros(), ReadOutcome.NOTHING_HELD);
        }
        Pin pin = pins.begin().ofValue(entry.valueLength());
        ReadOutcome found = new ReadOutcome.Found(entry.value(), entry.timestampMicros(), pin);
        pin.add(part); // Last: if a later step failed, nobody would release the part.
        return found;
    }
}
