package dht.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.TextDao;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChecksumTest {
    /** The check value that every description of CRC-32C gives. */
    @Test
    void crc32c_digits_isTheKnownValue() {
        MemorySegment memory = MemorySegment.ofArray(TextDao.bytes("..123456789.."));

        assertThat(Checksum.crc32c(memory, 2, 9)).isEqualTo(0xe3069283);
        assertThat(Checksum.crc32c(memory, 0, 0)).isZero();
    }

    @Test
    void crc32c_ofAnArray_isTheSame() {
        assertThat(Checksum.crc32c(TextDao.bytes("..123456789.."), 2, 9)).isEqualTo(0xe3069283);
    }

    /** The last piece of the copies is shorter than the others. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 16_384, 40_000})
    void crc32cOfMapped_ofAnyLength_isTheSame(int length) {
        MemorySegment memory = MemorySegment.ofArray(new byte[50_000]);
        for (int i = 0; i < memory.byteSize(); i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 >> 3));
        }

        assertThat(Checksum.crc32cOfMapped(memory, 7, length))
                .isEqualTo(Checksum.crc32c(memory, 7, length));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 8, 9, 10})
    void crc32c_inPieces_isTheSame(long pieceBytesMax) {
        MemorySegment memory = MemorySegment.ofArray(TextDao.bytes("..123456789.."));

        assertThat(Checksum.crc32c(memory, 2, 9, pieceBytesMax)).isEqualTo(0xe3069283);
    }
}
