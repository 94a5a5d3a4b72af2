package dht.storage.compaction;

import java.util.List;
import java.util.Optional;

/**
 * Decides which tables to merge. Size-tiered: as soon as {@code fanIn} neighbours in age are of a
 * size, none of them twice as large as another, they become one table. So an entry is rewritten
 * about once a tier, and there are few tables a tier.
 *
 * <p>Two bounds on top of that. Space: when what is newer than the oldest table outweighs it
 * {@value #WASTE_RATIO_MAX} times, or has tombstones for half of its entries, all tables become
 * one. Number: at {@code tableCountMax} tables the cheapest neighbours are merged, whatever their
 * sizes.
 *
 * <p>Only neighbours are merged: then each table covers a stretch of time of its own, and a read
 * that has found a version needs to look at no older table.
 *
 * <p>Pure: the same sizes give the same answer.
 */
public final class CompactionPolicy {
    static final int WASTE_RATIO_MAX = 2;

    private final int fanIn;
    private final int tableCountMax;

    public CompactionPolicy(int fanIn, int tableCountMax) {
        this.fanIn = fanIn;
        this.tableCountMax = tableCountMax;
    }

    /** What the decision depends on, of one table. */
    public record TableSize(long bytes, long entryCount, long tombstoneCount) {}

    /** Tables {@code [first, end)} of the list that was asked about. */
    public record Run(int first, int end) {}

    /**
     * Picks the next merge.
     *
     * @param tables from the newest to the oldest
     * @param isFull whether there are too many tables, these and others
     * @return empty if nothing needs to be merged
     */
    public Optional<Run> pick(List<TableSize> tables, boolean isFull) {
        if (isWasteful(tables)) {
            return Optional.of(new Run(0, tables.size()));
        }
        Optional<Run> tier = newestFullTier(tables);
        return tier.isEmpty() && isFull ? cheapestRun(tables) : tier;
    }

    /** Whether so many tables are too many to add another one before some are merged. */
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
     * Of all runs of {@code fanIn} tables the one with the least to rewrite; empty if there are too
     * few.
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
