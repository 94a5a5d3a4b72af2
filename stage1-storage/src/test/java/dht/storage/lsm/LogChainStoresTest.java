package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.CorruptionException;
import dht.storage.Durability;
import dht.storage.EntryCursor;
import dht.storage.StorageException;
import dht.storage.StorageOptions;
import dht.storage.TestOptions;
import dht.storage.TextDao;
import dht.storage.WriteListener;
import dht.storage.compaction.CompactionPolicy;
import dht.storage.file.StorageDirectory;
import dht.storage.log.LogFiles;
import dht.storage.log.WriteAheadLog;
import dht.storage.memtable.MemTable;
import dht.storage.simulation.DiskImage;
import dht.storage.simulation.Loss;
import dht.storage.simulation.SimulatedDisk;
import dht.storage.simulation.Stores;
import dht.storage.sstable.SSTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests what a start finds in the logs if the process is killed, or the power fails, after any
 * store of the steps that begin a log, link it to the one before, or sync it.
 */
@Timeout(120)
class LogChainStoresTest {
    private static final int ROUNDS = 4; // From the third on, a log begins over an older one.

    /** An engine without threads: the test does its background work. */
    private static final class Chain implements Runnable {
        private static final StorageOptions OPTIONS = TestOptions.small().build();
        private static final String VALUE = "v".repeat(1000);
        private static final long RECORD_BYTES =
                WriteAheadLog.recordBytes(key(0).length(), VALUE.length());
        private static final String NONE = "";
        private static final SplittableRandom UNUSED = new SplittableRandom(0);

        private static final WriteListener NO_LISTENER =
                new WriteListener() {
                    @Override
                    public void durable() {}

                    @Override
                    public void failed(StorageException failure) {
                        throw failure;
                    }
                };

        private final SimulatedDisk disk = new SimulatedDisk();
        private final List<String> written = new ArrayList<>();
        private int acknowledgedCount;
        private int flushedCount;

        /** What is linked, although it is no memtable of the engine. */
        private String linked = NONE;

        private int syncedCount;
        private WriteAheadLog syncing; // Null before the first sync.
        private long syncingUpTo;
        private int syncingCount;

        private Snapshots snapshots;
        private MemTablePool pool;
        private WritePath writePath;
        private Flusher flusher;

