package dht.storage.memtable;

import static dht.storage.memory.Layouts.SHORT;

import dht.storage.memory.Layouts;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A node of the skip list, in memory only:
 *
 * <pre>
 *   node     | version 8B | keyLength 2B | height 2B | next 4B × height | key | 0 to 7 unused bytes |
 *   version  | record 4B | older 4B |
 * </pre>
 *
 * <p>A version says where the key's record is in the log, and which version it replaced. The older
 * version is elsewhere in the same memory. All references count units of eight bytes, and 0 means
 * none. So four bytes reach 32 GiB.
 *
 * <p>References and versions are read with acquire semantics and stored with release semantics. So
 * a thread that sees a reference also sees what it refers to.
 */
final class NodeLayout {
    static final int NONE = 0;
    static final int UNIT_BYTES = 8;

    private static final int KEY_LENGTH_OFFSET = 8;
    private static final int HEIGHT_OFFSET = 10;
    private static final int NEXT_OFFSET = 12;

    private static final VarHandle REFERENCE =
            ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final VarHandle VERSION =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    private NodeLayout() {}

    static long bytes(int keyLength, int height) {
        return Layouts.align8(NEXT_OFFSET + (long) height * Integer.BYTES + keyLength);
    }

    static long offset(int reference) {
        return (reference & 0xffff_ffffL) * UNIT_BYTES;
    }

    static int reference(long offset) {
        return (int) (offset / UNIT_BYTES);
    }

    static void write(MemorySegment memory, int node, byte[] key, int height, long version) {
        long offset = offset(node);
        memory.set(SHORT, offset + KEY_LENGTH_OFFSET, (short) key.length);
        memory.set(SHORT, offset + HEIGHT_OFFSET, (short) height);
        MemorySegment.copy(
                key, 0, memory, ValueLayout.JAVA_BYTE, keyOffset(offset, height), key.length);
        VERSION.setRelease(memory, offset, version);
    }

    static int keyLength(MemorySegment memory, int node) {
        return memory.get(SHORT, offset(node) + KEY_LENGTH_OFFSET) & 0xffff;
    }

    static int height(MemorySegment memory, int node) {
        return memory.get(SHORT, offset(node) + HEIGHT_OFFSET);
    }

    static long keyOffset(MemorySegment memory, int node) {
        return keyOffset(offset(node), height(memory, node));
    }

    private static long keyOffset(long offset, int height) {
        return offset + NEXT_OFFSET + (long) height * Integer.BYTES;
    }

    static int next(MemorySegment memory, int node, int level) {
        return (int)
                REFERENCE.getAcquire(
                        memory, offset(node) + NEXT_OFFSET + (long) level * Integer.BYTES);
    }

    static void next(MemorySegment memory, int node, int level, int next) {
        REFERENCE.setRelease(
                memory, offset(node) + NEXT_OFFSET + (long) level * Integer.BYTES, next);
    }

    /** The version of a node, or an older version: both begin with it. */
    static long version(MemorySegment memory, int reference) {
        return (long) VERSION.getAcquire(memory, offset(reference));
    }

    static void version(MemorySegment memory, int reference, long version) {
        VERSION.setRelease(memory, offset(reference), version);
    }

    static long version(long recordOffset, int older) {
        return recordOffset / UNIT_BYTES | (long) older << Integer.SIZE;
    }

    static long record(long version) {
        return (version & 0xffff_ffffL) * UNIT_BYTES;
    }

    static int older(long version) {
        return (int) (version >>> Integer.SIZE);
    }
}
