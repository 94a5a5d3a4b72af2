package dht.repair;

import dht.range.EntryPage;
import dht.range.RangeNode;
import dht.storage.Dao;
import dht.storage.ReadOutcome;
import dht.storage.StorageException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * This node's own entries, in pages. Reading them fails while this node's data may be incomplete.
 *
 * <p>Thread-safe.
 */
final class OwnEntries implements RangeNode {
    /**
     * A page ends with the first entry that is read after this time, even if it has few entries.
     */
    private static final long PAGE_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(50);

    private final String url;
    private final Membership membership;
    private final Dao dao;

    OwnEntries(String url, Membership membership, Dao dao) {
        this.url = url;
        this.membership = membership;
        this.dao = dao;
    }

    @Override
    public String url() {
        return url;
    }

    @Override
    public byte[] page(byte[] from, byte[] to) {
        return page(new KeyRange(from, to), OtherEntries.PAGE_BYTES_MAX);
    }

    /**
     * The first page of a range.
     *
     * @throws StorageException if this node's data may be incomplete
     */
    byte[] page(KeyRange range, int bytesMax) {
        membership.vote();
        EntryPage.Writer page = new EntryPage.Writer(bytesMax);
        long startNanos = System.nanoTime();
        try (VersionCursor cursor = VersionCursor.open(dao, range)) {
            while (cursor.next()) {
                page.add(cursor.entry(), cursor.from());
                if (page.isFull() || System.nanoTime() - startNanos > PAGE_NANOS_MAX) {
                    return page.finish(false);
                }
            }
        }
        return page.finish(true);
    }

    @Override
    public Large value(byte[] key) throws IOException {
        try {
            membership.vote();
            try (ReadOutcome outcome = dao.get(key)) {
                return outcome instanceof ReadOutcome.Found found ? large(found) : null;
            }
        } catch (StorageException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static Large large(ReadOutcome.Found found) {
        byte[] value = new byte[(int) found.value().byteSize()];
        found.copyValue(0, value, 0, value.length);
        return new Large(value, found.timestampMicros());
    }
}
