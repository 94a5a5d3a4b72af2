package dht.storage.lsm;

import dht.storage.WriteListener;
import dht.storage.log.WriteAheadLog;
import dht.storage.memtable.MemTable;
import java.util.Arrays;

/** Writes that share a sync, in the order of the log. Not thread-safe. */
final class WriteGroup {
    static final int CAPACITY_MIN = 64;

    private MemTable[] memTables = new MemTable[CAPACITY_MIN];
    private WriteListener[] listeners = new WriteListener[CAPACITY_MIN];
    private long[] logEnds = new long[CAPACITY_MIN]; // The end offset of each record.
    private long[] logBytes = new long[CAPACITY_MIN];
    private int count;

    /** Makes room for another write. If that fails, the group is unchanged. */
    void reserve() {
        if (count < memTables.length) {
            return;
        }
        MemTable[] moreMemTables = Arrays.copyOf(memTables, 2 * count);
        listeners = Arrays.copyOf(listeners, 2 * count);
        logEnds = Arrays.copyOf(logEnds, 2 * count);
        logBytes = Arrays.copyOf(logBytes, 2 * count);
        memTables = moreMemTables;
    }

    /** Adds the write that was appended last, and retains its memtable. There must be room. */
    void add(MemTable written, long bytes, WriteListener listener) {
        written.retain();
        logEnds[count] = written.log().appendedUpTo();
        memTables[count] = written;
        listeners[count] = listener;
        logBytes[count] = bytes;
        count++;
    }

    int count() {
        return count;
    }

    /** The log bytes of the writes from index {@code from} up to but not including {@code to}. */
    long logBytes(int from, int to) {
        long sum = 0;
        for (int i = from; i < to; i++) {
            sum += logBytes[i];
        }
        return sum;
    }

    WriteAheadLog log(int index) {
        return memTables[index].log();
    }

    long logEnd(int index) {
        return logEnds[index];
    }

    WriteListener listener(int index) {
        return listeners[index];
    }

    /** The first index after {@code from} whose write is in another log, or the count. */
    int endOfLog(int from) {
        int end = from + 1;
        while (end < count && memTables[end] == memTables[from]) {
            end++;
        }
        return end;
    }

    /** Releases the memtable of a write. */
    void release(int index) {
        memTables[index].release();
    }

    void clear() {
        Arrays.fill(memTables, 0, count, null);
        Arrays.fill(listeners, 0, count, null);
        count = 0;
    }
}
