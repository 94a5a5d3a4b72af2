/** Compares stamps alone, with views of their own: on a tie the version that was found first stays. */
class LsmDao {
    private static EntryView findNewest(Version version, byte[] key, long fromMicros) {
        EntryView newest = null;
        EntryView candidate = new EntryView();
        for (MemTable memTable : version.memTables()) {
            if (memTable.find(key, candidate)
                    && (newest == null
                            || candidate.timestampMicros() > newest.timestampMicros())) {
                newest = candidate;
                candidate = new EntryView();
            }
        }
        long hash = KeyHash.of(key);
        for (SSTable table : version.tables()) {
            if (table.find(key, hash, candidate)
                    && (newest == null
                            || candidate.timestampMicros() > newest.timestampMicros())) {
                newest = candidate;
                candidate = new EntryView();
            }
        }
        return newest;
    }
}
