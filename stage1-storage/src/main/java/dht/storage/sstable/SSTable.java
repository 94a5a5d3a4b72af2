package dht.storage.sstable;

import dht.storage.CorruptionException;
import dht.storage.EntryCursor;
import dht.storage.EntryView;
import dht.storage.file.MappedFile;
import dht.storage.file.StorageDirectory;
import dht.storage.memory.RefCounted;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An immutable, sorted table of entries in a file, with each key once. A read copies its block from
 * the mapped file, except large values, and verifies the block's checksum. The Bloom filter and the
 * sparse index are verified once, when the table is opened. They stay in memory. With 10 bits per
 * key and entries of 150 bytes they take about 1.5 % of the table's size.
 *
 * <p>Thread-safe for callers that hold a reference to the table.
 */
public final class SSTable extends RefCounted {
    /** The extension of table files. */
    public static final String SUFFIX = ".sst";

    private static final Logger LOG = LoggerFactory.getLogger(SSTable.class);

    /** For each thread, the block that it has read last. */
    static final ThreadLocal<Block> BLOCK = ThreadLocal.withInitial(Block::new);

    private final StorageDirectory directory;
    private final Executor reclaimer;
    private final String name;
    private final MappedFile file;
    private final MemorySegment memory;
    private final Footer footer;
    private final Arena metadataArena;
    private final BloomFilter filter;
    private final SparseIndex index;
    private final DamagedBlocks damage;
    private final byte[] smallestKey;
    private final byte[] greatestKey;
    private final Runnable reclaiming =
            this::reclaim; // Created now: later there may be no memory for it.
    private volatile boolean obsolete;

    private SSTable(
            StorageDirectory directory,
            Executor reclaimer,
            String name,
            MappedFile file,
            Footer footer,
            Arena metadataArena,
            MemorySegment metadata) {
        this.directory = directory;
        this.reclaimer = reclaimer;
        this.name = name;
        this.file = file;
        this.memory = file.memory();
        this.footer = footer;
        this.metadataArena = metadataArena;
        long filterLength = footer.indexOffset() - footer.filterOffset();
        this.filter = new BloomFilter(metadata, 0, filterLength);
        this.index = new SparseIndex(metadata, filterLength);
        this.smallestKey = index.smallestKey();
        this.greatestKey = index.greatestKey();
        this.damage = new DamagedBlocks(this);
    }

    /** The name of a table's file. */
    public static String fileName(long number) {
        return String.format(Locale.ROOT, "%08d%s", number, SUFFIX);
    }

    /**
     * Opens a table.
     *
     * @param reclaimer unmaps the file, and deletes it if it is obsolete, when the last reference
     *     to the table is released
     * @throws CorruptionException if the filter, the index or the footer is damaged, or cannot be
     *     read
     */
    public static SSTable open(StorageDirectory directory, long number, Executor reclaimer)
            throws IOException {
        String name = fileName(number);
        MappedFile file = directory.map(name);
        try {
            Footer footer = Footer.read(file.memory(), number, name);
            Arena arena = Arena.ofShared();
            try {
                MemorySegment metadata = footer.copyMetadata(file.memory(), name, arena);
                return new SSTable(directory, reclaimer, name, file, footer, arena, metadata);
            } catch (Throwable e) {
                arena.close();
                throw e;
            }
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }

    /**
     * Moves {@code view} to the entry of a key. The view is valid until the same thread calls this
     * method or {@link DamagedBlocks#check} again, for any table. The caller must keep its
     * reference to this table as long as it uses the view.
     *
     * @param hash the key's {@link KeyHash}
     * @return false if the key is not in this table; {@code view} may have moved to another entry
     * @throws CorruptionException if the block that could contain the key is damaged
     */
    public boolean find(byte[] key, long hash, EntryView view) {
        if (!mayContain(key, hash)) {
            return false;
        }
        Block block = BLOCK.get();
        load(index.floor(key), block);
        int ordinal = block.ceiling(key);
        if (ordinal == block.count()) {
            return false;
        }
        block.read(ordinal, view);
        return view.hasKey(key);
    }

    /** Whether the table may contain a key, judging by its key range and its filter. */
    public boolean mayContain(byte[] key, long hash) {
        return filter.mayContain(hash) && !beginsAfter(key) && !endsBefore(key);
    }

    boolean beginsAfter(byte[] key) {
        return Arrays.compareUnsigned(smallestKey, key) > 0;
    }

    boolean endsBefore(byte[] key) {
        return Arrays.compareUnsigned(greatestKey, key) < 0;
    }

    /**
     * Whether the table may have keys from {@code from} (inclusive) to {@code to} (exclusive),
     * judging by its key range; null: no bound.
     */
    public boolean overlaps(byte[] from, byte[] to) {
        return (from == null || !endsBefore(from))
                && (to == null || Arrays.compareUnsigned(smallestKey, to) < 0);
    }

    /**
     * Iterates over the entries from {@code from} (or the first, if null) up to but not including
     * {@code to} (or to the last, if null).
     */
    public EntryCursor cursor(byte[] from, byte[] to) {
        return new SSTableCursor(this, from, to);
    }

    /** The damaged blocks that reads of this table have found. */
    public DamagedBlocks damage() {
        return damage;
    }

    /**
     * @throws CorruptionException if the block is damaged
     */
    void load(int block, Block copy) {
        try {
            copy.load(memory, name, index.blockOffset(block), index.blockLength(block));
        } catch (CorruptionException e) {
            damage.add(block);
            throw e;
        }
    }

    SparseIndex index() {
        return index;
    }

    public long number() {
        return footer.tableNumber();
    }

    public long fileBytes() {
        return memory.byteSize();
    }

    public long entryCount() {
        return footer.entryCount();
    }

    public long tombstoneCount() {
        return footer.tombstoneCount();
    }

    /** Bytes of keys and values, without any overhead. */
    public long dataBytes() {
        return footer.dataBytes();
    }

    public int blockCount() {
        return index.blockCount();
    }

    public long leastTimestampMicros() {
        return footer.leastTimestampMicros();
    }

    public long greatestTimestampMicros() {
        return footer.greatestTimestampMicros();
    }

    public byte[] smallestKey() {
        return smallestKey.clone();
    }

    public byte[] greatestKey() {
        return greatestKey.clone();
    }

    /** Share of absent keys that the filter lets pass, from 0 to 1. */
    public double falsePositiveRate() {
        return filter.falsePositiveRate();
    }

    /**
     * Marks the table as obsolete: no manifest names it. Its file is deleted when the last
     * reference is released.
     */
    public void markObsolete() {
        obsolete = true;
    }

    /** Undoes {@link #markObsolete}, because a manifest may name the table from now on. */
    public void markNeeded() {
        obsolete = false;
    }

    @Override
    protected void free() {
        reclaimer.execute(reclaiming);
    }

    private void reclaim() {
        file.close();
        metadataArena.close();
        if (obsolete) {
            try {
                directory.delete(name);
            } catch (IOException e) {
                LOG.warn(
                        "cannot delete an obsolete table: it only takes space, and the next start deletes it: file={}: {}",
                        name,
                        e.toString());
            } catch (OutOfMemoryError _) { // No memory, not even to log the failure.
            }
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
