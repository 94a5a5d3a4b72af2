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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests when a flush rests while the active memtable is the only other one. */
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

    private static List<Long> restsOfAFlush(int memTableCountMax) throws IOException {
        StorageOptions options =
                StorageOptions.builder()
                        .memTableBytes(1 << 20)
                        .memTableCountMax(memTableCountMax)
                        .build();
        List<Long> rests = new ArrayList<>();
        try (SimulatedDisk disk = new SimulatedDisk()) {
            StorageDirectory directory = disk.directory();
            Snapshots snapshots = TestSnapshots.open(directory);
            try (snapshots;
                    MemTablePool pool =
                            new MemTablePool(directory, options, snapshots, Runnable::run)) {
                snapshots.addMemTable(filled(pool.take()));
                snapshots.addMemTable(pool.take());
                new Flusher(
                                options,
                                new CompactionPolicy(2, 4),
                                snapshots,
                                new SSTableFactory(
                                        directory,
                                        options,
                                        snapshots::nextFileNumber,
                                        Runnable::run),
                                new Throttle(() -> 0, rests::add),
                                () -> {})
                        .work();
                assertThat(snapshots.countedTables()).isEqualTo(1);
            }
        }
        return rests;
    }

    /** Its table is so large that a flush may rest several times. */
    private static MemTable filled(MemTable memTable) throws IOException {
        for (String key : List.of("a", "b", "c")) {
            memTable.put(TextDao.bytes(key), MemorySegment.ofArray(new byte[100_000]), 1);
        }
        return memTable;
    }
}
