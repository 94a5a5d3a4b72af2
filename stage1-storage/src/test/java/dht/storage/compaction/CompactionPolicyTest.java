package dht.storage.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.compaction.CompactionPolicy.Run;
import dht.storage.compaction.CompactionPolicy.TableSize;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CompactionPolicyTest {
    private final CompactionPolicy policy = new CompactionPolicy(3, 6);

    /** Tables of these sizes, from the newest to the oldest, an entry a byte, none deleted. */
    private static List<TableSize> tables(long... sizes) {
        return Arrays.stream(sizes).mapToObj(bytes -> new TableSize(bytes, bytes, 0)).toList();
    }

    private Optional<Run> pick(long... sizes) {
        return policy.pick(tables(sizes), policy.isFull(sizes.length));
    }

    @Test
    void pick_fewTables_isNothing() {
        assertThat(pick()).isEmpty();
        assertThat(pick(10)).isEmpty();
        assertThat(pick(10, 10)).isEmpty();
    }

    @Test
    void pick_neighboursOfASize_areMerged() {
        assertThat(pick(10, 15, 20)).contains(new Run(0, 3));
        assertThat(pick(10, 15, 21, 1000)).isEmpty();
        assertThat(pick(15, 10, 21, 1000)).isEmpty();
        assertThat(pick(15, 21, 10, 1000)).isEmpty();
        assertThat(pick(1, 10, 10, 20, 1000)).contains(new Run(1, 4));
        assertThat(pick(10, 10, 10, 12, 1000)).contains(new Run(0, 4));
    }

    @Test
    void pick_sameSizesApart_areNotMerged() {
        assertThat(pick(10, 50, 10, 50, 1000)).isEmpty();
        assertThat(policy.pick(tables(10, 50, 10, 50, 10, 1000), false)).isEmpty();
    }

    @Test
    void pick_twoFullTiers_newestIsMerged() {
        assertThat(pick(10, 10, 10, 100, 100, 100, 1000)).contains(new Run(0, 3));
    }

    @Test
    void pick_fullTierThoughTablesAreTooMany_tierIsMerged() {
        assertThat(pick(1, 10, 100, 200, 200, 1000)).contains(new Run(2, 5));
    }

    @Test
    void pick_newerOutweighsOldest_allAreMerged() {
        assertThat(pick(20, 1, 10)).contains(new Run(0, 3));
        assertThat(pick(20, 10)).isEmpty();
        assertThat(pick(21, 10)).contains(new Run(0, 2));
    }

    @Test
    void pick_tombstonesForHalfOfTheOldest_allAreMerged() {
        TableSize oldest = new TableSize(1000, 100, 100);
        assertThat(policy.pick(List.of(new TableSize(50, 50, 50), oldest), false)).isEmpty();
        assertThat(policy.pick(List.of(new TableSize(51, 51, 51), oldest), false))
                .contains(new Run(0, 2));
    }

    @Test
    void pick_tooManyOfDifferentSizes_cheapestNeighboursAreMerged() {
        assertThat(pick(300, 90, 40, 1, 40, 1000)).contains(new Run(2, 5));
        assertThat(pick(300, 90, 40, 1, 1000)).isEmpty();
        assertThat(pick(300, 90, 1, 300, 90, 1, 1000)).contains(new Run(0, 3)); // All as cheap.
    }

    /** The other tables are damaged, or are being merged. */
    @Test
    void pick_tooManyButFewOfThemInTheList_isNothing() {
        assertThat(policy.pick(List.of(), true)).isEmpty();
        assertThat(policy.pick(tables(1), true)).isEmpty();
        assertThat(policy.pick(tables(1, 100), true)).isEmpty();
    }

    @Test
    void pick_randomTables_isARunOfNeighboursAndMakesFewer() {
        for (int seed = 0; seed < 2000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int fanIn = random.nextInt(2, 6);
            int tableCountMax = random.nextInt(fanIn, fanIn + 10);
            CompactionPolicy any = new CompactionPolicy(fanIn, tableCountMax);
            List<TableSize> tables = new ArrayList<>();
            for (int i = random.nextInt(tableCountMax + 3); i > 0; i--) {
                tables.add(randomTable(random));
            }
            Optional<Run> run = any.pick(tables, any.isFull(tables.size()));

            assertThat(any.pick(tables, any.isFull(tables.size()))).isEqualTo(run);
            run.ifPresent(
                    it -> {
                        assertThat(it.first()).isNotNegative();
                        assertThat(it.end()).isBetween(it.first() + 2, tables.size());
                    });
            if (any.isFull(tables.size())) {
                assertThat(run).as("seed=%d: flushing would wait for ever", seed).isPresent();
            }
        }
    }

    private static TableSize randomTable(SplittableRandom random) {
        long bytes = 1L << random.nextInt(1, 30);
        return new TableSize(bytes, bytes / 2, random.nextLong(1 + bytes / 8));
    }

    /** Flushes table after table, and merges whatever is due. */
    @Test
    void tables_anySizesFlushed_stayFewAndAreRewrittenSeldom() {
        for (int seed = 0; seed < 50; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            CompactionPolicy any = new CompactionPolicy(4, 16);
            List<TableSize> tables = new ArrayList<>();
            long flushedBytes = 0;
            long rewrittenBytes = 0;
            for (int i = 0; i < 1000; i++) {
                TableSize flushed = new TableSize(random.nextLong(100, 400), 10, 0);
                flushedBytes += flushed.bytes();
                tables.addFirst(flushed);
                rewrittenBytes += mergeAllDue(any, tables);
                assertThat(tables).as("seed=%d", seed).hasSizeLessThan(16);
            }

            // A table lives through about log4(1000) = 5 tiers, and what is merged early comes on
            // top.
            assertThat((double) rewrittenBytes / flushedBytes).as("seed=%d", seed).isLessThan(12);
        }
    }

    /** Answers how many bytes were rewritten. */
    private static long mergeAllDue(CompactionPolicy policy, List<TableSize> tables) {
        long bytes = 0;
        Optional<Run> due = policy.pick(tables, policy.isFull(tables.size()));
        while (due.isPresent()) {
            List<TableSize> inputs = tables.subList(due.get().first(), due.get().end());
            TableSize merged =
                    new TableSize(
                            inputs.stream().mapToLong(TableSize::bytes).sum(),
                            inputs.stream().mapToLong(TableSize::entryCount).sum(),
                            0);
            inputs.clear();
            tables.add(due.get().first(), merged);
            bytes += merged.bytes();
            due = policy.pick(tables, policy.isFull(tables.size()));
        }
        return bytes;
    }
}
