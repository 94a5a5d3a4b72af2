package dht.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.TextDao;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class ChecksumTest {
    /** The check value that every description of CRC-32C gives. */
    @Test
    void crc32c_digits_isTheKnownValue() {
        MemorySegment memory = MemorySegment.ofArray(TextDao.bytes("..123456789.."));

        assertThat(Checksum.crc32c(memory, 2, 9)).isEqualTo(0xe3069283);
        assertThat(Checksum.crc32c(memory, 0, 0)).isZero();
    }
}
