package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.StorageOptions;
import dht.storage.TextDao;
import dht.storage.compaction.CompactionPolicy;
import dht.storage.file.StorageDirectory;
import dht.storage.memtable.MemTable;
import dht.storage.simulation.SimulatedDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests which memtable is flushed first, and when a flush rests. */
@Timeout(60)
class FlusherTest {
    @Test
    void flush_spareIsAllowed_rests() throws IOException {
        assertThat(restsOfAFlush(3)).isNotEmpty();
    }

    /** As soon as the active memtable is full, writes wait for the flush. */
    @Test
    void flush_noSpareIsAllowed_doesNotRest() throws IOException {
        assertThat(restsOfAFlush(2)).isEmpty();
    }

    /** If the process ended in between, an older log would be missing before a newer one. */
    @Test
    void work_severalMemtablesWait_flushesTheOldestFirst() throws IOException {
        List<Integer> waiting = new ArrayList<>();
        flush(4, 3, _ -> {}, (memTables, left) -> waiting.add(memTables.indexOf(left.getLast())));
        assertThat(waiting).as("the oldest that is left after each flush").containsExactly(1, 2, 3);
    }

    private static List<Long> restsOfAFlush(int memTableCountMax) throws IOException {
        List<Long> rests = new ArrayList<>();
        flush(memTableCountMax, 1, rests::add, (_, _) -> {});
        return rests;
    }

    /**
     * Flushes some memtables, beside the active one.
     *
     * @param afterEach gets all memtables, oldest first, and those which are left
     */
    private static void flush(
            int memTableCountMax,
            int waitingCount,
            LongConsumer rester,
            BiConsumer<List<MemTable>, List<MemTable>> afterEach)
            throws IOException {
        StorageOptions options =
                StorageOptions.builder()
                        .memTableBytes(1 << 20)
                        .memTableCountMax(memTableCountMax)
                        .build();
        try (SimulatedDisk disk = new SimulatedDisk()) {
            StorageDirectory directory = disk.directory();
            Snapshots snapshots = TestSnapshots.open(directory);
            try (snapshots;
                    MemTablePool pool =
                            new MemTablePool(directory, options, snapshots, Runnable::run)) {
                List<MemTable> memTables = new ArrayList<>();
                for (int i = 0; i < waitingCount; i++) {
                    memTables.add(filled(pool.take()));
                    snapshots.addMemTable(memTables.getLast());
                }
                memTables.add(pool.take());
                snapshots.addMemTable(memTables.getLast());
                new Flusher(
                                options,
                                new CompactionPolicy(2, 4),
                                snapshots,
                                new SSTableFactory(
                                        directory,
                                        options,
                                        snapshots::nextFileNumber,
                                        Runnable::run),
                                new Throttle(() -> 0, rester),
                                () -> afterEach.accept(memTables, left(snapshots)))
                        .work();
                assertThat(snapshots.countedTables()).isEqualTo(waitingCount);
            }
        }
    }

    /** Newest first. */
    private static List<MemTable> left(Snapshots snapshots) {
        Snapshot snapshot = snapshots.pin();
        try {
            return snapshot.memTables();
        } finally {
            snapshot.release();
        }
    }

    /** Its table is so large that a flush may rest several times. */
    private static MemTable filled(MemTable memTable) throws IOException {
        for (String key : List.of("a", "b", "c")) {
            memTable.put(TextDao.bytes(key), MemorySegment.ofArray(new byte[100_000]), 1);
        }
        return memTable;
    }
}
