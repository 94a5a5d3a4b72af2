package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.StorageOptions;
import dht.storage.TestOptions;
import dht.storage.compaction.CompactionPolicy;
import dht.storage.simulation.DiskImage;
import dht.storage.simulation.SimulatedDisk;
import dht.storage.sstable.SSTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests when a merge rests: while fewer than half as many tables count as are allowed. */
@Timeout(60)
class CompactorRestTest {
    private static final int TABLES = 3;
    private static final StorageOptions OPTIONS =
            TestOptions.small()
                    .memTableBytes(1 << 20)
                    .compactionFanIn(TABLES + 1)
                    .tableCountMax(2 * TABLES)
                    .build();

    @Test
    void merge_halfOfTheTables_doesNotRest() throws IOException {
        assertThat(restsOfAMerge(List.of())).isEmpty();
    }

    /** A damaged table and one other do not count. */
    @Test
    void merge_someTablesAreDamaged_rests() throws IOException {
        assertThat(restsOfAMerge(List.of(2))).isNotEmpty();
    }

    /**
     * @param damaged the indexes of the damaged tables; 0 is the newest table
     */
    private static List<Long> restsOfAMerge(List<Integer> damaged) throws IOException {
        List<Long> rests = new ArrayList<>();
        try (SimulatedDisk disk = killedWithTables().start();
                Snapshots snapshots = TestSnapshots.open(disk.directory())) {
            damage(disk, snapshots, damaged);
            new Compactor(
                            OPTIONS,
                            new CompactionPolicy(2, OPTIONS.tableCountMax()),
                            snapshots,
                            new SSTableFactory(
                                    disk.directory(),
                                    OPTIONS,
                                    snapshots::nextFileNumber,
                                    Runnable::run),
                            new Throttle(() -> 0, rests::add),
                            () -> {})
                    .work();
            assertThat(disk.names().stream().filter(name -> name.endsWith(".sst")))
                    .as("the merge has happened")
                    .hasSizeLessThan(TABLES);
        }
        return rests;
    }

    /**
     * Any two of the tables are so large that their merge may rest. There are too few of them for
     * the engine to merge them: fewer than the fan-in, and the newer ones are not more than twice
     * as large as the oldest.
     */
    private static DiskImage killedWithTables() {
        SimulatedEngine engine = new SimulatedEngine(OPTIONS);
        for (int i = 0; i < TABLES; i++) {
            engine.dao().put("key" + i, "v".repeat(200_000), i);
            engine.dao().flush();
        }
        return engine.kill();
    }

    private static void damage(SimulatedDisk disk, Snapshots snapshots, List<Integer> indexes)
            throws IOException {
        Snapshot snapshot = snapshots.pin();
        try {
            for (int index : indexes) {
                SSTable table = snapshot.tables().get(index);
                disk.flipBit(SSTable.fileName(table.number()), 5, 0);
                table.damage().checkAll(() -> false);
                assertThat(table.damage().isEmpty()).isFalse();
            }
        } finally {
            snapshot.release();
        }
    }
}
