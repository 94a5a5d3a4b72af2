package dht.repair;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.replication.Replica;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the queue of keys that wait for their repair. */
@Timeout(60)
class ReadRepairTest {
    private final RepairCounts counts = new RepairCounts();
    private final BlockingQueue<String> repaired = new LinkedBlockingQueue<>();
    private final AtomicInteger turns = new AtomicInteger();
    private volatile boolean isOutOfMemory;

    private final ReadRepair repair =
            new ReadRepair(
                    new KeyRepair(
                            this::holders, 3, Duration.ofDays(1), InstantSource.system(), counts),
                    new RateLimiter(1_000_000, this::nanoTimeOfATurn),
                    counts);

    private List<Replica> holders(byte[] key, int from) {
        if (isOutOfMemory) {
            isOutOfMemory = false;
            throw new OutOfMemoryError("made by the test");
        }
        repaired.add(new String(key, UTF_8) + " of " + from);
        return List.of();
    }

    /** A rate limiter reads the clock once when it is made, and once for each turn. */
    private long nanoTimeOfATurn() {
        turns.incrementAndGet();
        return System.nanoTime();
    }

    private void add(String key) {
        repair.add(key.getBytes(UTF_8), 3);
    }

    private String next() throws InterruptedException {
        return repaired.poll(20, TimeUnit.SECONDS);
    }

    @AfterEach
    void close() {
        repair.close();
    }

    @Test
    void keys_inTheirOrder_areRepairedOnceEach() throws InterruptedException {
        add("a");
        add("b");
        add("a");
        add("c");
        assertThat(repair.waitingCount()).isEqualTo(3);
        repair.start();
        assertThat(List.of(next(), next(), next())).containsExactly("a of 3", "b of 3", "c of 3");
        add("a");
        assertThat(next()).isEqualTo("a of 3");
        assertThat(repaired).isEmpty();
    }

    @Test
    void keys_eachTakeATurnOfTheRateLimiter() throws InterruptedException {
        int turnsBefore = turns.get();
        add("a");
        add("b");
        repair.start();
        next();
        next();
        assertThat(turns.get() - turnsBefore).isEqualTo(2);
    }

    /** The write that made the difference may be about to end. */
    @Test
    void key_thatIsAdded_staysAloneForAMoment() throws InterruptedException {
        repair.start();
        long addedNanos = System.nanoTime();
        add("a");
        next();
        assertThat(System.nanoTime() - addedNanos)
                .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(50));
    }

    @Test
    void keys_beyondWhatMayWait_areDroppedAndCounted() {
        for (int i = 0; i < ReadRepair.WAITING_MAX + 5; i++) {
            add("key" + i);
        }
        assertThat(repair.waitingCount()).isEqualTo(ReadRepair.WAITING_MAX);
        assertThat(counts.readRepairDroppedCount()).isEqualTo(5);
        add("key0");
        assertThat(counts.readRepairDroppedCount()).as("it waits already").isEqualTo(5);
        repair.start();
    }

    @Test
    void repair_afterOneThatHadNoMemory_goesOn() throws InterruptedException {
        isOutOfMemory = true;
        repair.start();
        add("a");
        add("b");
        assertThat(next()).isEqualTo("b of 3");
    }
}
