package dht.storage.file;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.TextDao;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/**
 * What an engine may expect from its directory. Both the real and the simulated directory must
 * pass, so the simulated one is not more reliable than the real one.
 */
interface StorageDirectoryContract {
    StorageDirectory directory();

    private void write(String name, String content) throws IOException {
        try (FileWriter writer = directory().create(name)) {
            writer.write(MemorySegment.ofArray(TextDao.bytes(content)));
            writer.sync();
        }
    }

    private String read(String name) throws IOException {
        try (MappedFile file = directory().map(name)) {
            return text(file.memory());
        }
    }

    private static String text(MemorySegment memory) {
        return TextDao.text(memory.toArray(JAVA_BYTE));
    }

    @Test
    default void list_newDirectory_isEmpty() throws IOException {
        assertThat(directory().list()).isEmpty();
    }

    @Test
    default void create_writtenInPieces_isReadAsOne() throws IOException {
        try (FileWriter writer = directory().create("a")) {
            writer.write(MemorySegment.ofArray(TextDao.bytes("one, ")));
            writer.write(MemorySegment.ofArray(TextDao.bytes("two")));
            writer.sync();
        }

        assertThat(read("a")).isEqualTo("one, two");
        assertThat(directory().list()).containsExactly("a");
    }

    @Test
    default void create_nothingWritten_isEmptyFile() throws IOException {
        directory().create("a").close();

        assertThat(read("a")).isEmpty();
    }

    @Test
    default void create_nameInUse_fails() throws IOException {
        write("a", "old");

        assertThatThrownBy(() -> directory().create("a")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> directory().createMapped("a", 4096))
                .isInstanceOf(IOException.class);
        assertThat(read("a")).isEqualTo("old");
    }

    @Test
    default void map_missingFile_fails() {
        assertThatThrownBy(() -> directory().map("a")).isInstanceOf(IOException.class);
    }

    @Test
    default void map_readOnly_refusesStores() throws IOException {
        write("a", "content");

        try (MappedFile file = directory().map("a")) {
            assertThatThrownBy(() -> file.memory().set(JAVA_BYTE, 0, (byte) 1))
                    .isInstanceOf(RuntimeException.class);
        }
    }

    @Test
    default void map_afterClose_refusesReads() throws IOException {
        write("a", "content");
        MappedFile file = directory().map("a");
        MemorySegment memory = file.memory();
        file.close();

        assertThatThrownBy(() -> memory.get(JAVA_BYTE, 0))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    default void createMapped_new_isAsLargeAsReserved() throws IOException {
        try (WritableMapping mapping = directory().createMapped("a", 10_000)) {
            assertThat(sizeOf("a")).isZero();
            mapping.reserve(4096);
            mapping.reserve(8192);

            assertThat(mapping.memory().byteSize()).isEqualTo(10_000);
            assertThat(mapping.memory().asSlice(0, 8192).toArray(JAVA_BYTE))
                    .isEqualTo(new byte[8192]);
            assertThat(sizeOf("a")).isEqualTo(8192);
        }
    }

    private long sizeOf(String name) throws IOException {
        try (MappedFile file = directory().map(name)) {
            return file.memory().byteSize();
        }
    }

    @Test
    default void createMapped_stores_areSeenByReaders() throws IOException {
        try (WritableMapping mapping = directory().createMapped("a", 4096)) {
            mapping.reserve(4096);
            mapping.memory().set(JAVA_BYTE, 100, (byte) 7);
            mapping.force(200);
        }

        try (MappedFile file = directory().map("a")) {
            assertThat(file.memory().byteSize()).isEqualTo(4096);
            assertThat(file.memory().get(JAVA_BYTE, 100)).isEqualTo((byte) 7);
        }
    }

    @Test
    default void createUnnamed_stores_areSeenUntilItIsClosed() throws IOException {
        WritableMapping mapping = directory().createUnnamed(4096);
        mapping.reserve(4096);
        MemorySegment memory = mapping.memory();
        memory.set(JAVA_BYTE, 100, (byte) 7);
        mapping.force(200);

        assertThat(mapping.memory().byteSize()).isEqualTo(4096);
        assertThat(mapping.memory().get(JAVA_BYTE, 100)).isEqualTo((byte) 7);
        assertThat(directory().list()).isEmpty();
        mapping.close();
        assertThatThrownBy(() -> memory.get(JAVA_BYTE, 100))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    default void reserve_again_keepsWhatWasStored() throws IOException {
        try (WritableMapping mapping = directory().createMapped("a", 1 << 20)) {
            mapping.reserve(4096);
            mapping.memory().set(JAVA_BYTE, 100, (byte) 7);
            mapping.reserve(4096);
            mapping.reserve(200_000);

            assertThat(mapping.memory().get(JAVA_BYTE, 100)).isEqualTo((byte) 7);
        }
    }

    @Test
    default void rename_ontoAnother_replacesIt() throws IOException {
        write("a", "new");
        write("b", "old");

        directory().rename("a", "b");

        assertThat(directory().list()).containsExactly("b");
        assertThat(read("b")).isEqualTo("new");
    }

    @Test
    default void rename_whileMapped_keepsMappingGood() throws IOException {
        try (WritableMapping mapping = directory().createMapped("a", 4096)) {
            mapping.reserve(4096);
            directory().rename("a", "b");
            mapping.memory().set(JAVA_BYTE, 0, (byte) 9);
        }

        try (MappedFile file = directory().map("b")) {
            assertThat(file.memory().get(JAVA_BYTE, 0)).isEqualTo((byte) 9);
        }
    }

    @Test
    default void rename_missingFile_fails() {
        assertThatThrownBy(() -> directory().rename("a", "b")).isInstanceOf(IOException.class);
    }

    @Test
    default void delete_whileMapped_keepsMappingGood() throws IOException {
        write("a", "content");

        try (MappedFile file = directory().map("a")) {
            directory().delete("a");

            assertThat(directory().list()).isEmpty();
            assertThat(text(file.memory())).isEqualTo("content");
        }
    }

    @Test
    default void delete_missingFile_isNoFailure() throws IOException {
        directory().delete("a");

        assertThat(directory().list()).isEmpty();
    }

    @Test
    default void sync_andBootId_answer() throws IOException {
        directory().sync();

        assertThat(directory().bootId()).isEqualTo(directory().bootId());
        assertThat(directory().usableBytes()).isPositive();
    }
}
