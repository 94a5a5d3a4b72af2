/** Takes only the first tables of a tier that is larger: the rest of it is written again, too. */
class CompactionPolicy {
    private Optional<Run> newestFullTier(List<TableSize> tables) {
        for (int first = 0; first + fanIn <= tables.size(); first++) {
            if (endOfTier(tables, first) - first >= fanIn) {
                return Optional.of(new Run(first, first + fanIn));
            }
        }
        return Optional.empty();
    }
}
