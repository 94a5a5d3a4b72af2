package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.Dao;
import dht.storage.Durability;
import dht.storage.Eventually;
import dht.storage.StorageException;
import dht.storage.StorageOptions;
import dht.storage.StorageUnavailableException;
import dht.storage.TestOptions;
import dht.storage.log.LogFiles;
import dht.storage.log.WriteAheadLog;
import dht.storage.lsm.History.Write;
import dht.storage.simulation.DiskImage;
import dht.storage.simulation.SimulatedDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An engine whose disk runs full. Writes are rejected with the reason, reads continue, no
 * acknowledged write is lost, and as soon as there is room, everything continues without a restart.
 */
@Timeout(120)
class QuotaTest {
    private static final String FULL = "No space left on device";
    private static final String KEYS = "abcdefgh";
    private static final int WRITES = 60;

    private static StorageOptions.Builder options() {
        return TestOptions.small()
                .compactionFanIn(2)
                .tableCountMax(3)
                .writeStallMax(Duration.ofMillis(1));
    }

    @Test
    void log_full_hasWholeUnitsOfDisk() {
        try (SimulatedEngine engine = new SimulatedEngine(TestOptions.small().build())) {
            String largest = "v".repeat(Dao.MAX_VALUE_BYTES);
            engine.dao().put("k".repeat(Dao.MAX_KEY_BYTES), largest, 1);

            DiskImage image = engine.disk.image();
            assertThat(engine.disk.names())
                    .filteredOn(name -> name.endsWith(LogFiles.SUFFIX))
                    .extracting(image::size)
                    .allMatch(bytes -> bytes % WriteAheadLog.RESERVE_UNIT_BYTES == 0)
                    .anyMatch(bytes -> bytes > Dao.MAX_VALUE_BYTES);
        }
    }

    @ParameterizedTest
    @EnumSource
    void writes_diskOfAnySize_loseNothingAndGoOn(Durability durability) throws IOException {
        // Where there are logs, they have to be extended.
        long memTableBytes = durability == Durability.NONE ? 8 << 10 : 160 << 10;
        StorageOptions options =
                options().durability(durability).memTableBytes(memTableBytes).build();
        int refusingDisks = 0;
        int largeDisks = 0;
        long step = 61; // At first less than a manifest, then a bit more with each disk.
        for (long quotaBytes = 0; largeDisks < 4; quotaBytes += step) {
            try {
                boolean isRefusing = isRefusing(quotaBytes, options);
                refusingDisks += isRefusing ? 1 : 0;
                largeDisks = isRefusing ? 0 : largeDisks + 1;
            } catch (IOException | RuntimeException | AssertionError e) {
                throw new AssertionError("on a disk of bytes=" + quotaBytes, e);
            }
            step += step / 6;
        }
        assertThat(refusingDisks).isGreaterThan(15);
    }

    /** Answers whether there was a write that the disk had no room for. */
    private static boolean isRefusing(long quotaBytes, StorageOptions options) throws IOException {
        SimulatedDisk disk = new SimulatedDisk();
        disk.quotaBytes(quotaBytes);
        History history = new History();
        try (SimulatedEngine engine = new SimulatedEngine(disk, options)) {
            boolean isRefusing = fill(engine, history);
            DiskImage image = disk.image();
            crash(image, quotaBytes, history, options);
            checkReadable(image, quotaBytes, history, options);
            makeRoom(engine, history);
            return isRefusing;
        } catch (UncheckedIOException e) {
            assertThat(e).hasMessageContaining(FULL); // Not even the first manifest.
            return true;
        }
    }

    private static boolean fill(SimulatedEngine engine, History history) {
        boolean isRefused = false;
        for (int i = 1; i <= WRITES; i++) {
            char key = KEYS.charAt(i % KEYS.length());
            String value = i % 7 == 0 ? null : "value".repeat(12 * i);
            boolean isTaken = isTaken(engine, new Write(String.valueOf(key), value, i), history);
            if (!isTaken) {
                checkReads(engine, history);
            }
            isRefused |= !isTaken;
        }
        return isRefused;
    }

    /** Tries until the write is taken, or refused because the disk is full. */
    private static boolean isTaken(SimulatedEngine engine, Write write, History history) {
        String[] reason = {null};
        Eventually.holds(
                () -> {
                    reason[0] = attempt(engine, write, history);
                    return reason[0].isEmpty() || reason[0].contains(FULL);
                },
                () -> reason[0]);
        if (!reason[0].isEmpty()) {
            assertThat(reason[0]).contains("path=simulated disk").contains("make room");
        }
        return reason[0].isEmpty();
    }

    /** Answers why the write was refused, or nothing. */
    private static String attempt(SimulatedEngine engine, Write write, History history) {
        try {
            engine.dao().write(write.key(), write.value(), write.timestampMicros());
            history.begin(write);
            history.acknowledge();
            assertThat(engine.disk.isUntouchedBeyondBlocks()).as("stayed within blocks").isTrue();
            return "";
        } catch (StorageUnavailableException e) {
            return e.getMessage();
        }
    }

    private static void checkReads(SimulatedEngine engine, History history) {
        assertThat(engine.dao().all()).isEqualTo(history.stateAfter(history.acknowledged()));
    }

    private static void crash(
            DiskImage image, long quotaBytes, History history, StorageOptions options)
            throws IOException {
        SplittableRandom random = new SplittableRandom(quotaBytes);
        if (random.nextInt(4) == 0) {
            new Survivor(options).survive(image, history, random.nextInt(6), random);
        }
    }

