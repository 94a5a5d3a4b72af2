package dht.storage.memory;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/** CRC-32C (Castagnoli), which the JDK computes with the processor's own instructions. */
public final class Checksum {
    private Checksum() {}

    public static int crc32c(MemorySegment memory, long offset, long length) {
        CRC32C crc = new CRC32C();
        crc.update(memory.asSlice(offset, length).asByteBuffer());
        return (int) crc.getValue();
    }
}
