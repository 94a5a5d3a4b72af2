package dht.storage.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dht.storage.CorruptionException;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Copies bytes out of mapped files, so that a page that cannot be read is an exception.
 *
 * <p>Where the disk fails, or the file was truncated, a load from a mapped page faults. The JVM
 * survives a fault in its bulk copy and turns it into an {@link InternalError}; it does not survive
 * one in the code that computes checksums. So bytes of a mapped file are copied first, and checked
 * and read afterwards, in the copy.
 *
 * <p>Compiled code gets the error late: the copy ends, and the error is thrown at some later point
 * of the same thread, perhaps far outside of the {@code catch}. So the last bytes of the target are
 * marked before each copy, which goes from front to back. Where the mark is still there afterwards,
 * a call into the JVM makes the thread throw at once what it has to throw.
 *
 * <p>Thread-safe.
 */
public final class MappedMemory {
    private static final long MARK = ThreadLocalRandom.current().nextLong();

    /** By the address of the first byte: tells the name of a file that cannot be read. */
    private static final ConcurrentSkipListMap<Long, String> NAMES = new ConcurrentSkipListMap<>();

    private MappedMemory() {}

    /** Remembers which file this is a mapping of, for messages, until {@link #forget}. */
    public static void register(MemorySegment mapping, String name) {
        if (mapping.isMapped()) {
            NAMES.put(mapping.address(), name);
        }
    }

    /** Forgets a mapping that is about to be closed. */
    public static void forget(MemorySegment mapping) {
        if (mapping.isMapped()) {
            NAMES.remove(mapping.address());
        }
    }

    /**
     * Copies to the heap.
     *
     * @throws CorruptionException if the file cannot be read there
     */
    public static void copy(
            MemorySegment source, long offset, byte[] target, int targetOffset, int length) {
        copy(source, offset, MemorySegment.ofArray(target), targetOffset, length);
    }

    /**
     * Copies to other memory.
     *
     * @throws CorruptionException if the file cannot be read there
     */
    public static void copy(
            MemorySegment source,
            long offset,
            MemorySegment target,
            long targetOffset,
            long length) {
        if (!source.isMapped()) {
            MemorySegment.copy(source, JAVA_BYTE, offset, target, JAVA_BYTE, targetOffset, length);
            return;
        }
        long mark = targetOffset + length - Long.BYTES;
        boolean isMarked = length >= Long.BYTES;
        if (isMarked) {
            target.set(Layouts.LONG, mark, MARK);
        }
        try {
            MemorySegment.copy(source, JAVA_BYTE, offset, target, JAVA_BYTE, targetOffset, length);
            if (!isMarked || target.get(Layouts.LONG, mark) == MARK) {
                Thread.holdsLock(NAMES); // Any call into the JVM: throws what is pending.
            }
        } catch (InternalError fault) {
            throw unreadable(source, offset, fault);
        }
    }

    private static CorruptionException unreadable(
            MemorySegment source, long offset, InternalError fault) {
        long address = source.address() + offset;
        Map.Entry<Long, String> file = NAMES.floorEntry(address);
        if (file == null) {
            throw fault;
        }
        return new CorruptionException(
                file.getValue(),
                address - file.getKey(),
                "cannot be read: the disk failed, or the file was truncated");
    }
}
