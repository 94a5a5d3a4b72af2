package dht.storage.simulation;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.TextDao;
import dht.storage.file.FileWriter;
import dht.storage.file.StorageDirectory;
import dht.storage.file.WritableMapping;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The simulated disk must lose what a real disk would lose. Otherwise all crash tests would pass
 * without testing anything.
 */
class SimulatedDiskTest {
    private final SimulatedDisk disk = new SimulatedDisk();
    private final StorageDirectory directory = disk.directory();
    private final SplittableRandom random = new SplittableRandom(1);

    @AfterEach
    void close() {
        disk.close();
    }

    private void write(String name, String content, boolean sync) throws IOException {
        try (FileWriter writer = directory.create(name)) {
            writer.write(MemorySegment.ofArray(TextDao.bytes(content)));
            if (sync) {
                writer.sync();
            }
        }
    }

    private DiskImage lose(Loss loss) {
        return disk.image().afterPowerFailure(loss, random);
    }

    @Test
    void kill_unsyncedFile_survives() throws IOException {
        write("a", "content", false);

        DiskImage image = disk.crash();

        assertThat(image.content("a")).isEqualTo(TextDao.bytes("content"));
        try (SimulatedDisk next = image.start()) {
            assertThat(next.bootId()).isEqualTo(disk.bootId());
            assertThat(next.directory().list()).containsExactly("a");
        }
    }

    @Test
    void powerFailure_unsyncedName_isLost() throws IOException {
        write("a", "content", true);

        assertThat(lose(Loss.ALL).files()).isEmpty();
        assertThat(lose(Loss.NOTHING).files()).containsExactly("a");
        assertThat(lose(Loss.ALL).bootId()).isNotEqualTo(disk.bootId());
    }

    @Test
    void powerFailure_unsyncedContent_isLost() throws IOException {
        write("a", "content", false);
        directory.sync();

        assertThat(lose(Loss.ALL).content("a")).isEmpty();
        assertThat(lose(Loss.NOTHING).content("a")).isEqualTo(TextDao.bytes("content"));
    }

    @Test
    void powerFailure_synced_survives() throws IOException {
        write("a", "content", true);
        directory.sync();

        for (Loss loss : Loss.values()) {
            assertThat(lose(loss).content("a")).isEqualTo(TextDao.bytes("content"));
        }
    }

    @Test
    void powerFailure_unsyncedRename_isUndone() throws IOException {
        write("a", "old", true);
        write("b", "new", true);
        directory.sync();
        directory.rename("b", "a");

        assertThat(lose(Loss.ALL).content("a")).isEqualTo(TextDao.bytes("old"));
        assertThat(lose(Loss.ALL).files()).containsExactly("a", "b");
        assertThat(lose(Loss.NOTHING).content("a")).isEqualTo(TextDao.bytes("new"));
    }

    @Test
    void powerFailure_storesAfterForce_areLostBySectors() throws IOException {
        try (WritableMapping mapping = directory.createMapped("a", 64 << 10)) {
            directory.sync();
            mapping.reserve(64 << 10);
            mapping.memory().fill((byte) 1);
            mapping.force(64 << 10);
            mapping.memory().fill((byte) 2);

            assertThat(lose(Loss.ALL).content("a")).containsOnly(1);
            assertThat(lose(Loss.NOTHING).content("a")).containsOnly(2);
            byte[] torn = lose(Loss.SECTORS).content("a");
            assertThat(torn).contains(1).contains(2);
            for (int i = 0; i < torn.length; i++) {
                assertThat(torn[i]).isEqualTo(torn[i / 512 * 512]);
            }
        }
    }

    @Test
    void crash_atTheKthOperation_refusesItAndAllAfter() throws IOException {
        disk.crashAfter(2);
        directory.create("a").close();
        directory.create("b").close();

        assertThatThrownBy(() -> directory.create("c")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> directory.delete("a")).isInstanceOf(IOException.class);
        assertThat(disk.hasCrashed()).isTrue();
        assertThat(disk.crash().files()).containsExactly("a", "b");
    }

    @Test
    void crash_storesAfterwards_areNotInThePicture() throws IOException {
        try (WritableMapping mapping = directory.createMapped("a", 4096)) {
            mapping.reserve(4096);
            mapping.memory().set(JAVA_BYTE, 0, (byte) 1);
            DiskImage image = disk.crash();
            mapping.memory().set(JAVA_BYTE, 0, (byte) 2);

            assertThat(image.content("a")[0]).isEqualTo((byte) 1);
        }
    }

    @Test
    void quota_exceeded_failsAndKeepsWhatWasThere() throws IOException {
        write("a", "content", true);
        disk.quotaBytes(10);

        try (FileWriter writer = directory.create("b")) {
            assertThatThrownBy(() -> writer.write(MemorySegment.ofArray(new byte[100])))
                    .isInstanceOf(IOException.class)
                    .hasMessage("No space left on device");
        }
        directory.delete("b");
        write("c", "abc", true);
        assertThat(disk.usedBytes()).isEqualTo(10);
    }

    @Test
    void holes_storedTo_areFoundOut() throws IOException {
        try (WritableMapping mapping = directory.createMapped("a", 64 << 10)) {
            mapping.reserve(4096);
            mapping.memory().set(JAVA_BYTE, 4095, (byte) 1);
            assertThat(disk.isUntouchedBeyondBlocks()).isTrue();

            mapping.memory().set(JAVA_BYTE, 4096, (byte) 1);
            assertThat(disk.isUntouchedBeyondBlocks()).isFalse();
        }
    }

    @Test
    void close_mappingLeftOpen_isFoundOut() throws IOException {
        WritableMapping mapping = directory.createMapped("a", 4096);

        assertThatThrownBy(disk::close).isInstanceOf(IllegalStateException.class);
        mapping.close();
    }
}
