package dht.storage.compaction;

import dht.storage.EntryCursor;
import dht.storage.EntryView;
import java.util.Collection;

/**
 * Iterates over several cursors as one: each key once, in its newest version, including tombstones.
 *
 * <p>It is a binary heap of the cursors, ordered by their keys. If keys are equal, the winning
 * version comes first. Used by one thread at a time.
 */
public final class MergingCursor implements EntryCursor {
    private final EntryCursor[] heap;
    private int size;
    private boolean started;

    /** Takes over the cursors, which must be positioned before their first entries. */
    public MergingCursor(Collection<? extends EntryCursor> cursors) {
        this.heap = cursors.toArray(new EntryCursor[0]);
        this.size = heap.length;
    }

    @Override
    public boolean next() {
        if (!started) {
            started = true;
            start();
            return size > 0;
        }
        if (size == 0) {
            return false;
        }
        skipOlderVersions();
        advanceTop();
        return size > 0;
    }

    private void start() {
        int live = 0;
        for (int i = 0; i < heap.length; i++) {
            if (heap[i].next()) {
                EntryCursor cursor = heap[i];
                heap[i] = heap[live];
                heap[live++] = cursor;
            } else {
                heap[i].close();
            }
        }
        size = live;
        for (int i = size / 2 - 1; i >= 0; i--) {
            siftDown(i);
        }
    }

    /**
     * Moves all other cursors past the key at the top. The cursor at the top is not moved, because
     * its key is compared with theirs.
     */
    private void skipOlderVersions() {
        while (size > 1) {
            int second = size > 2 && isBefore(heap[2], heap[1]) ? 2 : 1;
            if (heap[second].entry().compareKey(heap[0].entry()) != 0) {
                return;
            }
            if (!heap[second].next()) {
                remove(second);
            }
            siftDown(second);
        }
    }

    private void advanceTop() {
        if (!heap[0].next()) {
            remove(0);
        }
        siftDown(0);
    }

    /**
     * Replaces a cursor that has ended by the last live cursor. The ended cursor is kept, so that
     * it can be closed.
     */
    private void remove(int index) {
        size--;
        EntryCursor ended = heap[index];
        ended.close();
        heap[index] = heap[size];
        heap[size] = ended;
    }

    private void siftDown(int index) {
        int parent = index;
        while (2 * parent + 1 < size) {
            int child = 2 * parent + 1;
            if (child + 1 < size && isBefore(heap[child + 1], heap[child])) {
                child++;
            }
            if (!isBefore(heap[child], heap[parent])) {
                return;
            }
            EntryCursor swapped = heap[parent];
            heap[parent] = heap[child];
            heap[child] = swapped;
            parent = child;
        }
    }

    private static boolean isBefore(EntryCursor a, EntryCursor b) {
        int order = a.entry().compareKey(b.entry());
        return order < 0 || order == 0 && a.entry().winsOver(b.entry());
    }

    @Override
    public EntryView entry() {
        return heap[0].entry();
    }

    @Override
    public void close() {
        for (int i = 0; i < size; i++) { // The others have ended, and were closed then.
            heap[i].close();
        }
        size = 0;
    }
}
