package dht.storage.memtable;

import dht.storage.EntryCursor;
import dht.storage.EntryView;
import dht.storage.log.LogRecords;
import dht.storage.log.LogReplay;
import dht.storage.log.WriteAheadLog;
import dht.storage.memory.RefCounted;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The newest entries, sorted: a skip list over the records of one log. Each entry that is put here
 * is also in the log. When the memtable has been flushed, both are released.
 *
 * <p>One thread at a time puts entries; the engine's write lock ensures this. Any number of threads
 * may read at the same time, as long as each of them holds a reference.
 */
public final class MemTable extends RefCounted {
    private final WriteAheadLog log; // Null if it was recovered: it then accepts no writes.
    private final LogRecords records;
    private final long logNumber;
    private final SkipList index;
    private final boolean showsOnlySynced;
    private final long fullAtBytes;
    private final Backing backing;

    // Written by the writing thread; other threads read it when the memtable accepts no more
    // writes.
    private long greatestTimestampMicros;
    private long entryCount;
    private long dataBytes;

    // Written by the writing thread; read by any thread.
    private volatile long indexedUpTo; // Readers can find all records of the log below this offset.
    private volatile long leastTimestampMicros = Long.MAX_VALUE;

    private volatile boolean logObsolete;

    private final EntryView incumbent = new EntryView(); // Scratch of the writing thread.
    private final EntryView challenger = new EntryView(); // Scratch of the writing thread.

    private MemTable(
            WriteAheadLog log,
            LogRecords records,
            long logNumber,
            SkipList index,
            boolean showsOnlySynced,
            long fullAtBytes,
            Backing backing) {
        this.log = log;
        this.records = records;
        this.logNumber = logNumber;
        this.index = index;
        this.showsOnlySynced = showsOnlySynced;
        this.fullAtBytes = fullAtBytes;
        this.backing = backing;
        this.indexedUpTo = log == null ? Long.MAX_VALUE : log.appendedUpTo();
    }

    /**
     * An empty memtable.
     *
     * @param memory for the index, aligned to eight bytes
     * @param showsOnlySynced whether a version is hidden from readers until it is durable
     * @param fullAtBytes size of the log at which the memtable is full; a single larger entry is
     *     accepted nevertheless
     */
    public static MemTable create(
            WriteAheadLog log,
            MemorySegment memory,
            boolean showsOnlySynced,
            long fullAtBytes,
            Backing backing) {
        SkipList index = new SkipList(memory, log.number());
        return new MemTable(
                log, log.records(), log.number(), index, showsOnlySynced, fullAtBytes, backing);
    }

