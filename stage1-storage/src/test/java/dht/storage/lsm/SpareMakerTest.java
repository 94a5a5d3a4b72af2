package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.Durability;
import dht.storage.StorageException;
import dht.storage.StorageOptions;
import dht.storage.StorageUnavailableException;
import dht.storage.TestOptions;
import dht.storage.TextDao;
import dht.storage.WriteListener;
import dht.storage.compaction.CompactionPolicy;
import dht.storage.file.StorageDirectory;
import dht.storage.log.LogFiles;
import dht.storage.simulation.DiskImage;
import dht.storage.simulation.HookedDirectory;
import dht.storage.simulation.Operation;
import dht.storage.simulation.Operation.Kind;
import dht.storage.simulation.SimulatedDisk;
import dht.testkit.allocation.AllocationSchedules;
import dht.testkit.allocation.Allocations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the first log of an engine that had no room for it when it was opened. */
@Timeout(60)
class SpareMakerTest {
    /**
     * An engine without threads: the test does its background work. When there is room for the
     * first log, one allocation fails. Then the recovered memtable is flushed, or the log is tried
     * again.
     */
    static final class LateFirstLog implements LongConsumer {
        private static final StorageOptions OPTIONS =
                TestOptions.small().writeStallMax(Duration.ZERO).build();

        private static final WriteListener NO_LISTENER =
                new WriteListener() {
                    @Override
                    public void durable() {}

                    @Override
                    public void failed(StorageException failure) {
                        throw failure;
                    }
                };

        private SimulatedDisk disk;
        private Snapshots snapshots;
        private MemTablePool pool;
        private WritePath writePath;
        private SpareMaker spareMaker;
        private boolean isTriedAgain;

        /** Each allocation fails once. */
        @Override
        public void accept(long seed) {
            DiskImage killed = killedAfterAWrite();
            long failing = 0;
            while (isTooLittle(killed, failing, true) && isTooLittle(killed, failing, false)) {
                failing++;
            }
            assertThat(failing).isGreaterThan(20);
        }

        private static DiskImage killedAfterAWrite() {
            SimulatedEngine engine = new SimulatedEngine(OPTIONS);
            engine.dao().put("a", "v", 1);
            return engine.kill();
        }

        private boolean isTooLittle(DiskImage killed, long failing, boolean isFlushedFirst) {
            try (SimulatedDisk next = killed.start()) {
                disk = next;
                open();
                boolean isTooLittle = Allocations.runsOutOfMemory(failing, spareMaker::work);
                if (isFlushedFirst) {
                    flush();
                }
                if (!isWritten()) {
                    isTriedAgain = true;
                    spareMaker.work();
                    assertThat(isWritten()).isTrue();
                }
                check(disk.image(), "a=v@1", "b=v@2");
                flush();
                check(disk.image(), "a=v@1", "b=v@2");
                assertThat(logCount()).isEqualTo(1);
                close();
                return isTooLittle;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void open() throws IOException {
            StorageDirectory directory = new HookedDirectory(disk.directory(), this::beforeRename);
            long recoveredEnd;
            try (Recovery recovery = Recovery.run(directory, Durability.OS, Runnable::run)) {
                Snapshot first = new Snapshot(recovery.memTables(), recovery.tables());
                snapshots = new Snapshots(directory, true, recovery.manifest(), first);
                recoveredEnd = recovery.newestLogEnd();
            }
            pool = new MemTablePool(directory, OPTIONS, snapshots, Runnable::run);
            writePath =
                    new WritePath(
                            directory, OPTIONS, snapshots, () -> null, 0, recoveredEnd, () -> {});
            spareMaker = new SpareMaker(directory, OPTIONS, snapshots, pool, writePath);
            isTriedAgain = false;
            disk.quotaBytes(0);
            spareMaker.begin();
            disk.quotaBytes(Long.MAX_VALUE);
        }

        /** The log that is tried again does not have its name yet: a kill may come here, too. */
        private void beforeRename(Operation operation) {
            if (isTriedAgain && operation.is(Kind.RENAME, LogFiles.SUFFIX)) {
                check(disk.image(), "a=v@1");
            }
        }

        private void flush() throws IOException {
            SSTableFactory tables =
                    new SSTableFactory(
                            disk.directory(), OPTIONS, snapshots::nextFileNumber, Runnable::run);
            CompactionPolicy policy = new CompactionPolicy(2, 4);
            Throttle throttle = new Throttle(() -> 0, _ -> {});
            new Flusher(OPTIONS, policy, snapshots, tables, throttle, () -> {}).work();
            assertThat(snapshots.countedTables()).isEqualTo(1);
        }

        private boolean isWritten() {
            try {
                writePath.write(
                        TextDao.bytes("b"),
                        MemorySegment.ofArray(TextDao.bytes("v")),
                        2,
                        NO_LISTENER);
                return true;
            } catch (StorageUnavailableException e) {
                return false;
            }
        }

        private static void check(DiskImage killed, String... entries) {
            try (SimulatedEngine next = SimulatedEngine.start(killed, OPTIONS)) {
                assertThat(next.dao().all()).containsExactly(entries);
            }
        }

        private long logCount() {
            return disk.names().stream().filter(name -> name.endsWith(LogFiles.SUFFIX)).count();
        }

        private void close() {
            writePath.close("the test ends");
            snapshots.close();
            pool.close();
            assertThat(Allocations.openArenas()).isZero();
        }
    }

    @Test
    void firstLog_noMemoryToUseIt_losesNoWrite() throws Exception {
        AllocationSchedules.run(LsmDao.class, LateFirstLog.class, 1);
    }
}
