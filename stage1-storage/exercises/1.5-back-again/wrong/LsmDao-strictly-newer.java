/** Looks only into tables with greater stamps: hides the tie, and not the mistake. */
class LsmDao {
    private static EntryView findNewest(Version version, byte[] key, long fromMicros) {
        EntryView newest = null;
        EntryView candidate = new EntryView();
        for (MemTable memTable : version.memTables()) {
            if ((newest == null || memTable.greatestTimestampMicros() > newest.timestampMicros())
                    && memTable.find(key, candidate)
                    && (newest == null || candidate.winsOver(newest))) {
                newest = candidate;
            }
        }
        long hash = KeyHash.of(key);
        for (SSTable table : version.tables()) {
            if ((newest == null || table.greatestTimestampMicros() > newest.timestampMicros())
                    && table.find(key, hash, candidate)
                    && (newest == null || candidate.winsOver(newest))) {
                newest = candidate;
                candidate = new EntryView();
            }
        }
        return newest;
    }
}
