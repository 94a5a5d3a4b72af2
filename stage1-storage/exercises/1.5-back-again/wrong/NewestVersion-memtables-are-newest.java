/** Answers from the memtables without a look at the tables: as if the latest to arrive had the greatest stamp. */
class NewestVersion {
    private void lookInMemTables(Snapshot snapshot, byte[] key) {
        for (MemTable memTable : snapshot.memTables()) {
            if (memTable.find(key, candidate) && isNewer()) {
                entry = candidate;
                part = memTable;
                candidate = new EntryView();
            }
        }
    }

    private void lookInTables(Snapshot snapshot, byte[] key, long fromMicros) {
        if (entry != null) {
            return;
        }
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
