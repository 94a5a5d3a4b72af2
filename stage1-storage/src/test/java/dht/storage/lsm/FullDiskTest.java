package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.Dao;
import dht.storage.Durability;
import dht.storage.Eventually;
import dht.storage.FastTempDir;
import dht.storage.OtherProcess;
import dht.storage.SmallDisk;
import dht.storage.StorageOptions;
import dht.storage.StorageUnavailableException;
import dht.storage.TextDao;
import dht.storage.file.LocalDirectory;
import dht.storage.file.StorageDirectory;
import dht.storage.simulation.UnreservedDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An engine on a real disk that runs full; {@link QuotaTest} does the same with simulated disks. A
 * store to a page without a block would end this process.
 */
@Timeout(60)
class FullDiskTest {
    private static final int DISK_BYTES = 24 << 20;
    private static final int FILLER_BYTES = 16 << 20; // What is left fits twice: merges take room.
    private static final int WRITES_MAX = 20_000;
    private static final long RETRY_MILLIS = 5;
    private static final int RECORD_BYTES = 4096;
    private static final int LOG_BYTES = 128 << 10;

    @TempDir(factory = FastTempDir.class)
    private Path directory;

    private SmallDisk disk;

    @BeforeEach
    void mount() throws Exception {
        disk = SmallDisk.mount(directory.resolve("disk"), DISK_BYTES);
    }

    @AfterEach
    void unmount() throws Exception {
        if (disk != null) {
            disk.close();
        }
    }

    private static TextDao open(Path data, Durability durability) throws IOException {
        StorageOptions options =
                StorageOptions.builder()
                        .durability(durability)
                        .memTableBytes(512 << 10)
                        .writeStallMax(Duration.ofMillis(20))
                        .build();
        return new TextDao(LsmDao.open(LocalDirectory.open(data), options, RETRY_MILLIS));
    }

    private static String key(int number) {
        return "key%05d".formatted(number);
    }

    private static String value(int number) {
        return ("value" + number).repeat(100);
    }

    /** Writes until the disk has no room, and answers how many writes were taken. */
    private static int fill(TextDao dao) {
        int count = 0;
        while (count < WRITES_MAX) {
            try {
                dao.put(key(count), value(count), 1 + count);
                count++;
            } catch (StorageUnavailableException e) {
                if (e.getMessage().contains("No space left on device")) {
                    assertThat(e).hasMessageContaining("make room on that disk");
                    return count;
                }
            }
        }
        throw new AssertionError("a disk that takes everything");
    }

    private static void checkHolds(TextDao dao, int count) {
        assertThat(dao.range("key", "key99999")).hasSize(count);
        for (int i = 0; i < count; i += 97) {
            assertThat(dao.get(key(i))).isEqualTo(value(i) + "@" + (1 + i));
        }
        assertThat(dao.get(key(count))).isEqualTo("absent");
    }

    private static boolean isTaken(TextDao dao, int number) {
        try {
            dao.put("later" + number, value(number), 100_000);
            return true;
        } catch (StorageUnavailableException e) {
            return false;
        }
    }

    private static void checkGoesOn(TextDao dao, int count) {
        for (int i = 0; i < 1000; i++) {
            int number = i;
            Eventually.holds(() -> isTaken(dao, number), () -> "still refused");
        }
        dao.flush();
        checkHolds(dao, count);
    }

    @ParameterizedTest
    @EnumSource
    void writes_diskFull_areRefusedUntilThereIsRoom(Durability durability) throws Exception {
        disk.fill(FILLER_BYTES);
        Path data = disk.path().resolve("data");
        TextDao dao = open(data, durability);
        int count = fill(dao);
        try (Dao _ = dao.dao()) {
            checkHolds(dao, count);
            disk.makeRoom();
            checkGoesOn(dao, count);
        }

        TextDao next = open(data, durability);
        try (Dao _ = next.dao()) {
            checkHolds(next, count);
            assertThat(next.range("later", null)).hasSize(1000);
        }
    }

    /** Fills the disk, prints how many writes were taken, and dies. */
    public static void main(String[] arguments) throws IOException {
        int count = fill(open(Path.of(arguments[0]), Durability.OS));
        System.out.println(count);
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    /** Fills a log to the end of its last block, and the disk, and dies. */
    public static final class FillingLog {
        private FillingLog() {}

        public static void main(String[] arguments) throws IOException {
            Path data = Path.of(arguments[0]);
            TextDao dao = open(data, Durability.OS);
            int count = 0;
            while (Files.size(data.resolve("00000001.log")) < LOG_BYTES
                    || 4096 + count * RECORD_BYTES < LOG_BYTES) {
                dao.put(key(count), "x".repeat(RECORD_BYTES - 18 - 8), 1);
                count++;
            }
            new SmallDisk(Path.of(arguments[1])).fill();
            System.out.println(count);
            System.out.flush();
            Runtime.getRuntime().halt(0);
        }
    }

    /** Where the log ends there may be no block, and no room for one. */
    @Test
    void restart_logEndsWithItsBlocksOnFullDisk_servesReads() throws Exception {
        Path data = disk.path().resolve("data");
        String printed =
                OtherProcess.run(FillingLog.class, data.toString(), disk.path().toString());
        int count = Integer.parseInt(printed);

        TextDao dao = open(data, Durability.OS);
        try (Dao _ = dao.dao()) {
            assertThat(dao.range("key", "key99999")).hasSize(count);
            disk.makeRoom();
        }
    }

    /** Some file systems reserve blocks that turn out not to be there when they are stored to. */
    @Test
    void write_blockIsNotThereAfterAll_isRefusedAndLeavesNoTrace() throws Exception {
        Path data = disk.path().resolve("data");
        StorageOptions options =
                StorageOptions.builder()
                        .memTableBytes(512 << 10)
                        .writeStallMax(Duration.ofMillis(20))
                        .build();
        AtomicBoolean lies = new AtomicBoolean();
        StorageDirectory directory =
                new UnreservedDirectory(LocalDirectory.open(data), _ -> lies.get());
        TextDao dao = new TextDao(LsmDao.open(directory, options, RETRY_MILLIS));
        int count = 0;
        String refusal = "";
        try (Dao _ = dao.dao()) {
            disk.fill();
            lies.set(true);
            while (refusal.isEmpty()) {
                try {
                    dao.put(key(count), value(count), 1 + count);
                    count++;
                } catch (StorageUnavailableException e) {
                    refusal = e.getMessage();
                }
            }
            lies.set(false);
            checkHolds(dao, count);
            disk.makeRoom();
            checkGoesOn(dao, count);
        }

        assertThat(refusal).contains("could not be written: file=").contains("make room");
        TextDao next = open(data, Durability.OS);
        try (Dao _ = next.dao()) {
            checkHolds(next, count);
        }
    }

    @Test
    void restart_killedOnFullDisk_servesReadsAndThenWrites() throws Exception {
        disk.fill(FILLER_BYTES);
        Path data = disk.path().resolve("data");
        int count = Integer.parseInt(OtherProcess.run(FullDiskTest.class, data.toString()));

        TextDao dao = open(data, Durability.OS);
        try (Dao _ = dao.dao()) {
            checkHolds(dao, count);
            disk.makeRoom();
            checkGoesOn(dao, count);
        }
    }
}
