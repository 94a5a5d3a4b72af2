package dht.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.TextDao;
import java.lang.foreign.MemorySegment;
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

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 8, 9, 10})
    void crc32c_inPieces_isTheSame(long pieceBytesMax) {
        MemorySegment memory = MemorySegment.ofArray(TextDao.bytes("..123456789.."));

        assertThat(Checksum.crc32c(memory, 2, 9, pieceBytesMax)).isEqualTo(0xe3069283);
    }
}
