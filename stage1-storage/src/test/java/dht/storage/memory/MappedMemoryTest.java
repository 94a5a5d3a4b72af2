package dht.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.CorruptionException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a mapped file of which the second half was truncated. */
class MappedMemoryTest {
    private static final int BYTES = 1 << 20; // More than a page, on every machine.
    private static final int KEPT_BYTES = BYTES / 2;
    private static final int UNTOUCHED = 99;

    @TempDir private Path directory;
    private final Arena arena = Arena.ofConfined();
    private MemorySegment file;

    @BeforeEach
    void map() throws IOException {
        try (FileChannel channel =
                FileChannel.open(
                        directory.resolve("7.sst"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            file = channel.map(MapMode.READ_WRITE, 0, BYTES, arena);
            for (int i = 0; i < KEPT_BYTES; i++) {
                file.set(ValueLayout.JAVA_BYTE, i, byteAt(i));
            }
            channel.truncate(KEPT_BYTES);
        }
        MappedMemory.register(file, "7.sst");
    }

    @AfterEach
    void unmap() {
        MappedMemory.forget(file);
        arena.close();
    }

    private static byte byteAt(int offset) {
        return (byte) (offset * 7);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 9, 5000})
    void copy_ofBytesThatAreThere_hasThemAndNoOthers(int length) {
        byte[] target = new byte[length + 20];
        Arrays.fill(target, (byte) UNTOUCHED);

        MappedMemory.copy(file, 1000, target, 10, length);

        for (int i = 0; i < target.length; i++) {
            boolean isCopied = i >= 10 && i < 10 + length;
            assertThat(target[i]).isEqualTo(isCopied ? byteAt(1000 + i - 10) : (byte) UNTOUCHED);
        }
    }

    @Test
    void copy_toMemoryOutsideTheHeap_hasTheBytes() {
        MemorySegment target = arena.allocate(100);
        MappedMemory.copy(file, 1000, target, 10, 50);
        assertThat(target.asSlice(10, 50).mismatch(file.asSlice(1000, 50))).isEqualTo(-1);
        assertThat(target.get(ValueLayout.JAVA_BYTE, 60)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 5000})
    void copy_ofBytesThatAreGone_isCorruptionWhereTheyWere(int length) {
        byte[] target = new byte[length];

        assertThatThrownBy(() -> MappedMemory.copy(file, KEPT_BYTES + 1000, target, 0, length))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("7.sst")
                .hasMessageContaining("" + (KEPT_BYTES + 1000))
                .hasMessageContaining("the file was truncated");
    }

    @Test
    void copy_ofBytesThatAreGoneOnlyAtTheEnd_isCorruption() {
        byte[] target = new byte[5000];

        assertThatThrownBy(() -> MappedMemory.copy(file, KEPT_BYTES - 2500, target, 0, 5000))
                .isInstanceOf(CorruptionException.class);
    }

    /** A part of a mapping is known by the mapping that was registered. */
    @Test
    void copy_ofAPartOfTheFile_tellsTheOffsetInTheFile() {
        MemorySegment part = file.asSlice(KEPT_BYTES, 10_000);

        assertThatThrownBy(() -> MappedMemory.copy(part, 50, new byte[10], 0, 10))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("" + (KEPT_BYTES + 50));
    }

    @Test
    void copy_ofAFileThatNobodyKnows_isTheFault() {
        MappedMemory.forget(file);

        assertThatThrownBy(() -> MappedMemory.copy(file, KEPT_BYTES, new byte[10], 0, 10))
                .isInstanceOf(InternalError.class);
    }

    @Test
    void copy_ofMemoryThatIsNoFile_hasTheBytes() {
        byte[] target = new byte[3];
        MappedMemory.copy(MemorySegment.ofArray(new byte[] {1, 2, 3, 4}), 1, target, 1, 2);
        assertThat(target).containsExactly(0, 2, 3);
    }
}
