package dht.replication;

import dht.storage.Dao;
import dht.storage.ReadOutcome;
import dht.storage.StorageException;
import dht.storage.WriteListener;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.OptionalInt;

/**
 * A record beside an entity, which says how many nodes hold the entity's version. Without it, all
 * nodes hold it: so a write with the usual {@code from} stores no record.
 *
 * <pre>
 *   key    0xFF | the entity's key
 *   value  from 1
 * </pre>
 *
 * The record has the stamp of its version, and says nothing about other versions. No client can
 * read or write it, because a client's key is UTF-8, which never contains the byte 0xFF. Described
 * in docs/reference/formats.md. Stateless and thread-safe.
 */
public final class PlacementRecord {
    /** The first byte of each record's key. Persistent format: do not change. */
    public static final byte PREFIX = (byte) 0xFF;

    /** The greatest number that a record can contain. */
    public static final int FROM_MAX = 255;

    /**
     * Ignores the outcome. The entity is written after its record, so when the entity is durable,
     * the record is durable, too.
     */
    private static final WriteListener UNHEARD =
            new WriteListener() {
                @Override
                public void durable() {}

                @Override
                public void failed(StorageException e) {}
            };

    private PlacementRecord() {}

    /** The key of an entity's record. */
    public static byte[] key(byte[] entityKey) {
        byte[] key = new byte[1 + entityKey.length];
        key[0] = PREFIX;
        System.arraycopy(entityKey, 0, key, 1, entityKey.length);
        return key;
    }

    /**
     * The number to record. It is 0, and there is no record, if all nodes hold the version, or if
     * the number is greater than {@link #FROM_MAX}.
     */
    public static int recorded(int from, int nodeCount) {
        return from < nodeCount && from <= FROM_MAX ? from : 0;
    }

    /** Stores the record of a version, which must be stored next. */
    static void store(Dao dao, byte[] entityKey, int from, long timestampMicros) {
        MemorySegment value = MemorySegment.ofArray(new byte[] {(byte) from});
        dao.upsert(key(entityKey), value, timestampMicros, UNHEARD);
    }

    /** Deletes the record of a version. The record of a newer version stays. */
    public static void delete(Dao dao, byte[] entityKey, long timestampMicros) {
        dao.delete(key(entityKey), timestampMicros, UNHEARD);
    }

    /**
     * How many nodes hold an entity's version.
     *
     * @return 0 if there is no record of this version: then all nodes hold it
     * @throws dht.storage.CorruptionException if the record may be in a damaged block
     */
    public static int from(Dao dao, byte[] entityKey, long timestampMicros) {
        return fromIfKept(dao, entityKey, timestampMicros).orElse(0);
    }

    /**
     * As {@link #from}, for a version that may have been overwritten since it was read.
     *
     * @return empty if the record of a newer version has replaced its record, or if its record was
     *     deleted
     */
    public static OptionalInt fromIfKept(Dao dao, byte[] entityKey, long timestampMicros) {
        try (ReadOutcome outcome = dao.get(key(entityKey))) {
            return switch (outcome) {
                case ReadOutcome.Found found when found.timestampMicros() == timestampMicros ->
                        OptionalInt.of(from(found.value()));
                case ReadOutcome.Found newer when newer.timestampMicros() > timestampMicros ->
                        OptionalInt.empty();
                case ReadOutcome.Deleted deleted
                        when deleted.timestampMicros() >= timestampMicros ->
                        OptionalInt.empty();
                default -> OptionalInt.of(0);
            };
        }
    }

    /**
     * The number in the value of a record; 0, as without a record, if the value is not one byte
     * long.
     */
    public static int from(MemorySegment value) {
        return value.byteSize() == 1 ? Byte.toUnsignedInt(value.get(ValueLayout.JAVA_BYTE, 0)) : 0;
    }
}
