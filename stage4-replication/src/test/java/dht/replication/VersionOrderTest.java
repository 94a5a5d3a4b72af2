package dht.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.http.OwnedBytes;
import dht.storage.CorruptionException;
import dht.storage.ReadOutcome;
import dht.storage.ReadOutcome.Found;
import dht.storage.file.LocalDirectory;
import dht.storage.file.WritableMapping;
import dht.storage.memory.MappedMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests versions of which one is in a file of this node, and the other one on the heap. */
class VersionOrderTest {
    private static final int LARGE = 150_000;
    private static final long STAMP = 10;

    @TempDir private Path path;

    private static byte[] value(int length, int changedAt, int change) {
        byte[] value = new byte[length];
        if (changedAt >= 0) {
            value[changedAt] = (byte) change;
        }
        return value;
    }

    private static Found found(MemorySegment value, long stamp) {
        return new Found(value, stamp, ReadOutcome.NOTHING_HELD);
    }

    /** The byte 0xff is greater than 0: bytes are compared as unsigned. */
    @ParameterizedTest
    @CsvSource({
        "150000, -1,     0",
        "150000, 0,      1",
        "150000, 65536,  1",
        "150000, 149999, 1",
        "150000, 149999, 0xff",
        "150001, -1,     0",
    })
    void valuesOfOneStamp_wherever_areInTheOrderOfTheirBytes(
            int length, int changedAt, String change) throws IOException {
        byte[] greater = value(length, changedAt, Integer.decode(change));
        boolean isSame = length == LARGE && changedAt < 0;
        Path file = Files.write(path.resolve("value"), value(LARGE, changedAt, 0));
        try (FileChannel channel = FileChannel.open(file);
                Arena arena = Arena.ofConfined()) {
            Found inFile = found(channel.map(MapMode.READ_ONLY, 0, LARGE, arena), STAMP);
            Found onHeap = found(MemorySegment.ofArray(greater), STAMP);
            assertThat(inFile.value().isMapped()).isTrue();
            assertThat(VersionOrder.winsOver(onHeap, inFile)).isEqualTo(!isSame);
            assertThat(VersionOrder.winsOver(inFile, onHeap)).isFalse();
            assertThat(VersionOrder.isSame(inFile, onHeap)).isEqualTo(isSame);
        }
    }

    /** A mapped file to which nothing was written has no bytes. */
    @Test
    void valueThatCannotBeRead_isCorruptionOnlyWhereItIsNeeded() throws IOException {
        try (LocalDirectory directory = LocalDirectory.open(path);
                WritableMapping mapping = directory.createMapped("5.log", LARGE)) {
            MappedMemory.register(mapping.memory(), "5.log"); // As the log does.
            Found unreadable = found(mapping.memory(), STAMP);
            Found older = found(MemorySegment.ofArray(new byte[LARGE]), STAMP - 1);
            Found equal = found(MemorySegment.ofArray(new byte[LARGE]), STAMP);
            assertThat(VersionOrder.winsOver(unreadable, older)).isTrue();
            assertThatThrownBy(() -> VersionOrder.winsOver(unreadable, equal))
                    .isInstanceOf(CorruptionException.class)
                    .hasMessageContaining("5.log");
            assertThatThrownBy(() -> VersionOrder.isSame(equal, unreadable))
                    .isInstanceOf(CorruptionException.class);
            assertThatThrownBy(() -> OwnedBytes.copyOf(unreadable))
                    .isInstanceOf(CorruptionException.class);
            MappedMemory.forget(mapping.memory());
        }
    }
}
