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
 * The pins of all readers that may be slow, and the limit on what is kept only for them: memtables
 * and tables that are no longer part of the current snapshot, and copies of values.
 *
 * <p>Invariants, after each {@link #enforce}, as soon as the readers have released what they were
 * told to release:
 *
 * <ol>
 *   <li>If more than {@link StorageOptions#pinnedBytesMax} bytes are kept, then everything that is
 *       kept is a copy, or is kept for a reader that is not slow (invariant 3). Copies take at most
 *       half of the limit.
 *   <li>Nothing is kept for a reader whose read began more than {@link
 *       StorageOptions#pinnedTimeMax} ago.
 *   <li>A reader that reads at least {@value #SLOW_BYTES_PER_SECOND} bytes per second is not cut
 *       off because of the limit in bytes.
 * </ol>
 *
 * <p>Each reader is cut off at most once. If it is reading at that moment, it releases only after
 * this read. Until then, {@link #pinnedBytes} counts what it keeps, but the limit in bytes does
 * not: cutting off further readers would not release these bytes sooner.
 *
 * <p>Thread-safe. Readers are called without holding a lock, because they take their own locks and
 * call back.
 */
final class Pins implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Pins.class);

    /** A reader that reads fewer bytes per second than this is slow. */
    private static final long SLOW_BYTES_PER_SECOND = 1 << 20;

    private static final long LOG_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long LOOK_MILLIS = 500;

    private final long bytesMax;
    private final long nanosMax;
    private final Supplier<Snapshot> snapshots;
    private final Executor reclaimer;
    private final LongSupplier nanoClock;
    private final AtomicLong copiedBytes = new AtomicLong();
    private final LongAdder evictedCount = new LongAdder();
    private final BackgroundTask task =
            new BackgroundTask("storage-pins", this::look, () -> {}, LOOK_MILLIS);

    @GuardedBy("this")
    private final Set<Pin> watched = new LinkedHashSet<>();

    /** Used only by the thread that calls {@link #enforce}. */
    private long loggedAtNanos;

    /**
     * @param snapshots retains and returns the current snapshot
     * @param reclaimer frees the memory of copies
     * @param nanoClock such as {@link System#nanoTime}
     */
    Pins(
            StorageOptions options,
            Supplier<Snapshot> snapshots,
            Executor reclaimer,
            LongSupplier nanoClock) {
        this.bytesMax = options.pinnedBytesMax();
        this.nanosMax = options.pinnedTimeMax().toNanos();
        this.snapshots = snapshots;
        this.reclaimer = reclaimer;
        this.nanoClock = nanoClock;
        this.loggedAtNanos = nanoClock.getAsLong() - LOG_PAUSE_NANOS;
    }

    /** Starts the thread that enforces the limits. */
    void start() {
        task.start();
    }

    /** Called when a memtable or table was replaced. Allocates nothing, and cannot fail. */
    void wake() {
        task.wake();
    }

    /**
     * Enforces the limits, and repeats this while there are readers, because their time runs out.
     */
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

    /** Creates an empty pin. */
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

    /** Counts the bytes of a new copy, or, if negative, of a released one. */
    void copied(long bytes) {
        copiedBytes.addAndGet(bytes);
    }

    Executor reclaimer() {
        return reclaimer;
    }

    /** How many readers were cut off. */
    long evictedCount() {
        return evictedCount.sum();
    }

    /** The bytes that are kept only for watched readers. */
    long pinnedBytes() {
        return isWatching() ? new KeptPin.Sum(kept()).bytes() : 0;
    }

    /** The pins that keep something. */
    private List<KeptPin> kept() {
        Set<RefCounted> current = current();
        return copyOfPins().stream()
                .map(pin -> pin.kept(current))
                .filter(pin -> !pin.isEmpty())
                .toList();
    }

    /** The pins that keep something and were not cut off yet, slowest reader first. */
    private List<KeptPin> limited() {
        return kept().stream()
                .filter(kept -> !kept.pin().isCutOff())
                .sorted(Comparator.comparingLong(KeptPin::bytesPerSecond))
                .toList();
    }

    private synchronized List<Pin> copyOfPins() {
        return new ArrayList<>(watched);
    }

    /**
     * Makes readers release memtables and tables until the limits hold. First, readers that keep
     * something for too long are cut off. If too many bytes are still kept, values are copied,
     * fastest readers first. Then the slowest readers that still keep memtables or tables are cut
     * off. Called by one thread at a time.
     */
    void enforce() {
        try {
            cutOffOld();
            List<KeptPin> pins = limited();
            if (new KeptPin.Sum(pins).bytes() > bytesMax) {
                copyValues(pins.reversed());
                cutOffSlowest(limited());
            }
        } catch (StorageUnavailableException closed) {
            LOG.debug("the limits on slow readers are no longer enforced: {}", closed.getMessage());
        }
    }

    private void cutOffOld() {
        long nowNanos = nanoClock.getAsLong();
        limited().stream()
                .map(KeptPin::pin)
                .filter(pin -> nowNanos - pin.sinceNanos() > nanosMax)
                .forEach(this::cutOff);
    }

    private void copyValues(List<KeptPin> fastestFirst) {
        for (KeptPin kept : fastestFirst) {
            Pin pin = kept.pin();
            if (pin.isOfValue() && !kept.isCopy() && pin.valueBytes() <= leftForCopies()) {
                pin.copy(); // If the copy fails, the reader may be cut off below.
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
                    "slow clients are cut off, because tables are kept only for them: closed={}"
                            + " pinnedBytesMax={} pinnedSecondsMax={}",
                    evictedCount(),
                    bytesMax,
                    TimeUnit.NANOSECONDS.toSeconds(nanosMax));
        }
    }

    private Set<RefCounted> current() {
        Set<RefCounted> parts = KeptPin.newSet();
        Snapshot snapshot = snapshots.get();
        try {
            parts.addAll(snapshot.memTables());
            parts.addAll(snapshot.tables());
            return parts;
        } finally {
            snapshot.release();
        }
    }

    static long bytes(RefCounted part) {
        return switch (part) {
            case MemTable memTable -> memTable.memoryBytes();
            case SSTable table -> table.fileBytes();
            default -> throw new IllegalArgumentException("not a part of a snapshot: " + part);
        };
    }
}
