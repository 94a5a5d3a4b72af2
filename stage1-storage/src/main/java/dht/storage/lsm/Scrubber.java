package dht.storage.lsm;

import dht.storage.StorageOptions;
import dht.storage.sstable.SSTable;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads all blocks of all tables once per interval, at a bounded pace, and notes the damaged ones.
 * So damage is found while the other copies of the data still exist, and not when a client needs
 * it. The first pass begins when the engine is opened.
 *
 * <p>It works in rounds. Each round reads as many bytes as the pace allows since the last round.
 * Its own thread runs the rounds; any thread may read the counter.
 */
final class Scrubber implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);

    private final Supplier<Snapshot> snapshots;
    private final long intervalNanos;
    private final double bytesPerNano;
    private final double bytesPerRoundMax;
    private final LongSupplier nanoClock;
    private final BackgroundTask task;
    private final AtomicLong readBytes = new AtomicLong();

    // Used by the thread.
    private double allowedBytes; // Less than zero after a block that was larger than allowed.
    private long lastRoundNanos;
    private boolean isPassBegun;
    private long passBegunNanos;
    private long endOfTables; // Tables with this number or a greater one are newer than the pass.
    private long tableNumber; // The table that is read next, or a number before it.
    private int block;

    /**
     * @param snapshots retains and returns the current snapshot
     */
    Scrubber(StorageOptions options, Supplier<Snapshot> snapshots, long roundMillis) {
        this(options, snapshots, roundMillis, System::nanoTime);
    }

    /** For tests, which have a clock of their own, and run the rounds themselves. */
    Scrubber(
            StorageOptions options,
            Supplier<Snapshot> snapshots,
            long roundMillis,
            LongSupplier nanoClock) {
        this.snapshots = snapshots;
        this.intervalNanos = options.scrubInterval().toNanos();
        this.bytesPerNano = (double) options.scrubBytesPerSecond() / TimeUnit.SECONDS.toNanos(1);
        this.bytesPerRoundMax = options.scrubBytesPerSecond();
        this.nanoClock = nanoClock;
        this.lastRoundNanos = nanoClock.getAsLong();
        this.task = new BackgroundTask("storage-scrub", this::runAndRepeat, () -> {}, roundMillis);
    }

    void start() {
        task.start();
        if (intervalNanos > 0) {
            task.wake();
        }
    }

    private void runAndRepeat() {
        round();
        task.repeatLater();
    }

    /** Reads what the pace allows since the last round. */
    void round() {
        long nowNanos = nanoClock.getAsLong();
        allowedBytes += (nowNanos - lastRoundNanos) * bytesPerNano;
        allowedBytes = Math.min(allowedBytes, bytesPerRoundMax);
        lastRoundNanos = nowNanos;
        if (isPassBegun
                && nowNanos - passBegunNanos < intervalNanos
                && tableNumber >= endOfTables) {
            return;
        }
        Snapshot snapshot = snapshots.get();
        try {
            if (!isPassBegun || tableNumber >= endOfTables) {
                begin(snapshot.tables(), nowNanos);
            }
            readOn(snapshot.tables());
        } finally {
            snapshot.release();
        }
    }

    private void begin(List<SSTable> tables, long nowNanos) {
        isPassBegun = true;
        passBegunNanos = nowNanos;
        endOfTables = 1 + tables.stream().mapToLong(SSTable::number).max().orElse(0);
        tableNumber = 0;
        block = 0;
    }

    private void readOn(List<SSTable> tables) {
        while (allowedBytes > 0 && tableNumber < endOfTables) {
            Optional<SSTable> next =
                    tables.stream()
                            .filter(table -> table.number() >= tableNumber)
                            .filter(table -> table.number() < endOfTables)
                            .min(Comparator.comparingLong(SSTable::number));
            if (next.isEmpty()) {
                tableNumber = endOfTables;
            } else {
                readOn(next.get());
            }
        }
    }

    private void readOn(SSTable table) {
        if (table.number() != tableNumber) {
            tableNumber = table.number();
            block = 0;
        }
        int damagedBefore = table.damage().count();
        while (allowedBytes > 0 && block < table.blockCount()) {
            long bytes = table.damage().check(block++);
            allowedBytes -= bytes;
            readBytes.addAndGet(bytes);
        }
        if (damagedBefore == 0 && !table.damage().isEmpty()) {
            LOG.error(
                    "a scrub has found damage: file={} blocks={}: reads of their keys fail",
                    table,
                    table.damage().count());
        }
        if (block == table.blockCount()) {
            tableNumber++;
            block = 0;
        }
    }

    /** Bytes of tables that were read since the engine was opened. */
    long readBytes() {
        return readBytes.get();
    }

    @Override
    public void close() {
        task.close();
    }
}
