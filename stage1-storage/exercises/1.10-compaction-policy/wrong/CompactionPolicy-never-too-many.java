/** Trusts in tiers alone: sizes that all differ never make one, and flushing waits for ever. */
class CompactionPolicy {
    public Optional<Run> pick(List<TableSize> tables, boolean isFull) {
        return isWasteful(tables)
                ? Optional.of(new Run(0, tables.size()))
                : newestFullTier(tables);
    }
}
