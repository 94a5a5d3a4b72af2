package dht.http;

import one.nio.net.Session.ArrayQueueItem;
import one.nio.net.Session.QueueItem;

/** A piece of an answer that lies on the heap until it is sent. Used by one thread at a time. */
final class HeapItem extends ArrayQueueItem {
    HeapItem(byte[] bytes, int length) {
        super(bytes, 0, length, 0);
    }

    /** What the items of an answer take of the heap, however much of them is sent. */
    static long heapBytes(QueueItem items) {
        long bytes = 0;
        for (QueueItem item = items; item != null; item = item.next()) {
            bytes += item instanceof HeapItem onHeap ? onHeap.data.length : 0;
        }
        return bytes;
    }
}