        @Override
        public void run() {
            try (disk) {
                open();
                for (int round = 0; round < ROUNDS; round++) {
                    MemTable spare = beginLog(round);
                    linkAndUnlink(spare.log());
                    writePath.offerSpare(spare);
                    fill();
                    syncAll();
                    writeTo(spare.log());
                    if (round > 0) { // Before the first flush, three logs are in use.
                        flush();
                    }
                }
                writePath.close("the test ends");
                snapshots.close();
                pool.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void open() throws IOException {
            StorageDirectory directory = disk.directory();
            try (Recovery recovery = recover(directory)) {
                Snapshot first = new Snapshot(recovery.memTables(), recovery.tables());
                snapshots = new Snapshots(directory, true, recovery.manifest(), first);
            }
            pool = new MemTablePool(directory, OPTIONS, snapshots, Runnable::run);
            writePath = new WritePath(directory, OPTIONS, snapshots, () -> null, 0, 0, () -> {});
            flusher =
                    new Flusher(
                            OPTIONS,
                            new CompactionPolicy(OPTIONS.compactionFanIn(), 2 * ROUNDS),
                            snapshots,
                            new SSTableFactory(
                                    directory, OPTIONS, snapshots::nextFileNumber, Runnable::run),
                            new Throttle(() -> 0, _ -> {}),
                            () -> {});
            writePath.offerSpare(pool.take());
            snapshots.nameOldestLog();
            check(NONE);
        }

        private static Recovery recover(StorageDirectory directory) throws IOException {
            return Recovery.run(directory, Durability.OS, Runnable::run);
        }

        private MemTable beginLog(int round) throws IOException {
            List<String> before = disk.names();
            MemTable[] begun = new MemTable[1];
            watch("beginning a log", NONE, () -> begun[0] = pool.take());
            assertThat(disk.names().containsAll(before)).isEqualTo(round < 2);
            return begun[0];
        }

        /** As if the memtable of the linked log could not be used. */
        private void linkAndUnlink(WriteAheadLog next) throws IOException {
            WriteAheadLog active = memTables().getFirst().log();
            String name = name(next);
            watch("linking a log", name, () -> active.linkNext(next), () -> linked = name);
            watch("unlinking a log", name, active::unlinkNext, () -> linked = NONE);
        }

        private void fill() {
            while (memTables().getFirst().logBytes() + RECORD_BYTES <= OPTIONS.memTableBytes()) {
                write();
            }
        }

        private static String key(int number) {
            return "key%02d".formatted(number);
        }

        private void write() {
            String key = key(written.size());
            written.add(key + "=" + VALUE + "@1");
            writePath.write(
                    TextDao.bytes(key),
                    MemorySegment.ofArray(TextDao.bytes(VALUE)),
                    1,
                    NO_LISTENER);
            acknowledgedCount++;
        }

        /** The active log is full. */
        private void writeTo(WriteAheadLog next) throws IOException {
            watch("the first write to a log", name(next), this::write);
            assertThat(memTables().getFirst().log()).isSameAs(next);
        }

        /** Syncs the logs in the order in which they were begun, as group commit does. */
        private void syncAll() throws IOException {
            syncingCount = flushedCount;
            for (MemTable memTable : memTables().reversed()) {
                syncing = memTable.log();
                syncingUpTo = syncing.appendedUpTo();
                syncingCount += (int) memTable.entryCount();
                watch("a sync", NONE, () -> syncing.sync(syncingUpTo));
                syncedCount = Math.max(syncedCount, syncingCount);
            }
        }

        /** How many writes no power failure may take, because readers may see them as durable. */
        private int durableCount() {
            boolean isSynced = syncing != null && syncing.syncedUpTo() >= syncingUpTo;
            return Math.max(flushedCount, isSynced ? syncingCount : syncedCount);
        }

        private void flush() throws IOException {
            int count = acknowledgedCount - (int) memTables().getFirst().entryCount();
            flusher.work();
            assertThat(memTables()).hasSize(1);
            flushedCount = count;
            check(NONE);
        }

        private List<MemTable> memTables() {
            Snapshot snapshot = snapshots.pin();
            try {
                return snapshot.memTables();
            } finally {
                snapshot.release();
            }
        }

        private static String name(WriteAheadLog log) {
            return LogFiles.name(log.number());
        }

        private void watch(String what, String changing, Stores.Code step) throws IOException {
            watch(what, changing, step, () -> {});
        }

        /**
         * Runs a step, and checks after each of its stores, and after it.
         *
         * @param changing the log which a start need not miss yet, or may still miss, during the
         *     step
         * @param done called when the step is done, before the last check
         */
        private void watch(String what, String changing, Stores.Code step, Runnable done)
                throws IOException {
            int[] count = new int[1];
            Stores.each(
                    step,
                    () -> {
                        count[0]++;
                        try {
                            check(changing);
                        } catch (IOException | RuntimeException | AssertionError e) {
                            throw new AssertionError(
                                    "after store %d of %s".formatted(count[0], what), e);
                        }
                    });
            assertThat(count[0]).as(what).isPositive();
            done.run();
            check(NONE);
        }

        private void check(String changing) throws IOException {
            DiskImage killed = disk.image();
            assertIsPrefix(found(killed), acknowledgedCount);
            for (String log : logs(killed)) {
                Optional<List<String>> without = foundUnlessMissed(killed.without(log), log);
                if (!log.equals(changing)) {
                    assertThat(without.isEmpty()).as("%s is missed", log).isEqualTo(isNeeded(log));
                }
                if (without.isPresent()) {
                    assertIsPrefix(without.get(), acknowledgedCount);
                }
            }
            assertIsPrefix(found(killed.afterPowerFailure(Loss.ALL, UNUSED)), durableCount());
            assertIsPrefix(found(powerlessWithHeaders(killed)), durableCount());
        }

        private boolean isNeeded(String log) {
            return log.equals(linked)
                    || memTables().stream().anyMatch(each -> name(each.log()).equals(log));
        }

        private void assertIsPrefix(List<String> found, int countMin) {
            assertThat(found)
                    .hasSizeGreaterThanOrEqualTo(countMin)
                    .isEqualTo(written.subList(0, Math.min(found.size(), written.size())));
        }

        private static List<String> logs(DiskImage image) {
            return image.files().stream().filter(file -> file.endsWith(LogFiles.SUFFIX)).toList();
        }

        private static Optional<List<String>> foundUnlessMissed(DiskImage image, String log)
                throws IOException {
            try {
                return Optional.of(found(image));
            } catch (CorruptionException missed) {
                assertThat(missed)
                        .hasMessageContaining("file=" + log)
                        .hasMessageContaining("missing");
                return Optional.empty();
            }
        }

        /** The entries that the next process finds. */
        private static List<String> found(DiskImage image) throws IOException {
            List<String> found = new ArrayList<>();
            try (SimulatedDisk disk = image.start();
                    Recovery recovery = recover(disk.directory())) {
                for (SSTable table : recovery.tables()) {
                    add(table.cursor(null, null), found);
                }
                for (MemTable memTable : recovery.memTables()) {
                    add(memTable.cursorOverAll(), found);
                }
            }
            found.sort(null);
            return found;
        }

        private static void add(EntryCursor entries, List<String> found) {
            try (entries) {
                found.addAll(TextDao.rest(entries));
            }
        }

        /**
         * Of what was not synced, the system had written the first page of each log to the disk.
         */
        private static DiskImage powerlessWithHeaders(DiskImage killed) {
            DiskImage shown = killed.afterPowerFailure(Loss.NOTHING, UNUSED);
            DiskImage left = killed.afterPowerFailure(Loss.ALL, UNUSED);
            for (String log : logs(left)) {
                if (shown.files().contains(log)) {
                    byte[] content = left.content(log);
                    int length = Math.min(content.length, (int) WriteAheadLog.START);
                    System.arraycopy(shown.content(log), 0, content, 0, length);
                    left = left.withContent(log, content);
                }
            }
            return left;
        }
    }

    @Test
    void process_endsAfterAnyStore_leavesLogsThatAStartReads() {
        Stores.replay(Chain.class);
    }
}
