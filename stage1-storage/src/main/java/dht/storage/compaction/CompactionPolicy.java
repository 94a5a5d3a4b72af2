package dht.storage.compaction;

import java.util.List;
import java.util.Optional;

/**
 * Decides which tables to merge. The tables are in the order of their age. Only adjacent tables are
 * merged: no other table is between them in age. So each table has the writes of one time interval,
 * and a read that has found a version can skip most of the older tables: those whose stamps are all
 * older.
 *
 * <p>The first of these rules that applies decides:
 *
 * <ol>
 *   <li>Space: the newer tables together waste too much space. Then all tables are merged into one.
 *       The newer tables are all except the oldest one. They waste too much space if they are more
 *       than {@value #WASTE_RATIO_MAX} times as large as the oldest table, or if they have more
 *       than half as many tombstones as the oldest table has entries.
 *   <li>Tier: {@code fanIn} or more adjacent tables have similar sizes. Then all these tables are
 *       merged into one; of several such groups, the newest. Sizes are similar if no table is more
 *       than twice as large as another. This is size-tiered compaction: an entry is rewritten about
 *       once for each tier, and each tier has only a few tables.
 *   <li>Number: there are {@code tableCountMax} tables or more. Then the {@code fanIn} adjacent
 *       tables that together have the fewest bytes are merged, whatever their sizes are.
 * </ol>
 *
 * <p>Pure: the same sizes give the same decision. Immutable and thread-safe.
 */
public final class CompactionPolicy {
    static final int WASTE_RATIO_MAX = 2;

    private final int fanIn;
    private final int tableCountMax;

    public CompactionPolicy(int fanIn, int tableCountMax) {
        this.fanIn = fanIn;
        this.tableCountMax = tableCountMax;
    }

    /** The properties of a table on which the decision depends. */
    public record TableSize(long bytes, long entryCount, long tombstoneCount) {}

    /** The tables {@code [first, end)} of the given list. */
    public record Run(int first, int end) {}

    /**
     * Picks the next merge.
     *
     * @param tables from the newest to the oldest
     * @param isFull what {@link #isFull} says of all tables, including those that are being merged
     * @return empty if nothing needs to be merged
     */
    public Optional<Run> pick(List<TableSize> tables, boolean isFull) {
        if (isWasteful(tables)) {
            return Optional.of(new Run(0, tables.size()));
        }
        Optional<Run> tier = newestFullTier(tables);
        return tier.isEmpty() && isFull ? cheapestRun(tables) : tier;
    }

    /** Whether there are so many tables that some must be merged before another one is added. */
    public boolean isFull(int tableCount) {
        return tableCount >= tableCountMax;
    }

    private static boolean isWasteful(List<TableSize> tables) {
        if (tables.size() < 2) {
            return false;
        }
        TableSize oldest = tables.getLast();
        List<TableSize> newer = tables.subList(0, tables.size() - 1);
        long newerBytes = newer.stream().mapToLong(TableSize::bytes).sum();
        long newerTombstones = newer.stream().mapToLong(TableSize::tombstoneCount).sum();
        return newerBytes > WASTE_RATIO_MAX * oldest.bytes()
                || newerTombstones > oldest.entryCount() / 2;
    }

    private Optional<Run> newestFullTier(List<TableSize> tables) {
        for (int first = 0; first + fanIn <= tables.size(); first++) {
            int end = endOfTier(tables, first);
            if (end - first >= fanIn) {
                return Optional.of(new Run(first, end));
            }
        }
        return Optional.empty();
    }

    private static int endOfTier(List<TableSize> tables, int first) {
        long least = Long.MAX_VALUE;
        long greatest = 0;
        for (int end = first; end < tables.size(); end++) {
            least = Math.min(least, tables.get(end).bytes());
            greatest = Math.max(greatest, tables.get(end).bytes());
            if (greatest > 2 * least) {
                return end;
            }
        }
        return tables.size();
    }

    /**
     * The run of {@code fanIn} tables that is cheapest to rewrite; empty if there are too few
     * tables.
     */
    private Optional<Run> cheapestRun(List<TableSize> tables) {
        Run cheapest = null;
        long cheapestBytes = Long.MAX_VALUE;
        for (int first = 0; first + fanIn <= tables.size(); first++) {
            long bytes =
                    tables.subList(first, first + fanIn).stream().mapToLong(TableSize::bytes).sum();
            if (bytes < cheapestBytes) {
                cheapest = new Run(first, first + fanIn);
                cheapestBytes = bytes;
            }
        }
        return Optional.ofNullable(cheapest);
    }
}
