package dht.storage.sstable;

import dht.storage.EntryView;
import dht.storage.file.FileWriter;
import dht.storage.file.StorageDirectory;
import dht.storage.memory.Checksum;
import dht.storage.memory.GrowableMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Writes a table from entries that arrive in key order, with each key once. Until the end it keeps
 * only the filter and the index, in memory outside the heap.
 *
 * <p>Used by one thread.
 */
public final class SSTableWriter implements AutoCloseable {
    private static final int WRITE_BYTES = 256 << 10;

    /**
     * A large table is synced in parts of this size. So a stop of the server, or a sync of another
     * file, waits only for one part, and not for the whole table.
     */
    static final int SYNC_BYTES = 64 << 20;

    private final long number;
    private final int blockBytes;
    private final FileWriter file;
    private final GrowableMemory pending;
    private final Arena filterArena;
    private final MemorySegment filterMemory;
    private final BloomFilter filter;
    private final SparseIndex.Builder index;

    // The block that is being filled, inside pending.
    private long blockStart;
    private short[] entryOffsets = new short[64];
    private int entryOffsetCount;

    private byte[] lastKey = new byte[64];
    private int lastKeyLength;

    private long writtenBytes;
    private long syncedBytes;
    private long entryCount;
    private long tombstoneCount;
    private long dataBytes;
    private long leastTimestampMicros = Long.MAX_VALUE;
    private long greatestTimestampMicros;

    /**
     * Begins a table.
     *
     * @param entryCountMax the greatest number of entries that may arrive; it determines the size
     *     of the filter
     * @param blockBytes a block ends when it has at least this many bytes, 1 to 32,768
     */
    public SSTableWriter(
            StorageDirectory directory,
            long number,
            long entryCountMax,
            int blockBytes,
            int bloomBitsPerKey)
            throws IOException {
        this.number = number;
        this.blockBytes = blockBytes;
        this.file =
                directory.create(SSTable.fileName(number)); // First, because it is likely to fail.
        try {
            this.pending = new GrowableMemory(WRITE_BYTES + (64 << 10));
            this.index = new SparseIndex.Builder();
            this.filterArena = Arena.ofConfined();
            try {
                this.filterMemory =
                        filterArena.allocate(BloomFilter.bytes(entryCountMax, bloomBitsPerKey), 64);
                this.filter = new BloomFilter(filterMemory, 0, filterMemory.byteSize());
            } catch (RuntimeException | Error e) {
                filterArena.close();
                throw e;
            }
        } catch (RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    /** Appends an entry. Its key must be greater than the key of the previous entry. */
    public void add(EntryView entry) throws IOException {
        rememberKey(entry);
        filter.add(KeyHash.of(lastKey, lastKeyLength));
        if (entryOffsetCount == 0) {
            blockStart = pending.size();
            index.addBlock(writtenBytes + blockStart, lastKey, lastKeyLength);
        }
        if (entryOffsetCount == entryOffsets.length) {
            entryOffsets = Arrays.copyOf(entryOffsets, 2 * entryOffsetCount);
        }
        entryOffsets[entryOffsetCount++] = (short) (pending.size() - blockStart);
        BlockLayout.appendEntry(pending, entry);
        count(entry);
        if (pending.size() - blockStart >= blockBytes) {
            endBlock();
        }
    }

    private void rememberKey(EntryView entry) {
        lastKeyLength = entry.keyLength();
        if (lastKeyLength > lastKey.length) {
            lastKey = new byte[2 * lastKeyLength];
        }
        entry.copyKeyTo(lastKey, 0);
    }

    private void count(EntryView entry) {
        entryCount++;
        tombstoneCount += entry.isTombstone() ? 1 : 0;
        dataBytes += entry.keyLength() + Math.max(0, entry.valueLength());
        leastTimestampMicros = Math.min(leastTimestampMicros, entry.timestampMicros());
        greatestTimestampMicros = Math.max(greatestTimestampMicros, entry.timestampMicros());
    }

    private void endBlock() throws IOException {
        BlockLayout.appendTrailer(pending, blockStart, entryOffsets, entryOffsetCount);
        entryOffsetCount = 0;
        if (pending.size() >= WRITE_BYTES) {
            writePending();
            if (writtenBytes - syncedBytes >= SYNC_BYTES) {
                file.sync();
                syncedBytes = writtenBytes;
            }
        }
    }

    private void writePending() throws IOException {
        file.write(pending.contents());
        writtenBytes += pending.size();
        pending.clear();
    }

    public long entryCount() {
        return entryCount;
    }

    /** Bytes of the file so far. */
    public long fileBytes() {
        return writtenBytes + pending.size();
    }

    /**
     * Ends the table, which must have at least one entry, and makes its contents durable. Its name
     * is durable only after the directory has been synced.
     */
    public void finish() throws IOException {
        if (entryOffsetCount > 0) {
            endBlock();
        }
        writePending();
        long filterOffset = writtenBytes;
        file.write(filterMemory);
        writtenBytes += filterMemory.byteSize();
        long indexOffset = writtenBytes;
        index.finish(filterOffset, Arrays.copyOf(lastKey, lastKeyLength), pending);
        int indexChecksum = Checksum.crc32c(pending.contents(), 0, pending.size());
        new Footer(
                        number,
                        entryCount,
                        tombstoneCount,
                        dataBytes,
                        leastTimestampMicros,
                        greatestTimestampMicros,
                        filterOffset,
                        indexOffset,
                        Checksum.crc32c(filterMemory, 0, filterMemory.byteSize()),
                        indexChecksum)
                .appendTo(pending);
        writePending();
        file.sync();
    }

    /**
     * Releases file and memory. If the table was not finished, its file stays behind, but it is not
     * a valid table.
     */
    @Override
    public void close() throws IOException {
        try (file;
                filterArena;
                index) {
            pending.close();
        }
    }
}
