package dht.storage;

import java.lang.foreign.MemorySegment;

/**
 * What a point read found. Close it when the value is no longer needed: a found value is read in
 * place and holds on to the memtable or table that it lies in, so that neither its memory nor its
 * file goes away underneath the reader.
 *
 * <p>Immutable; may be handed from thread to thread, and closed by any one of them, once.
 */
public sealed interface ReadOutcome extends AutoCloseable {
    /**
     * The key's newest version is a value.
     *
     * @param value read-only, valid until {@link #close()}
     * @param timestampMicros the stamp it was written with
     * @param hold released on close
     */
    record Found(MemorySegment value, long timestampMicros, Hold hold) implements ReadOutcome {
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
    }
}
