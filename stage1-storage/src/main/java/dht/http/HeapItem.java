package dht.http;

import one.nio.net.Session.ArrayQueueItem;
import one.nio.net.Session.QueueItem;

/** A piece of an answer that stays on the heap until it is sent. Used by one thread at a time. */
final class HeapItem extends ArrayQueueItem {
    HeapItem(byte[] bytes, int length) {
        super(bytes, 0, length, 0);
    }

    /** The heap memory of an answer's items, whether or not parts of them are already sent. */
    static long heapBytes(QueueItem items) {
        long bytes = 0;
        for (QueueItem item = items; item != null; item = item.next()) {
            bytes += item instanceof HeapItem onHeap ? onHeap.data.length : 0;
        }
        return bytes;
    }
}
