/** A view that is kept as the newest is moved on by the next find. */
class LsmDao {
    private static EntryView findNewest(Version version, byte[] key, long fromMicros) {
        EntryView newest = null;
        EntryView candidate = new EntryView();
        for (MemTable memTable : version.memTables()) {
            boolean mayBeNewer =
                    newest == null
                            || memTable.greatestTimestampMicros() >= newest.timestampMicros();
            if (mayBeNewer
                    && memTable.find(key, candidate)
                    && (newest == null || candidate.winsOver(newest))) {
                newest = candidate;
            }
        }
        long hash = KeyHash.of(key);
        long wantedMicros =
                newest == null ? fromMicros : Math.max(fromMicros, newest.timestampMicros());
        for (SSTable table : version.tables()) {
            if (table.greatestTimestampMicros() >= wantedMicros
                    && table.find(key, hash, candidate)
                    && (newest == null || candidate.winsOver(newest))) {
                newest = candidate;
                wantedMicros = Math.max(wantedMicros, newest.timestampMicros());
                candidate = new EntryView();
            }
        }
        return newest;
    }
}
