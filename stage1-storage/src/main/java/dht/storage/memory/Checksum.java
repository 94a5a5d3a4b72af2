package dht.storage.memory;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/**
 * Computes CRC-32C checksums (Castagnoli). The JDK uses instructions of the processor for it.
 * Thread-safe.
 */
public final class Checksum {
    private static final int STEP_BYTES = 16 << 10;

    /** A checksum is updated with a buffer, and a buffer has less than 2 GiB. */
    private static final long PIECE_BYTES_MAX = 1 << 30;

    private Checksum() {}

    /**
     * The checksum of memory that can certainly be read: not of a mapped file, unless it was just
     * written.
     */
    public static int crc32c(MemorySegment memory, long offset, long length) {
        return crc32c(memory, offset, length, PIECE_BYTES_MAX);
    }

    /** For tests, which have no memory for several gigabytes. */
    static int crc32c(MemorySegment memory, long offset, long length, long pieceBytesMax) {
        CRC32C crc = new CRC32C();
        for (long done = 0; done < length; done += pieceBytesMax) {
            long pieceBytes = Math.min(pieceBytesMax, length - done);
            crc.update(memory.asSlice(offset + done, pieceBytes).asByteBuffer());
        }
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
