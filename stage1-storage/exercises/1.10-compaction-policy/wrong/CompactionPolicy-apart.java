/** Counts tables of a size wherever they lie, and takes what is between them along. */
class CompactionPolicy {
    private Optional<Run> newestFullTier(List<TableSize> tables) {
        for (int first = 0; first < tables.size(); first++) {
            long bytes = tables.get(first).bytes();
            int count = 0;
            for (int i = first; i < tables.size(); i++) {
                long other = tables.get(i).bytes();
                if (Math.max(bytes, other) <= 2 * Math.min(bytes, other) && ++count >= fanIn) {
                    return Optional.of(new Run(first, i + 1));
                }
            }
        }
        return Optional.empty();
    }
}
