package dht.repair;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Read repair: repairs keys whose replicas have answered a read with different versions. The keys
 * wait in a queue, and one thread repairs them one after the other. So at any time at most one key
 * is being repaired, and memory holds at most three values: the newest copy, one answer, and its
 * copy. A key that already waits is not added again. If the queue is full, the key is dropped and
 * counted; a later read finds the difference again. Before its repair, each key waits for a short
 * time: most differences come from a write that is still in progress, and disappear when it ends.
 *
 * <p>Thread-safe. Adding a key never waits.
 */
final class ReadRepair implements AutoCloseable {
    static final int WAITING_MAX = 1024;

    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** A key in the queue. */
    private record Waiting(byte[] key, int from, long dueNanos) {}

    private final KeyRepair repair;
    private final RateLimiter limiter;
    private final RepairCounts counts;
    private final RepairThread thread = new RepairThread("read-repair", this::repairNext);

    /** The queue, by key, oldest first. */
    @GuardedBy("this")
    private final Map<ByteBuffer, Waiting> waiting = LinkedHashMap.newLinkedHashMap(WAITING_MAX);

    ReadRepair(KeyRepair repair, RateLimiter limiter, RepairCounts counts) {
        this.repair = repair;
        this.limiter = limiter;
        this.counts = counts;
        // The first entry allocates the map's table. If there were no memory for it later, the
        // map would be damaged, and might not find its entries again.
        waiting.put(ByteBuffer.allocate(0), null);
        waiting.clear();
    }

    void start() {
        thread.start();
    }

    /**
     * Queues a key for repair, unless it already waits. Drops it if the queue is full, or if there
     * is no memory.
     *
     * @param from how many replicas the key has
     */
    void add(byte[] key, int from) {
        if (!tryAdd(key, from)) {
            counts.repairDropped();
        }
    }

    private synchronized boolean tryAdd(byte[] key, int from) {
        try {
            ByteBuffer name = ByteBuffer.wrap(key);
            if (waiting.size() >= WAITING_MAX) {
                return waiting.containsKey(name);
            }
            waiting.putIfAbsent(name, new Waiting(key, from, System.nanoTime() + SETTLE_NANOS));
        } catch (OutOfMemoryError _) {
            return false;
        }
        notifyAll();
        return true;
    }

    private void repairNext() throws InterruptedException {
        Waiting next = take();
        boolean isEnded = false;
        try {
            TimeUnit.NANOSECONDS.sleep(next.dueNanos() - System.nanoTime());
            limiter.awaitTurn();
            repair.repair(next.key(), next.from(), KeyRepair.ANY_VERSION);
            isEnded = true;
        } finally {
            if (!isEnded) { // For example, memory is exhausted.
                counts.repairDropped();
            }
        }
    }

    private synchronized Waiting take() throws InterruptedException {
        while (waiting.isEmpty()) {
            wait();
        }
        var oldest = waiting.values().iterator();
        Waiting taken = oldest.next();
        oldest.remove();
        return taken;
    }

    synchronized int waitingCount() {
        return waiting.size();
    }

    /** Ends the thread. Keys that still wait are not repaired. */
    @Override
    public void close() {
        thread.close();
    }
}
