package dht.repair;

import dht.replication.PlacementRecord;
import dht.storage.CorruptionException;
import dht.storage.Dao;
import dht.storage.EntryCursor;
import dht.storage.EntryView;
import dht.storage.ReadOutcome;
import dht.storage.StorageUnavailableException;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cursor over this node's versions in key order, each with the number of nodes that hold it. It
 * moves over the entities and over their placement records at the same time. A record that is older
 * than the version of its entity is useless, so the cursor deletes it. If {@linkplain #open(Dao,
 * KeyRange, long) desired}, it also deletes old records whose entities are gone.
 *
 * <p>Not thread-safe. Must be closed: until then, it keeps the tables that it reads.
 */
final class VersionCursor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(VersionCursor.class);

    /** Each deletion is a write, and comparing must not become a burst of them. */
    private static final int GONE_MAX = 1000;

    private final Dao dao;
    private final long forgottenMicros;
    private final EntryCursor entries;
    private final EntryCursor records;
    private byte[] recordKey; // Without its prefix; null after the last record.
    private int from;
    private int goneCount;

    /**
     * Opens the cursor over the entities first, because an entity is always stored after its
     * record. So the record of each entity is found, with one exception: the key is overwritten
     * between the opening of the two cursors. The record then belongs to the newer version. The
     * cursor reports the older version as one that all nodes hold, and the next comparison sees the
     * newer version.
     */
    static VersionCursor open(Dao dao, KeyRange range) {
        return open(dao, range, Long.MIN_VALUE);
    }

    /**
     * As {@link #open(Dao, KeyRange)}. A compaction drops an old tombstone, but not its record. So
     * this cursor deletes records without an entity, {@value #GONE_MAX} at most.
     *
     * @param forgottenMicros only records with an older stamp are deleted in this way: an entity is
     *     stored after its record
     */
    static VersionCursor open(Dao dao, KeyRange range, long forgottenMicros) {
        EntryCursor entries = dao.range(range.storageFrom(), range.storageTo());
        EntryCursor records = null;
        boolean isOpen = false;
        try {
            records = dao.range(range.recordsFrom(), range.recordsTo());
            VersionCursor cursor = new VersionCursor(dao, forgottenMicros, entries, records);
            isOpen = true;
            return cursor;
        } finally {
            if (!isOpen) {
                entries.close();
                if (records != null) {
                    records.close();
                }
            }
        }
    }

    private VersionCursor(Dao dao, long forgottenMicros, EntryCursor entries, EntryCursor records) {
        this.dao = dao;
        this.forgottenMicros = forgottenMicros;
        this.entries = entries;
        this.records = records;
        nextRecord();
    }

    private void nextRecord() {
        recordKey = null;
        while (recordKey == null && records.next()) {
            if (!records.entry().isTombstone()) {
                byte[] key = records.entry().copyKey();
                recordKey = Arrays.copyOfRange(key, 1, key.length);
            }
        }
    }

    /** Moves to the next version; returns false at the end. */
    boolean next() {
        if (!entries.next()) {
            while (recordKey != null && deletesGone()) {
                deleteIfGone();
                nextRecord();
            }
            return false;
        }
        int order = recordKey == null ? 1 : entry().compareKey(recordKey);
        while (recordKey != null && order > 0) {
            deleteIfGone();
            nextRecord();
            order = recordKey == null ? 1 : entry().compareKey(recordKey);
        }
        from = 0;
        if (recordKey != null && order == 0) {
            takeRecord();
        }
        return true;
    }

    private void takeRecord() {
        EntryView record = records.entry();
        if (record.timestampMicros() == entry().timestampMicros()) {
            from = PlacementRecord.from(record.value());
        } else if (record.timestampMicros() < entry().timestampMicros()) {
            delete(record.timestampMicros());
        }
    }

    private boolean deletesGone() {
        return forgottenMicros != Long.MIN_VALUE && goneCount < GONE_MAX;
    }

    /** Deletes the record if it is old, and its entity is gone. */
    private void deleteIfGone() {
        long recordMicros = records.entry().timestampMicros();
        if (deletesGone() && recordMicros < forgottenMicros && isGone()) {
            goneCount++;
            delete(recordMicros);
        }
    }

    private boolean isGone() {
        try (ReadOutcome outcome = dao.get(recordKey)) {
            return outcome instanceof ReadOutcome.Absent;
        } catch (CorruptionException e) {
            LOG.debug("an old placement record stays for now", e);
            return false;
        }
    }

    private void delete(long recordMicros) {
        try {
            PlacementRecord.delete(dao, recordKey, recordMicros);
        } catch (StorageUnavailableException e) {
            LOG.debug("an old placement record stays for now", e);
        }
    }

    /** The version: the same object each time, valid until the next call of {@link #next}. */
    EntryView entry() {
        return entries.entry();
    }

    /** How many nodes hold the version; 0 if all of them do. */
    int from() {
        return from;
    }

    @Override
    public void close() {
        try (entries;
                records) {
            // Closes both, even if one cannot be closed.
        }
    }
}
