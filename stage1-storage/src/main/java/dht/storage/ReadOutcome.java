package dht.storage;

import dht.storage.memory.MappedMemory;
import java.lang.foreign.MemorySegment;

/**
 * What a point read found. Close it when the value is no longer needed: a found value is read in
 * place and holds on to the memtable or table that it lies in, so that neither its memory nor its
 * file goes away underneath the reader.
 *
 * <p>Immutable; may be handed from thread to thread, and closed by any one of them, once.
 */
public sealed interface ReadOutcome extends AutoCloseable {
    /** Of a value that is the reader's own. */
    Hold NOTHING_HELD = () -> {};

    /**
     * The key's newest version is a value.
     *
     * @param value read-only, valid until {@link #close()}
     * @param timestampMicros the stamp it was written with
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
         * The rest of the value in memory of its own; this is closed, unless it throws.
         *
         * @param from where in the value the rest begins
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

    /** What keeps a found value in place. */
    @FunctionalInterface
    interface Hold {
        void release();

        /** Says who reads the value and may be slow, so that it is told when it must let go. */
        default void watch(SlowReader reader) {}

        /** As {@link Found#detach}. */
        default Found detach(Found found, long from) {
            return found;
        }
    }
}
