/** Takes a new view after all memtables: two memtables that both have the key still share one. */
class NewestVersion {
    private void lookInMemTables(Version version, byte[] key) {
        for (MemTable memTable : version.memTables()) {
            boolean mayBeNewer =
                    entry == null || memTable.greatestTimestampMicros() >= entry.timestampMicros();
            if (mayBeNewer && memTable.find(key, candidate) && isNewer()) {
                entry = candidate;
                part = memTable;
            }
        }
    }

    private void lookInTables(Version version, byte[] key, long fromMicros) {
        candidate = new EntryView();
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
