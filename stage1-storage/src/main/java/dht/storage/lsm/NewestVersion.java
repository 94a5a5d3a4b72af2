package dht.storage.lsm;

import dht.storage.EntryView;
import dht.storage.ReadOutcome;
import dht.storage.memory.RefCounted;
import dht.storage.memtable.MemTable;
import dht.storage.sstable.KeyHash;
import dht.storage.sstable.SSTable;

/**
 * A key's newest entry in one {@link Version}, and the memtable or table that it lies in. Used by
 * one thread, which holds on to the version.
 */
final class NewestVersion {
    private EntryView entry;
    private RefCounted part;
    private EntryView candidate = new EntryView();

    private NewestVersion() {}

    /**
     * Answers null if there is none. Older than {@code fromMicros} it may be the newest or not, or
     * not be found.
     */
    static NewestVersion find(Version version, byte[] key, long fromMicros) {
        NewestVersion newest = new NewestVersion();
        newest.lookInMemTables(version, key);
        newest.lookInTables(version, key, fromMicros);
        return newest.entry == null ? null : newest;
    }

    private void lookInMemTables(Version version, byte[] key) {
        for (MemTable memTable : version.memTables()) {
            boolean mayBeNewer =
                    entry == null || memTable.greatestTimestampMicros() >= entry.timestampMicros();
            if (mayBeNewer && memTable.find(key, candidate) && isNewer()) {
                entry = candidate;
                part = memTable;
                candidate = new EntryView();
            }
        }
    }

    private void lookInTables(Version version, byte[] key, long fromMicros) {
        long hash = KeyHash.of(key);
        long wantedMicros =
                entry == null ? fromMicros : Math.max(fromMicros, entry.timestampMicros());
        for (SSTable table : version.tables()) {
            if (table.greatestTimestampMicros() >= wantedMicros
                    && table.find(key, hash, candidate)
                    && isNewer()) {
                entry = candidate;
                entry.detach(); // The next table is looked into in the same memory.
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
     * What a reader is told. A value that lies in the mapped file holds on to its memtable or
     * table; a smaller one is a copy, and holds on to nothing.
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
        pin.add(part); // Last: after it nothing can fail.
        return found;
    }
}