    /** The next process finds everything too, though the disk is as full as it was. */
    private static void checkReadable(
            DiskImage image, long quotaBytes, History history, StorageOptions options) {
        SimulatedDisk disk = image.start();
        disk.quotaBytes(quotaBytes);
        SimulatedEngine engine = new SimulatedEngine(disk, options);
        try (engine) {
            if (options.durability() != Durability.NONE) {
                checkReads(engine, history);
            }
            disk.quotaBytes(Long.MAX_VALUE);
        }
    }

    private static void makeRoom(SimulatedEngine engine, History history) throws IOException {
        engine.disk.quotaBytes(Long.MAX_VALUE);
        for (int i = WRITES + 1; i <= WRITES + 10; i++) {
            Write write = new Write("a", "after" + i, i);
            Eventually.holds(
                    () -> attempt(engine, write, history).isEmpty(), () -> "still refused");
        }
        Eventually.holds(() -> isFlushed(engine), () -> "cannot be flushed");
        engine.dao().compact();
        checkReads(engine, history);
        engine.dao().dao().close();
        Survivor.checkNoLeftovers(engine.disk);
        engine.reopen();
        checkReads(engine, history);
    }

    /** False as long as nobody has looked whether there is room for another log. */
    private static boolean isFlushed(SimulatedEngine engine) {
        try {
            engine.dao().flush();
            return true;
        } catch (StorageUnavailableException e) {
            return false;
        }
    }

    @Test
    void write_diskFull_leavesNoTraceAndSaysWhatToDo() {
        StorageOptions options = options().memTableBytes(256 << 10).build();
        try (SimulatedEngine engine = new SimulatedEngine(options)) {
            engine.dao().put("a", "first", 1);
            engine.disk.quotaBytes(0);

            assertThatThrownBy(() -> engine.dao().put("refused", "x".repeat(100_000), 2))
                    .isInstanceOf(StorageUnavailableException.class)
                    .hasMessageMatching("cannot extend log: file=0\\d+.log path=simulated disk: .*")
                    .hasMessageContaining(FULL)
                    .hasMessageContaining("make room on that disk");
            assertThat(engine.dao().all()).containsExactly("a=first@1");
            assertThat(engine.dao().get("refused")).isEqualTo("absent");
            engine.dao().put("b", "small", 3); // In the blocks that it has.
            engine.disk.quotaBytes(Long.MAX_VALUE);
            engine.dao().put("refused", "x".repeat(100_000), 4);
            assertThat(engine.dao().all()).hasSize(3);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 100, 500, 2000})
    void flush_diskFull_failsWholeAndIsDoneWhenThereIsRoom(long leftBytes) {
        try (SimulatedEngine engine = new SimulatedEngine(options().build())) {
            engine.dao().put("a", "value".repeat(400), 1);
            engine.dao().put("b", "value".repeat(400), 2);
            Eventually.holds(() -> engine.fileCount(".log") == 2, () -> engine.disk.names());
            engine.disk.quotaBytes(engine.disk.usedBytes() + leftBytes);

            assertThatThrownBy(() -> engine.dao().flush())
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining(FULL);
            assertThat(engine.dao().all()).hasSize(2);
            engine.disk.quotaBytes(Long.MAX_VALUE);

            Eventually.holds(() -> engine.stats().tableCount() == 1, () -> engine.disk.names());
            assertThat(engine.fileCount(".sst")).isEqualTo(1);
            assertThat(engine.dao().all()).hasSize(2);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 100, 4000, 6000})
    void compact_diskFull_failsWholeAndIsDoneWhenThereIsRoom(long leftBytes) {
        StorageOptions options = options().compactionFanIn(10).tableCountMax(20).build();
        try (SimulatedEngine engine = new SimulatedEngine(options)) {
            for (int i = 1; i <= 3; i++) {
                engine.dao().put("key" + i, "value".repeat(400), i);
                engine.dao().flush();
            }
            engine.reopen();
            Eventually.holds(() -> engine.fileCount(".log") == 2, () -> engine.disk.names());
            engine.disk.quotaBytes(engine.disk.usedBytes() + leftBytes);

            assertThatThrownBy(() -> engine.dao().compact())
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining(FULL);
            assertThat(engine.fileCount(".sst")).isEqualTo(3);
            assertThat(engine.dao().all()).hasSize(3);
            engine.disk.quotaBytes(Long.MAX_VALUE);
            engine.dao().compact();

            Eventually.holds(() -> engine.fileCount(".sst") == 1, () -> engine.disk.names());
            assertThat(engine.dao().all()).hasSize(3);
        }
    }

    /** Merges must come first, and have no room: a writer gets an error that says so. */
    @Test
    void write_tooManyTablesAndDiskFull_saysThatMergesHaveNoRoom() {
        StorageOptions options = options().durability(Durability.NONE).build();
        try (SimulatedEngine engine = new SimulatedEngine(options)) {
            engine.faults.block(
                    operation ->
                            operation.name().endsWith(".sst")
                                    && Thread.currentThread()
                                            .getName()
                                            .equals("storage-compaction"));
            for (int i = 1; i <= 3; i++) {
                engine.dao().put("key" + i, "value", i);
                engine.dao().flush();
            }
            engine.disk.quotaBytes(0);
            engine.faults.release();

            Eventually.holds(
                    () -> {
                        String reason =
                                attempt(engine, new Write("z", "z".repeat(4000), 9), new History());
                        return reason.contains("storage-compaction failed")
                                && reason.contains(FULL)
                                && reason.contains("make room");
                    },
                    () -> "no such reason");
            engine.disk.quotaBytes(Long.MAX_VALUE);
        }
    }
}
