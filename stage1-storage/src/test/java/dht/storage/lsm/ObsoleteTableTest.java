package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.EntryCursor;
import dht.storage.Eventually;
import dht.storage.StorageException;
import dht.storage.StorageOptions;
import dht.storage.TestOptions;
import dht.storage.TextDao;
import dht.storage.compaction.CompactionPolicy;
import dht.storage.simulation.DiskImage;
import dht.storage.simulation.Operation.Kind;
import dht.storage.simulation.SimulatedDisk;
import dht.testkit.allocation.AllocationSchedules;
import dht.testkit.allocation.Allocations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The file of a table is deleted as soon as nobody can read it any more: not earlier, and not
 * later.
 */
@Timeout(60)
class ObsoleteTableTest {
    private static final StorageOptions OPTIONS =
            TestOptions.small().tombstoneGrace(Duration.ZERO).build();

    private final SimulatedEngine engine = new SimulatedEngine(OPTIONS);

    @AfterEach
    void close() {
        engine.close();
    }

    private void flush(String... keys) {
        for (String key : keys) {
            engine.dao().put(key, "value", 1);
        }
        engine.dao().flush();
    }

    /** Ends the engine, which frees all that is to be freed, and answers what is left. */
    private List<String> tablesLeft() {
        engine.dao().dao().close();
        return engine.disk.names().stream().filter(name -> name.endsWith(".sst")).toList();
    }

    @Test
    void merged_outputOfAnEarlierMergeIsMergedAgain_oneFileIsLeft() {
        flush("a");
        flush("b");
        engine.dao().compact();
        flush("c");
        engine.dao().compact();

        assertThat(tablesLeft()).hasSize(1);
    }

    @Test
    void merged_manifestCannotBeStored_inputsAreLeftAndNoOutput() {
        flush("a");
        flush("b");
        engine.faults.failOnce(operation -> operation.is(Kind.CREATE, "MANIFEST.new"));
        assertThatThrownBy(() -> engine.dao().compact()).isInstanceOf(StorageException.class);

        assertThat(engine.dao().all()).containsExactly("a=value@1", "b=value@1");
        assertThat(tablesLeft()).hasSize(2);
    }

    @Test
    void merged_nothingButTombstones_noFileIsLeft() {
        engine.dao().delete("d", 1);
        engine.dao().flush();
        engine.dao().compact();
        flush("a", "b");
        flush("c");
        engine.dao().compact();
        for (String key : List.of("a", "b", "c")) {
            engine.dao().delete(key, 2);
        }
        engine.dao().flush();
        engine.dao().compact();

        assertThat(engine.dao().all()).isEmpty();
        assertThat(tablesLeft()).isEmpty();
    }

    /**
     * An engine without threads flushes a memtable and merges all tables. One allocation fails;
     * each does so once.
     */
    static final class LittleMemory implements LongConsumer {
        private SimulatedDisk disk;
        private Snapshots snapshots;

        @Override
        public void accept(long seed) {
            DiskImage killed = killedWithTablesAndALog();
            long failing = 0;
            while (isTooLittle(killed, failing)) {
                failing++;
            }
            assertThat(failing).isGreaterThan(100);
        }

        private static DiskImage killedWithTablesAndALog() {
            SimulatedEngine engine = new SimulatedEngine(OPTIONS);
            engine.dao().put("a", "v", 1);
            engine.dao().flush();
            engine.dao().put("b", "v", 2);
            engine.dao().flush();
            engine.dao().put("c", "v", 3);
            return engine.kill();
        }

        private boolean isTooLittle(DiskImage killed, long failing) {
            try (SimulatedDisk next = killed.start()) {
                disk = next;
                snapshots = TestSnapshots.open(disk.directory());
                boolean isTooLittle = flushAndMergeRunOutOfMemory(failing);
                long fileCount = disk.names().stream().filter(it -> it.endsWith(".sst")).count();
                assertThat(fileCount).isEqualTo(snapshots.countedTables());
                snapshots.close();
                return isTooLittle;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private boolean flushAndMergeRunOutOfMemory(long failing) throws IOException {
            CompactionPolicy policy = new CompactionPolicy(4, 8);
            SSTableFactory tables =
                    new SSTableFactory(
                            disk.directory(), OPTIONS, snapshots::nextFileNumber, Runnable::run);
            Throttle throttle = new Throttle(() -> 0, _ -> {});
            Flusher flusher = new Flusher(OPTIONS, policy, snapshots, tables, throttle, () -> {});
            Compactor compactor =
                    new Compactor(OPTIONS, policy, snapshots, tables, throttle, () -> {});
            return Allocations.runsOutOfMemory(
                    failing,
                    () -> {
                        flusher.work();
                        compactor.compactAll();
                    });
        }
    }

    @Test
    void made_noMemoryToUseIt_noFileIsLeft() throws Exception {
        AllocationSchedules.run(LsmDao.class, LittleMemory.class, 1);
    }

    @Test
    void merged_whileARangeIsRead_itsFileGoesAfterwards() {
        flush("a");
        flush("b");
        engine.dao().compact();
        try (EntryCursor read = engine.dao().dao().range(TextDao.bytes("a"), TextDao.bytes("b"))) {
            flush("c");
            engine.dao().compact();

            Eventually.holds(() -> engine.fileCount(".sst") == 2, engine.disk::names);
            assertThat(TextDao.rest(read)).containsExactly("a=value@1");
        }
        assertThat(tablesLeft()).hasSize(1);
    }
}
