package dht.repair;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.file.LocalDirectory;
import dht.testkit.allocation.Allocations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * One random schedule of a queue of hints that runs out of memory and is reopened from time to
 * time. The hints that it has counted as stored must come out once and in order. The bytes taken
 * from the budget must be exactly those of the stored hints.
 */
final class HintSchedule implements LongConsumer {
    private static final int STEPS = 200;
    private static final long BYTES_MAX = 64 << 20;

    /** So that a file is full now and then. */
    private static final int REPETITIONS_MAX = 80_000;

    private final Deque<String> expected = new ArrayDeque<>();
    private SplittableRandom random;
    private Path path;
    private RepairCounts counts;
    private DiskBudget budget;
    private HintQueue queue;
    private int next;

    @Override
    public void accept(long seed) {
        Allocations.heal();
        random = new SplittableRandom(seed);
        expected.clear();
        try {
            path = Files.createTempDirectory("hints");
            run();
            deleteAll();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            Allocations.heal();
        }
    }

    private void run() throws IOException, InterruptedException {
        open();
        for (int i = 0; i < STEPS; i++) {
            Allocations.fail(random.nextInt(40), random.nextInt(1, 4));
            int kind = random.nextInt(100);
            if (kind < 60) {
                add();
            } else if (kind < 97) {
                take();
            } else {
                reopen();
            }
        }
        Allocations.heal();
        checkAll();
        queue.close();
        open();
        skipDelivered();
        checkAll();
        queue.close();
    }

    private void open() throws IOException {
        Allocations.heal();
        counts = new RepairCounts();
        budget = new DiskBudget(BYTES_MAX);
        queue = HintQueue.open(LocalDirectory.open(path), budget, counts);
    }

    /** What fails to open leaves the directory as it was, unlocked. */
    private void reopen() throws IOException, InterruptedException {
        Allocations.heal();
        queue.close();
        counts = new RepairCounts();
        budget = new DiskBudget(BYTES_MAX);
        LocalDirectory directory = LocalDirectory.open(path);
        Allocations.fail(random.nextInt(100), 1);
        try {
            queue = HintQueue.open(directory, budget, counts);
        } catch (OutOfMemoryError _) {
            open();
        }
        Allocations.heal();
        skipDelivered();
    }

    /** What was delivered from a file that has others left comes again. */
    private void skipDelivered() throws InterruptedException {
        assertThat(queue.count()).isGreaterThanOrEqualTo(expected.size());
        while (queue.count() > expected.size()) {
            queue.awaitOldest();
            queue.removeOldest();
        }
    }

    private void add() {
        String value = (next++ + "-").repeat(random.nextInt(1, REPETITIONS_MAX));
        byte[] key = ("key" + next).getBytes(UTF_8);
        MemorySegment bytes = MemorySegment.ofArray(value.getBytes(UTF_8));
        long before = counts.hintStoredCount();
        queue.add(key, bytes, next);
        if (counts.hintStoredCount() > before) {
            expected.add(value);
        }
    }

    private void take() throws InterruptedException {
        if (expected.isEmpty()) {
            return;
        }
        try {
            Copy oldest = queue.awaitOldest();
            expectOldest(oldest);
            queue.removeOldest();
            expected.remove();
        } catch (OutOfMemoryError _) {
            // It is there still.
        }
    }

    private void expectOldest(Copy oldest) {
        Allocations.heal();
        assertThat(new String(oldest.value().toArray(), UTF_8)).isEqualTo(expected.peek());
    }

    private void checkAll() throws InterruptedException {
        assertThat(queue.count()).isEqualTo(expected.size());
        assertThat(budget.takenBytes() > 0).isEqualTo(!expected.isEmpty());
        if (!expected.isEmpty()) {
            expectOldest(queue.awaitOldest());
        }
    }

    private void deleteAll() throws IOException {
        try (Stream<Path> files = Files.list(path)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(path);
    }
}