    /**
     * A memtable with the entries of a replayed log. It accepts no writes.
     *
     * @param backing is taken over, unless this method throws
     * @throws dht.storage.CorruptionException if a record that must be complete has a wrong
     *     checksum, or cannot be read
     */
    public static MemTable recover(LogReplay log, long logNumber, Backing backing) {
        SkipList.Sizer sizer = new SkipList.Sizer(logNumber);
        log.forEach((_, entry) -> sizer.add(entry.keyLength()));
        Arena arena = Arena.ofShared();
        try {
            SkipList index =
                    new SkipList(arena.allocate(sizer.bytes(), NodeLayout.UNIT_BYTES), logNumber);
            MemTable recovered =
                    new MemTable(
                            null,
                            log.records(),
                            logNumber,
                            index,
                            false,
                            0,
                            new RecoveredBacking(backing, arena));
            log.forEach(recovered::index);
            return recovered;
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    private void index(long record, EntryView entry) {
        byte[] key = entry.copyKey();
        int node = index.locate(key);
        boolean isVisible = node == NodeLayout.NONE || winsOver(node, entry);
        place(key, node, isVisible, record, entry.valueLength(), entry.timestampMicros());
    }

    /**
     * Logs an entry and makes it visible. Writing thread only. If this method throws anything, no
     * reader and no flush will find the entry: every step that could fail comes before the record
     * counts.
     *
     * @param value null for a tombstone
     * @return where the entry ends in the log, or {@link WriteAheadLog#NO_ROOM} if the memtable is
     *     full
     * @throws IOException if the disk is full; the memtable has not changed
     * @throws dht.storage.CorruptionException if an earlier version of the key cannot be read; the
     *     memtable has not changed
     */
    public long put(byte[] key, MemorySegment value, long timestampMicros) throws IOException {
        int valueLength = value == null ? EntryView.TOMBSTONE : (int) value.byteSize();
        long end = log.appendedUpTo() + WriteAheadLog.recordBytes(key.length, valueLength);
        boolean isFull = end > fullAtBytes && entryCount > 0;
        if (isFull || !index.hasRoom(key.length)) {
            return WriteAheadLog.NO_ROOM;
        }
        int node = index.locate(key);
        boolean isVisible = node == NodeLayout.NONE || winsOver(node, value, timestampMicros);
        long record = log.append(key, value, timestampMicros);
        if (record == WriteAheadLog.NO_ROOM) {
            return WriteAheadLog.NO_ROOM;
        }
        place(key, node, isVisible, record, valueLength, timestampMicros);
        indexedUpTo = end;
        return end;
    }

    private boolean winsOver(int node, MemorySegment value, long timestampMicros) {
        int valueLength = value == null ? EntryView.TOMBSTONE : (int) value.byteSize();
        challenger.wrap(value, 0, 0, 0, valueLength, timestampMicros);
        try {
            return winsOver(node, challenger);
        } finally {
            challenger.wrap(
                    null, 0, 0, 0, EntryView.TOMBSTONE, 0); // The value belongs to the caller.
        }
    }

    private boolean winsOver(int node, EntryView entry) {
        records.read(index.record(node, Long.MAX_VALUE), incumbent);
        return entry.winsOver(incumbent);
    }

    /**
     * Makes a record visible, unless a newer version of its key is already visible. Called by the
     * writing thread. It cannot fail, because it allocates nothing.
     *
     * @param node the node of the key, which was just located, or {@link NodeLayout#NONE}
     */
    private void place(
            byte[] key,
            int node,
            boolean isVisible,
            long record,
            int valueLength,
            long timestampMicros) {
        if (timestampMicros < leastTimestampMicros) {
            leastTimestampMicros = timestampMicros;
        }
        greatestTimestampMicros = Math.max(greatestTimestampMicros, timestampMicros);
        entryCount++;
        dataBytes += key.length + Math.max(0, valueLength);
        if (node == NodeLayout.NONE) {
            index.insert(key, record);
        } else if (isVisible) {
            index.supersede(node, record);
        }
    }

    /**
     * Moves {@code entry} to the newest visible version of a key. {@code entry} then has a copy,
     * except of a large value. The caller must keep its reference to this memtable as long as it
     * uses that value.
     *
     * @return false if the memtable has no visible version of the key
     * @throws dht.storage.CorruptionException if the record cannot be read, or fails its checksum
     */
    public boolean find(byte[] key, EntryView entry) {
        int node = index.find(key);
        if (node == NodeLayout.NONE) {
            return false;
        }
        long record = index.record(node, visibleUpTo());
        if (record < 0) {
            return false;
        }
        records.read(record, entry);
        return true;
    }

    /** Whether the memtable has any version of a key, visible or not. */
    public boolean contains(byte[] key) {
        return index.find(key) != NodeLayout.NONE;
    }

    /**
     * Iterates over the entries that are visible now, from {@code from} (or the first, if null) up
     * to but not including {@code to} (or to the last, if null).
     */
    public EntryCursor cursor(byte[] from, byte[] to) {
        return new MemTableCursor(index, records, from, to, visibleUpTo());
    }

    /** Iterates over all entries, whether or not they are durable yet. */
    public EntryCursor cursorOverAll() {
        return new MemTableCursor(index, records, null, null, Long.MAX_VALUE);
    }

    /**
     * The end of the visible records. All records below this mark are already in the index. So two
     * reads with the same mark see the same records.
     */
    private long visibleUpTo() {
        return showsOnlySynced ? Math.min(indexedUpTo, log.syncedUpTo()) : indexedUpTo;
    }

    /** The log of this memtable, or null if it was recovered. */
    public WriteAheadLog log() {
        return log;
    }

    public long logNumber() {
        return logNumber;
    }

    /**
     * The number of entries that were put; each version counts. Only for the thread that puts
     * entries, or when no more entries are put.
     */
    public long entryCount() {
        return entryCount;
    }

    /**
     * Bytes of keys and values that were put. Only for the thread that puts entries, or when no
     * more entries are put.
     */
    public long dataBytes() {
        return dataBytes;
    }

    /** Bytes of the log so far, including its header; 0 if the memtable was recovered. */
    public long logBytes() {
        return log == null ? 0 : log.appendedUpTo();
    }

    /** Bytes of its memory: log and index. */
    public long memoryBytes() {
        return (log == null ? records.byteSize() : log.appendedUpTo()) + index.memoryBytes();
    }

    /**
     * The bytes of the log as a share of the size at which the memtable is full. It may be more
     * than 1, because a single larger entry is accepted. Not for a recovered memtable.
     */
    public double fullness() {
        return (double) logBytes() / fullAtBytes;
    }

    /**
     * The greatest stamp of all entries, or 0. Only for the thread that puts entries, or when no
     * more entries are put.
     */
    public long greatestTimestampMicros() {
        return greatestTimestampMicros;
    }

    /**
     * The least stamp of all entries; {@link Long#MAX_VALUE} if there is none. Any thread may call
     * this.
     */
    public long leastTimestampMicros() {
        return leastTimestampMicros;
    }

    /** Marks the log as not needed any more: its entries are in a table, or there are none. */
    public void markLogObsolete() {
        logObsolete = true;
    }

    @Override
    protected void free() {
        if (logObsolete) {
            backing.recycle();
        } else {
            backing.detach();
        }
    }

    /** Adds the memory of a recovered memtable's index. */
    private record RecoveredBacking(Backing log, Arena indexArena) implements Backing {
        @Override
        public void recycle() {
            indexArena.close();
            log.recycle();
        }

        @Override
        public void detach() {
            indexArena.close();
            log.detach();
        }
    }

    @Override
    public String toString() {
        return "memtable of " + records;
    }
}
