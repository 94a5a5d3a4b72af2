/** Compares stamps alone, with views of their own: on a tie the version that was found first stays. */
class NewestVersion {
    private void lookInMemTables(Snapshot snapshot, byte[] key) {
        for (MemTable memTable : snapshot.memTables()) {
            if (memTable.find(key, candidate)
                    && (entry == null
                            || candidate.timestampMicros() > entry.timestampMicros())) {
                entry = candidate;
                part = memTable;
                candidate = new EntryView();
            }
        }
    }

    private void lookInTables(Snapshot snapshot, byte[] key, long fromMicros) {
        long hash = KeyHash.of(key);
        for (SSTable table : snapshot.tables()) {
            if (table.find(key, hash, candidate)
                    && (entry == null
                            || candidate.timestampMicros() > entry.timestampMicros())) {
                entry = candidate;
                entry.detach();
                part = table;
                candidate = new EntryView();
            }
        }
    }
}
