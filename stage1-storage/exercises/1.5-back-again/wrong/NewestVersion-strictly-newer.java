/** Looks only into tables with greater stamps: hides the tie, and not the mistake. */
class NewestVersion {
    private void lookInMemTables(Snapshot snapshot, byte[] key) {
        for (MemTable memTable : snapshot.memTables()) {
            if ((entry == null || memTable.greatestTimestampMicros() > entry.timestampMicros())
                    && memTable.find(key, candidate)
                    && isNewer()) {
                entry = candidate;
                part = memTable;
            }
        }
    }

    private void lookInTables(Snapshot snapshot, byte[] key, long fromMicros) {
        long hash = KeyHash.of(key);
        for (SSTable table : snapshot.tables()) {
            if ((entry == null || table.greatestTimestampMicros() > entry.timestampMicros())
                    && table.find(key, hash, candidate)
                    && isNewer()) {
                entry = candidate;
                entry.detach();
                part = table;
                candidate = new EntryView();
            }
        }
    }
}
