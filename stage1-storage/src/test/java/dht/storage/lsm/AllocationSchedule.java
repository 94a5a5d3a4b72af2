package dht.storage.lsm;

import dht.storage.Durability;
import dht.storage.Eventually;
import dht.storage.StorageException;
import dht.storage.StorageOptions;
import dht.storage.TestOptions;
import dht.storage.TextDao;
import dht.storage.WriteListener;
import dht.storage.file.AnonymousMapping;
import dht.storage.file.StorageDirectory;
import dht.storage.file.WritableMapping;
import dht.storage.lsm.History.Write;
import dht.storage.simulation.Faults;
import dht.storage.simulation.HookedDirectory;
import dht.storage.simulation.SimulatedDisk;
import dht.testkit.allocation.Allocations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;

/**
 * One random schedule of an engine that runs out of memory from time to time. Acknowledged writes
 * must be there after a kill at any step. When there is memory again, everything must work without
 * a restart. At the end, nothing may be left open.
 */
final class AllocationSchedule implements LongConsumer {
    private static final LsmDao.Timing TIMING = new LsmDao.Timing(1, Duration.ofMinutes(1));
    private static final int STEPS = 30;
    private static final int SMALL_BYTES_MAX = 900;

    /** A read makes no more allocations than this. */
    private static final int READ_ALLOCATIONS = 100;

    /** A reader pins the memtable or table of a value of this size. */
    private static final int LARGE_BYTES = 100_000;

    private final Faults syncs = new Faults();
    private SplittableRandom random;
    private boolean isHostile;
    private StorageOptions options;
    private SimulatedDisk disk;
    private History history;
    private TextDao dao;
    private long clockMicros;
    private boolean isBroken;
    private Throwable lastFailure;

    @Override
    public void accept(long seed) {
        Allocations.heal();
        random = new SplittableRandom(seed);
        options = randomOptions();
        history = new History();
        clockMicros = 100;
        isBroken = false;
        dao = null;
        try (SimulatedDisk opened = new SimulatedDisk()) {
            disk = opened;
            runAndClose();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            Allocations.heal();
        }
        if (Allocations.openArenas() != 0) {
            throw new AssertionError("arenas were left open: count=" + Allocations.openArenas());
        }
    }

    private StorageOptions randomOptions() {
        Durability[] durabilities = Durability.values();
        isHostile = random.nextInt(3) == 0;
        return (isHostile ? TestOptions.hostile() : TestOptions.small())
                .durability(durabilities[random.nextInt(durabilities.length)])
                .memTableCountMax(2 + random.nextInt(3))
                .compactionFanIn(2)
                .tableCountMax(2 + random.nextInt(2))
                .writeStallMax(Duration.ofMillis(2))
                .scrubInterval(Duration.ofMillis(random.nextInt(2)))
                .build();
    }

    /** Closes the engine also where it fails: what is left open then would be told instead. */
    private void runAndClose() throws IOException {
        try {
            run();
        } catch (Throwable e) {
            Allocations.heal();
            if (dao != null) {
                attempt(dao.dao()::close);
            }
            throw e;
        }
    }

    private void run() throws IOException {
        open();
        int killedAt = random.nextInt(STEPS);
        for (int step = 0; step < STEPS && !isBroken; step++) {
            runOutOfMemory();
            step();
            if (step == killedAt) {
                Allocations.heal();
                checkKilled();
            }
        }
        Allocations.heal();
        if (!isBroken) {
            checkNotStuck();
            dao.dao().close();
            history.flush();
        }
        checkKilled();
    }

    private void runOutOfMemory() {
        if (random.nextInt(2) == 0) {
            long count = random.nextInt(3) == 0 ? random.nextInt(50) : 1;
            Allocations.fail(random.nextInt(300), count);
        }
    }

    private void runOutOfMemoryAtOnce() {
        Allocations.fail(random.nextInt(20), 1);
    }

    private void step() {
        switch (random.nextInt(14)) {
            case 0 -> attempt(dao::compact);
            case 1, 2 -> {
                if (attempt(dao::flush)) {
                    history.flush();
                }
            }
            case 3 -> attempt(() -> dao.get(randomKey()));
            case 4 -> attempt(() -> dao.range(randomKey(), null));
            case 5 -> reopen();
            case 6 -> readLarge();
            case 7 -> writeTogether();
            default -> write();
        }
    }

