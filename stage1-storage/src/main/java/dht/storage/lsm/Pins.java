package dht.storage.lsm;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.storage.StorageOptions;
import dht.storage.StorageUnavailableException;
import dht.storage.memory.RefCounted;
import dht.storage.memtable.MemTable;
import dht.storage.sstable.SSTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All pins of an engine whose readers may be slow, and the bound on what is kept for them alone:
 * memtables and tables that the version in force no longer consists of, and copies of values.
 *
 * <p>Invariants, after each {@link #enforce}:
 *
 * <ol>
 *   <li>What is kept for slow readers alone takes at most {@link StorageOptions#pinnedBytesMax};
 *       copies take at most half of that.
 *   <li>Nothing is kept for one of them for longer than {@link StorageOptions#pinnedTimeMax}.
 *   <li>A reader that takes at least {@link #SLOW_BYTES_PER_SECOND} is not cut off for the bytes.
 * </ol>
 *
 * <p>Thread-safe. Readers are called without a lock: they take locks of their own, and call back.
 */
final class Pins implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Pins.class);

    /** A reader that takes less is slow. */
    private static final long SLOW_BYTES_PER_SECOND = 1 << 20;

    private static final long LOG_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long LOOK_MILLIS = 500;

    private final long bytesMax;
    private final long nanosMax;
    private final Supplier<Version> versions;
    private final Executor reclaimer;
    private final LongSupplier nanoClock;
    private final AtomicLong copiedBytes = new AtomicLong();
    private final LongAdder evictedCount = new LongAdder();
    private final BackgroundTask task =
            new BackgroundTask("storage-pins", this::look, () -> {}, LOOK_MILLIS);

    @GuardedBy("this")
    private final Set<Pin> watched = new LinkedHashSet<>();

    /** For the thread that enforces. */
    private long loggedAtNanos;

    /**
     * @param versions takes hold of the version in force
     * @param reclaimer frees the memory of copies
     * @param nanoClock as {@link System#nanoTime}
     */
    Pins(
            StorageOptions options,
            Supplier<Version> versions,
            Executor reclaimer,
            LongSupplier nanoClock) {
        this.bytesMax = options.pinnedBytesMax();
        this.nanosMax = options.pinnedTimeMax().toNanos();
        this.versions = versions;
        this.reclaimer = reclaimer;
        this.nanoClock = nanoClock;
        this.loggedAtNanos = nanoClock.getAsLong() - LOG_PAUSE_NANOS;
    }

    /** From now on the bounds are looked after. */
    void start() {
        task.start();
    }

    /** Says that something was replaced. Allocates nothing, and cannot fail. */
    void wake() {
        task.wake();
    }

    /** As long as there are readers, their time passes and they read on: so it looks again. */
    private void look() {
        if (isWatching()) {
            task.repeatLater();
            enforce();
        }
    }

    private synchronized boolean isWatching() {
        return !watched.isEmpty();
    }

    @Override
    public void close() {
        task.close();
    }

    /** A pin that holds nothing yet. */
    Pin begin() {
        return new Pin(this, nanoClock.getAsLong());
    }

    void watch(Pin pin) {
        boolean isFirst;
        synchronized (this) {
            isFirst = watched.isEmpty();
            watched.add(pin);
        }
        if (isFirst) {
            task.wake();
        }
    }

    synchronized void forget(Pin pin) {
        watched.remove(pin);
    }

    /** Counts the bytes of a copy that was made, or, if negative, of one that was let go of. */
    void copied(long bytes) {
        copiedBytes.addAndGet(bytes);
    }

    Executor reclaimer() {
        return reclaimer;
    }

    /** Readers that were cut off. */
    long evictedCount() {
        return evictedCount.sum();
    }

    /** What is kept for those readers alone that are watched. */
    long pinnedBytes() {
        return isWatching() ? new KeptPin.Sum(kept()).bytes() : 0;
    }

    /** The pins for which something is kept, the slowest first. */
    private List<KeptPin> kept() {
        Set<RefCounted> current = current();
        return snapshot().stream()
                .map(pin -> pin.kept(current))
                .filter(pin -> !pin.isEmpty())
                .sorted(Comparator.comparingLong(KeptPin::bytesPerSecond))
                .toList();
    }

    private synchronized List<Pin> snapshot() {
        return new ArrayList<>(watched);
    }

    /**
     * Has readers let go until the bounds hold. First values are copied, those of the fastest
     * readers first. Then the slowest of those who still keep memtables and tables are cut off. For
     * one thread at a time.
     */
    void enforce() {
        try {
            cutOffOld();
            List<KeptPin> pins = kept();
            if (new KeptPin.Sum(pins).bytes() > bytesMax) {
                copyValues(pins.reversed());
                cutOffSlowest(kept());
            }
        } catch (StorageUnavailableException closed) {
            LOG.debug("pins are not looked after any more: {}", closed.getMessage());
        }
    }

    private void cutOffOld() {
        long nowNanos = nanoClock.getAsLong();
        kept().stream()
                .map(KeptPin::pin)
                .filter(pin -> nowNanos - pin.sinceNanos() > nanosMax)
                .forEach(this::cutOff);
    }

    private void copyValues(List<KeptPin> fastestFirst) {
        for (KeptPin kept : fastestFirst) {
            Pin pin = kept.pin();
            if (pin.isOfValue() && !kept.isCopy() && pin.valueBytes() <= leftForCopies()) {
                pin.copy(); // If it can't, it may be cut off below.
            }
        }
    }

    private long leftForCopies() {
        return bytesMax / 2 - copiedBytes.get();
    }

    private void cutOffSlowest(List<KeptPin> slowestFirst) {
        KeptPin.Sum sum = new KeptPin.Sum(slowestFirst);
        for (KeptPin kept : slowestFirst) {
            boolean isTooMuch = sum.bytes() > bytesMax;
            if (isTooMuch && !kept.isCopy() && kept.bytesPerSecond() < SLOW_BYTES_PER_SECOND) {
                cutOff(kept.pin());
                sum.subtract(kept);
            }
        }
    }

    private void cutOff(Pin pin) {
        pin.cutOff();
        evictedCount.increment();
        logSeldom();
    }

    private void logSeldom() {
        long nowNanos = nanoClock.getAsLong();
        if (nowNanos - loggedAtNanos >= LOG_PAUSE_NANOS) {
            loggedAtNanos = nowNanos;
            LOG.warn(
                    "slow clients are cut off, since tables are kept for them alone: closed={}"
                            + " pinnedBytesMax={} pinnedSecondsMax={}",
                    evictedCount(),
                    bytesMax,
                    TimeUnit.NANOSECONDS.toSeconds(nanosMax));
        }
    }

    private Set<RefCounted> current() {
        Set<RefCounted> parts = KeptPin.newSet();
        Version version = versions.get();
        try {
            parts.addAll(version.memTables());
            parts.addAll(version.tables());
            return parts;
        } finally {
            version.release();
        }
    }

    static long bytes(RefCounted part) {
        return switch (part) {
            case MemTable memTable -> memTable.memoryBytes();
            case SSTable table -> table.fileBytes();
            default -> throw new IllegalArgumentException("no part of a version: " + part);
        };
    }
}
