package dht.repair;

import dht.storage.Dao;
import dht.storage.EntryCursor;
import dht.storage.EntryView;
import dht.storage.ReadOutcome;
import dht.storage.WriteListener;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A storage that keeps everything in memory. Thread-safe, but a cursor may show writes that happen
 * after it was opened.
 */
final class MapDao implements Dao {
    /** A version; its value is null for a tombstone. */
    record Stored(byte[] value, long timestampMicros) {
        void wrap(byte[] key, EntryView view) {
            byte[] both = Arrays.copyOf(key, key.length + (value == null ? 0 : value.length));
            int length = value == null ? EntryView.TOMBSTONE : value.length;
            if (value != null) {
                System.arraycopy(value, 0, both, key.length, value.length);
            }
            MemorySegment memory = MemorySegment.ofArray(both);
            view.wrap(memory, 0, key.length, key.length, length, timestampMicros);
        }

        boolean winsOver(Stored other) {
            EntryView view = new EntryView();
            EntryView otherView = new EntryView();
            wrap(new byte[0], view);
            other.wrap(new byte[0], otherView);
            return view.winsOver(otherView);
        }
    }

    private final ConcurrentNavigableMap<byte[], Stored> versions =
            new ConcurrentSkipListMap<>(Arrays::compareUnsigned);

    private final AtomicInteger openCursors = new AtomicInteger();
    private final AtomicInteger cursorSteps = new AtomicInteger();

    /** The version of a key; null if there is none. */
    Stored stored(byte[] key) {
        return versions.get(key);
    }

    void remove(byte[] key) {
        versions.remove(key);
    }

    int size() {
        return versions.size();
    }

    @Override
    public ReadOutcome get(byte[] key) {
        Stored stored = versions.get(key);
        if (stored == null) {
            return ReadOutcome.Absent.INSTANCE;
        }
        return stored.value == null
                ? new ReadOutcome.Deleted(stored.timestampMicros)
                : new ReadOutcome.Found(
                        MemorySegment.ofArray(stored.value), stored.timestampMicros, () -> {});
    }

    @Override
    public long newestTimestampMicros(byte[] key, long fromMicros) {
        Stored stored = versions.get(key);
        return stored != null && stored.timestampMicros >= fromMicros ? stored.timestampMicros : 0;
    }

    @Override
    public EntryCursor range(byte[] from, byte[] to) {
        NavigableMap<byte[], Stored> rest = from == null ? versions : versions.tailMap(from, true);
        NavigableMap<byte[], Stored> range = to == null ? rest : rest.headMap(to, false);
        Cursor cursor = new Cursor(range.entrySet().iterator());
        openCursors.incrementAndGet();
        return cursor;
    }

    /** The number of cursors that have not been closed. */
    int openCursorCount() {
        return openCursors.get();
    }

    /** How many versions all cursors have read together. */
    int cursorStepCount() {
        return cursorSteps.get();
    }

    private final class Cursor implements EntryCursor {
        private final Iterator<Map.Entry<byte[], Stored>> entries;
        private final EntryView view = new EntryView();
        private final AtomicBoolean isOpen = new AtomicBoolean(true);

        Cursor(Iterator<Map.Entry<byte[], Stored>> entries) {
            this.entries = entries;
        }

        @Override
        public boolean next() {
            if (!entries.hasNext()) {
                return false;
            }
            Map.Entry<byte[], Stored> entry = entries.next();
            cursorSteps.incrementAndGet();
            entry.getValue().wrap(entry.getKey(), view);
            return true;
        }

        @Override
        public EntryView entry() {
            return view;
        }

        @Override
        public void close() {
            if (isOpen.getAndSet(false)) {
                openCursors.decrementAndGet();
            }
        }
    }

    @Override
    public void upsert(
            byte[] key, MemorySegment value, long timestampMicros, WriteListener listener) {
        store(key, new Stored(value.toArray(ValueLayout.JAVA_BYTE), timestampMicros));
        listener.durable();
    }

    @Override
    public void delete(byte[] key, long timestampMicros, WriteListener listener) {
        store(key, new Stored(null, timestampMicros));
        listener.durable();
    }

    private void store(byte[] key, Stored version) {
        versions.merge(key.clone(), version, (old, now) -> now.winsOver(old) ? now : old);
    }

    @Override
    public void flush() {}

    @Override
    public void compact() {}

    @Override
    public long greatestTimestampMicros() {
        return 0;
    }

    @Override
    public void close() {}
}
