package dht.storage.memory;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/**
 * Computes CRC-32C checksums (Castagnoli). The JDK uses instructions of the processor for it.
 * Thread-safe.
 */
public final class Checksum {
    private static final int STEP_BYTES = 16 << 10;

    private Checksum() {}

    /**
     * The checksum of memory that can certainly be read: not of a mapped file, unless it was just
     * written.
     */
    public static int crc32c(MemorySegment memory, long offset, long length) {
        CRC32C crc = new CRC32C();
        crc.update(memory.asSlice(offset, length).asByteBuffer());
        return (int) crc.getValue();
    }

    public static int crc32c(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    /**
     * The checksum of a part of a mapped file, which is copied piece by piece.
     *
     * @throws dht.storage.CorruptionException if the file cannot be read there
     */
    public static int crc32cOfMapped(MemorySegment file, long offset, long length) {
        CRC32C crc = new CRC32C();
        byte[] step = new byte[(int) Math.min(STEP_BYTES, length)];
        for (long done = 0; done < length; done += step.length) {
            int stepBytes = (int) Math.min(step.length, length - done);
            MappedMemory.copy(file, offset + done, step, 0, stepBytes);
            crc.update(step, 0, stepBytes);
        }
        return (int) crc.getValue();
    }
}
