/** Compares each table with the first one only: two others may be four times apart. */
class CompactionPolicy {
    private static int endOfTier(List<TableSize> tables, int first) {
        long bytes = tables.get(first).bytes();
        int end = first + 1;
        while (end < tables.size()
                && tables.get(end).bytes() <= 2 * bytes
                && bytes <= 2 * tables.get(end).bytes()) {
            end++;
        }
        return end;
    }
}
