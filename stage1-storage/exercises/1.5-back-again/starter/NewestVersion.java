/** A view that is kept as the newest is moved on by the next find. */
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
}
