/** Answers from the memtables without a look at the tables: as if the latest to arrive had the greatest stamp. */
class NewestVersion {
    private void lookInMemTables(Version version, byte[] key) {
        for (MemTable memTable : version.memTables()) {
            if (memTable.find(key, candidate) && isNewer()) {
                entry = candidate;
                part = memTable;
                candidate = new EntryView();
            }
        }
    }

    private void lookInTables(Version version, byte[] key, long fromMicros) {
        if (entry != null) {
            return;
        }
        long hash = KeyHash.of(key);
        long wantedMicros =
                entry == null ? fromMicros : Math.max(fromMicros, entry.timestampMicros());
        for (SSTable table : version.tables()) {
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
