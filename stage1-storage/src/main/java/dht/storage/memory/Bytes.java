package dht.storage.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Compares byte strings as unsigned bytes, on the heap and outside it. It compares eight bytes at a
 * time: read as a big-endian number, eight bytes have the same order as an unsigned number.
 * Stateless.
 */
public final class Bytes {
    private static final VarHandle HEAP_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong MEMORY_LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private Bytes() {}

    /** Compares a key on the heap with one in memory: negative, zero or positive. */
    public static int compare(byte[] a, MemorySegment b, long bOffset, int bLength) {
        int common = Math.min(a.length, bLength);
        int i = 0;
        for (; i <= common - Long.BYTES; i += Long.BYTES) {
            long x = (long) HEAP_LONG.get(a, i);
            long y = b.get(MEMORY_LONG, bOffset + i);
            if (x != y) {
                return Long.compareUnsigned(x, y);
            }
        }
        for (; i < common; i++) {
            int difference = (a[i] & 0xff) - (b.get(JAVA_BYTE, bOffset + i) & 0xff);
            if (difference != 0) {
                return difference;
            }
        }
        return a.length - bLength;
    }

    /** Compares two byte strings in memory: negative, zero or positive. */
    public static int compare(
            MemorySegment a,
            long aOffset,
            int aLength,
            MemorySegment b,
            long bOffset,
            int bLength) {
        int common = Math.min(aLength, bLength);
        int i = 0;
        for (; i <= common - Long.BYTES; i += Long.BYTES) {
            long x = a.get(MEMORY_LONG, aOffset + i);
            long y = b.get(MEMORY_LONG, bOffset + i);
            if (x != y) {
                return Long.compareUnsigned(x, y);
            }
        }
        for (; i < common; i++) {
            int difference =
                    (a.get(JAVA_BYTE, aOffset + i) & 0xff) - (b.get(JAVA_BYTE, bOffset + i) & 0xff);
            if (difference != 0) {
                return difference;
            }
        }
        return aLength - bLength;
    }

    /**
     * The eight bytes from {@code offset} on, as a number that has the same order when it is
     * compared as unsigned. Bytes after {@code length} count as zeros.
     */
    public static long prefix(byte[] key, int offset, int length) {
        if (offset + Long.BYTES <= length) {
            return (long) HEAP_LONG.get(key, offset);
        }
        long prefix = 0;
        for (int i = offset; i < length; i++) {
            prefix |= (key[i] & 0xffL) << (Long.SIZE - Byte.SIZE * (i - offset + 1));
        }
        return prefix;
    }

    /** The number of leading bytes that are equal in both keys. */
    public static int commonPrefixLength(byte[] a, byte[] b) {
        int mismatch = java.util.Arrays.mismatch(a, b);
        return mismatch < 0 ? a.length : mismatch;
    }

    public static byte[] copy(MemorySegment memory, long offset, int length) {
        byte[] copy = new byte[length];
        MappedMemory.copy(memory, offset, copy, 0, length);
        return copy;
    }
}
