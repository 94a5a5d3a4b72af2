package dht.storage;

import dht.storage.memory.MappedMemory;
import java.lang.foreign.MemorySegment;

/**
 * The result of a point read. Close it when the value is no longer needed. A large value is not a
 * copy, but a part of the memtable or table that contains it. Until the outcome is closed, neither
 * that memory nor that file is freed.
 *
 * <p>Immutable; threads may share it, and one of them closes it, once.
 */
public sealed interface ReadOutcome extends AutoCloseable {
    /** A value of at least this size is never a copy. A smaller one may be. */
    int UNCOPIED_BYTES_MIN = 96 << 10;

    /** For a value that belongs to the reader. */
    Hold NOTHING_HELD = () -> {};

    /**
     * The key's newest version is a value.
     *
     * @param value read-only, valid until {@link #close()}
     * @param timestampMicros the stamp of the write
     * @param hold released on close
     */
    record Found(MemorySegment value, long timestampMicros, Hold hold) implements ReadOutcome {
        /**
         * Copies a part of the value.
         *
         * @param from where in the value the part begins
         * @throws CorruptionException if the file cannot be read there
         */
        public void copyValue(long from, byte[] target, int targetOffset, int length) {
            MappedMemory.copy(value, from, target, targetOffset, length);
        }

        /**
         * Copies the rest of the value to new memory, and closes this outcome. If this throws, the
         * outcome stays open. If nothing is held, see {@link Hold#detach}.
         *
         * @param from where in the value the rest begins, from 0 to the length of the value
         * @throws CorruptionException if the file cannot be read there
         */
        public Found detach(long from) {
            return hold.detach(this, from);
        }

        @Override
        public void close() {
            hold.release();
        }
    }

    /** The key's newest version is a tombstone, written with this stamp. */
    record Deleted(long timestampMicros) implements ReadOutcome {}

    /** No version of the key is known. */
    record Absent() implements ReadOutcome {
        public static final Absent INSTANCE = new Absent();
    }

    @Override
    default void close() {}

    /** Keeps the memory of a found value in use. */
    @FunctionalInterface
    interface Hold {
        void release();

        /**
         * Sets the reader. This is needed if the reader may be slow: the storage calls the reader
         * when this hold must be released. By default, this method does nothing.
         */
        default void watch(SlowReader reader) {}

        /**
         * As {@link Found#detach}. By default, returns {@code found} itself: it is not closed, and
         * {@code from} is ignored. A hold that calls its reader must override this.
         */
        default Found detach(Found found, long from) {
            return found;
        }
    }
}
