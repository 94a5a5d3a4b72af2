/** Takes a new view after all memtables: two memtables that both have the key still share one. */
class NewestVersion {
    private void lookInMemTables(Snapshot snapshot, byte[] key) {
        for (MemTable memTable : snapshot.memTables()) {
            boolean mayBeNewer =
                    entry == null || memTable.greatestTimestampMicros() >= entry.timestampMicros();
            if (mayBeNewer && memTable.find(key, candidate) && isNewer()) {
                entry = candidate;
                part = memTable;
            }
        }
    }

    private void lookInTables(Snapshot snapshot, byte[] key, long fromMicros) {
        candidate = new EntryView();
        long hash = KeyHash.of(key);
        long wantedMicros =
                entry == null ? fromMicros : Math.max(fromMicros, entry.timestampMicros());
        for (SSTable table : snapshot.tables()) {
            if (table.greatestTimestampMicros() >= wantedMicros
                    && table.find(key, hash, candidate)
                    && isNewer()) {
                entry = candidate;
                entry.detach();
                part = table;
                wantedMicros = Math.max(wantedMicros, entry.timestampMicros());
                candidate = new EntryView();
            }
        }
    }
}