    private void reopen() {
        boolean isClosed = attempt(dao.dao()::close);
        if (isClosed || options.durability() != Durability.NONE) {
            history.flush();
            open();
        } else {
            isBroken = true; // It has said that it could keep no more than what was flushed.
        }
    }

    private String randomKey() {
        return String.valueOf((char) ('a' + random.nextInt(6)));
    }

    private interface Attempt {
        void run() throws IOException;
    }

    private boolean attempt(Attempt attempt) {
        try {
            attempt.run();
            return true;
        } catch (IOException | StorageException | OutOfMemoryError e) {
            lastFailure = e;
            return false;
        }
    }

    private void open() {
        succeeds(
                () -> dao = new TextDao(LsmDao.open(directory(), options, TIMING)),
                "cannot be opened");
    }

    /** The simulated disk, but memory for logs that are not kept may be missing. */
    private StorageDirectory directory() {
        return new HookedDirectory(disk.directory(), syncs) {
            @Override
            public WritableMapping createUnnamed(long capacityBytes) {
                return new AnonymousMapping(capacityBytes);
            }
        };
    }

    private void write() {
        boolean isTombstone = random.nextInt(4) == 0;
        write(randomKey(), isTombstone ? null : ".".repeat(random.nextInt(SMALL_BYTES_MAX)));
    }

    private void write(String key, String value) {
        Write write = new Write(key, value, ++clockMicros);
        history.begin(write);
        succeeds(
                () -> dao.write(write.key(), write.value(), write.timestampMicros()),
                "cannot be written to");
        history.acknowledge();
    }

    /** Reads a value that is not copied, mostly from a table. Each allocation fails once. */
    private void readLarge() {
        String key = randomKey();
        write(key, ".".repeat(LARGE_BYTES));
        if (attempt(dao::flush)) {
            history.flush();
        }
        for (int skipped = 0; skipped < READ_ALLOCATIONS; skipped++) {
            Allocations.fail(skipped, 1);
            attempt(() -> dao.get(key));
        }
    }

    /**
     * Writes more entries than a group has room for at first. None of them waits for another. No
     * sync ends before the last one is in its log.
     */
    private void writeTogether() {
        int count = isHostile ? random.nextInt(2, 10) : random.nextInt(70, 200);
        Acknowledgements acknowledgements = new Acknowledgements(history, () -> false);
        syncs.block(SimulatedEngine::isGroupSync);
        try {
            for (int i = 0; i < count; i++) {
                if (i % WriteGroup.CAPACITY_MIN < 2) { // Here the group may have to grow.
                    runOutOfMemoryAtOnce();
                }
                Write write = new Write(randomKey(), "." + i, ++clockMicros);
                WriteListener listener = acknowledgements.begin(write);
                succeeds(
                        () ->
                                dao.write(
                                        write.key(),
                                        write.value(),
                                        write.timestampMicros(),
                                        listener),
                        "cannot be written to");
            }
        } finally {
            syncs.release();
        }
        acknowledgements.await(count);
        if (acknowledgements.isFailed()) {
            throw new AssertionError("a sync failed, and nothing was wrong with the disk");
        }
    }

    private void succeeds(Attempt attempt, String what) {
        Eventually.holds(() -> attempt(attempt), () -> what + ": " + lastFailure);
    }

    private void checkKilled() throws IOException {
        boolean isKept = options.durability() != Durability.NONE;
        int atLeast = isKept ? history.acknowledged() : history.flushed();
        new Survivor(options).checkReadable(disk.image(), history, atLeast);
    }

    private void checkNotStuck() {
        write();
        succeeds(dao::flush, "cannot be flushed");
        succeeds(dao::compact, "cannot be compacted");
        history.flush();
        if (!dao.all().equals(history.stateAfter(history.acknowledged()))) {
            throw new AssertionError(
                    ("found %s after the writes %s, and expected %s with durability=%s"
                                    .formatted(
                                            dao.all(),
                                            history.writes(),
                                            history.stateAfter(history.acknowledged()),
                                            options.durability()))
                            .replaceAll("[.]+", "."));
        }
    }
}
