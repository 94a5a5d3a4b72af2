/** Answers from the memtables without a look at the tables: as if the latest to arrive had the greatest stamp. */
class LsmDao {
    private static EntryView findNewest(Version version, byte[] key, long fromMicros) {
        EntryView newest = null;
        EntryView candidate = new EntryView();
        for (MemTable memTable : version.memTables()) {
            if (memTable.find(key, candidate) && (newest == null || candidate.winsOver(newest))) {
                newest = candidate;
                candidate = new EntryView();
            }
        }
        if (newest != null) {
            return newest;
        }
        long hash = KeyHash.of(key);
        long wantedMicros = fromMicros;
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
