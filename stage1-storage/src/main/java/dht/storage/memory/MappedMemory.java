package dht.storage.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dht.storage.CorruptionException;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Copies bytes out of mapped files. If a page cannot be read, it throws an exception.
 *
 * <p>If the disk fails, or the file was truncated, a load from a mapped page causes a fault. During
 * its bulk copy, the JVM turns a fault into an {@link InternalError}. During the computation of a
 * checksum, a fault ends the JVM. So bytes of a mapped file are copied first, and only the copy is
 * checked and read.
 *
 * <p>In compiled code, the error is thrown only after the copy has ended, at some later point of
 * the same thread, perhaps outside of the {@code catch}. So the last bytes of the target are marked
 * before each copy, which goes from front to back. If the mark is still there after the copy,
 * {@link #throwPendingFault} makes the thread throw the error at once. A store to a mapped page
 * fails late, too, so code that stores must call {@link #throwPendingFault} within its {@code try}.
 *
 * <p>Thread-safe.
 */
public final class MappedMemory {
    private static final long MARK = ThreadLocalRandom.current().nextLong();

    /** A mapped file, for messages. */
    private record Mapping(String name, long bytes) {}

    /** The mapped files, by the address of the first byte. */
    private static final ConcurrentSkipListMap<Long, Mapping> MAPPINGS =
            new ConcurrentSkipListMap<>();

    private MappedMemory() {}

    /** Stores the file name of a mapping, for messages. {@link #forget} removes it. */
    public static void register(MemorySegment mapping, String name) {
        if (mapping.isMapped()) {
            MAPPINGS.put(mapping.address(), new Mapping(name, mapping.byteSize()));
        }
    }

    /** Removes the file name of a mapping that will be closed. Throws nothing. */
    public static void forget(MemorySegment mapping) {
        try {
            if (mapping.isMapped()) {
                MAPPINGS.remove(mapping.address());
            }
        } catch (OutOfMemoryError _) { // The name stays until a file is mapped to this address.
        }
    }

    /**
     * Copies bytes to the heap.
     *
     * @throws CorruptionException if the file cannot be read there
     */
    public static void copy(
            MemorySegment source, long offset, byte[] target, int targetOffset, int length) {
        copy(source, offset, MemorySegment.ofArray(target), targetOffset, length);
    }

    /**
     * Copies bytes to other memory.
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
                throwPendingFault();
            }
        } catch (InternalError fault) {
            throw unreadable(source, offset, fault);
        }
    }

    /**
     * Throws the error of an earlier access of this thread to a mapped file, if compiled code has
     * not thrown it yet.
     *
     * @throws InternalError if a page could not be read or written
     */
    public static void throwPendingFault() {
        Thread.holdsLock(MAPPINGS); // Any call into the JVM throws the pending error.
    }

    private static CorruptionException unreadable(
            MemorySegment source, long offset, InternalError fault) {
        long address = source.address() + offset;
        Map.Entry<Long, Mapping> file = MAPPINGS.floorEntry(address);
        if (file == null || address - file.getKey() >= file.getValue().bytes()) {
            throw fault;
        }
        return new CorruptionException(
                file.getValue().name(),
                address - file.getKey(),
                "cannot be read: the disk failed, or the file was truncated");
    }
}
