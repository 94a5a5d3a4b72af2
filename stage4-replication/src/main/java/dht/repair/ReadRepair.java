package dht.repair;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Repairs the keys whose replicas have answered a read with different versions. They wait for one
 * thread, which takes them one after the other: so at any time one key at most is under repair, and
 * one version of it in memory for each replica that is asked. A key that waits already is not added
 * again. Where too many wait, a key is dropped, and counted: a later read, or what heals without
 * reads, will find it. Each waits for a moment first: most of those that differ are being written
 * just then, and are alike when the write has ended.
 *
 * <p>Thread-safe; whoever adds a key does not wait.
 */
final class ReadRepair implements AutoCloseable {
    static final int WAITING_MAX = 1024;

    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** A key that waits. */
    private record Waiting(byte[] key, int from, long dueNanos) {}

    private final KeyRepair repair;
    private final Pace pace;
    private final RepairCounts counts;
    private final RepairThread thread = new RepairThread("read-repair", this::repairNext);

    /** By key, the oldest first. */
    @GuardedBy("this")
    private final Map<ByteBuffer, Waiting> waiting = new LinkedHashMap<>();

    ReadRepair(KeyRepair repair, Pace pace, RepairCounts counts) {
        this.repair = repair;
        this.pace = pace;
        this.counts = counts;
    }

    void start() {
        thread.start();
    }

    /** Has the replicas of a key made alike, soon. */
    void add(byte[] key, int from) {
        if (!tryAdd(key, from)) {
            counts.readRepairDropped();
        }
    }

    private synchronized boolean tryAdd(byte[] key, int from) {
        if (waiting.size() >= WAITING_MAX) {
            return false;
        }
        try {
            waiting.putIfAbsent(
                    ByteBuffer.wrap(key), new Waiting(key, from, System.nanoTime() + SETTLE_NANOS));
        } catch (OutOfMemoryError _) {
            return false;
        }
        notifyAll();
        return true;
    }

    private void repairNext() throws InterruptedException {
        Waiting next = take();
        TimeUnit.NANOSECONDS.sleep(next.dueNanos() - System.nanoTime());
        pace.awaitTurn();
        repair.repair(next.key(), next.from());
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

    /** What waits is given up. */
    @Override
    public void close() {
        thread.close();
    }
}
