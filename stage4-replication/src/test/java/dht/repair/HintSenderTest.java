package dht.repair;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.http.EntityRequest;
import dht.replication.ReadAnswer;
import dht.replication.Replica;
import dht.replication.ReplicaFailure;
import dht.replication.WriteAnswer;
import dht.storage.file.LocalDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests when a hint is sent, and what happens to hints that are not stored. */
@Timeout(60)
class HintSenderTest {
    private static final WriteAnswer FAILED =
            new WriteAnswer.Failed(new ReplicaFailure("http://n:1", "is down"));
    private static final WriteAnswer REJECTED =
            new WriteAnswer.Rejected(new ReplicaFailure("http://n:1", "too far ahead"));
    private static final long NOW_MILLIS = 1_000_000;
    private static final long FRESH_MICROS = NOW_MILLIS * 1000;

    @TempDir private Path directory;
    private final RepairCounts counts = new RepairCounts();
    private final BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
    private final AtomicInteger looksWhileBehind = new AtomicInteger();
    private final AtomicInteger turns = new AtomicInteger();
    private volatile int looksUntilItHasCaughtUp;
    private HintQueue queue;
    private HintSender sender;

    /** A write that waits for the test to answer it. */
    private record Asked(String key, long stamp, Consumer<WriteAnswer> receiver) {}

    private final Replica replica =
            new Replica() {
                @Override
                public void read(EntityRequest.Get request, Consumer<ReadAnswer> receiver) {
                    throw new AssertionError("nobody reads");
                }

                @Override
                public void write(
                        EntityRequest request, long stamp, Consumer<WriteAnswer> receiver) {
                    asked.add(new Asked(new String(request.key(), UTF_8), stamp, receiver));
                }

                @Override
                public boolean isBehind() {
                    boolean isBehind = looksUntilItHasCaughtUp > looksWhileBehind.get();
                    if (isBehind) {
                        looksWhileBehind.incrementAndGet();
                    }
                    return isBehind;
                }

                @Override
                public void noteMissed(EntityRequest write, long stamp) {
                    throw new AssertionError("nothing is missed");
                }

                @Override
                public void findNewer(byte[] key, long stamp, Consumer<WriteAnswer> receiver) {
                    throw new AssertionError("nobody asks for stamps");
                }
            };

    @BeforeEach
    void open() throws IOException {
        queue = HintQueue.open(LocalDirectory.open(directory), new DiskBudget(1 << 20), counts);
        sender =
                new HintSender(
                        "n",
                        queue,
                        replica,
                        Duration.ofSeconds(1),
                        () -> Instant.ofEpochMilli(NOW_MILLIS),
                        Duration.ofMillis(1),
                        new RateLimiter(1_000_000, this::nanoTimeOfATurn),
                        counts);
        sender.start();
    }

    /** A rate limiter reads the clock once when it is made, and once for each turn. */
    private long nanoTimeOfATurn() {
        turns.incrementAndGet();
        return System.nanoTime();
    }

    @AfterEach
    void close() {
        sender.close();
        queue.close();
    }

    private void add(String key, long stamp) {
        queue.add(key.getBytes(UTF_8), null, stamp);
    }

    private Asked next() throws InterruptedException {
        Asked next = asked.poll(20, TimeUnit.SECONDS);
        assertThat(next).isNotNull();
        return next;
    }

    @Test
    void hints_ofANodeThatAnswers_comeOneByOneInOrder() throws Exception {
        add("a", FRESH_MICROS);
        add("b", FRESH_MICROS + 1);
        Asked first = next();
        assertThat(first.key()).isEqualTo("a");
        assertThat(first.stamp()).isEqualTo(FRESH_MICROS);
        assertThat(asked).isEmpty();
        first.receiver().accept(WriteAnswer.Stored.INSTANCE);
        Asked second = next();
        assertThat(second.key()).isEqualTo("b");
        assertThat(queue.count()).isEqualTo(1);
        second.receiver().accept(new WriteAnswer.Superseded(FRESH_MICROS + 2));
        add("c", FRESH_MICROS);
        assertThat(next().key()).isEqualTo("c");
        assertThat(counts.hintDeliveredCount()).isEqualTo(2);
    }

    @Test
    void hint_thatIsNotTaken_isTriedAgainBeforeTheNext() throws Exception {
        add("a", FRESH_MICROS);
        add("b", FRESH_MICROS);
        for (int i = 0; i < 3; i++) {
            Asked again = next();
            assertThat(again.key()).isEqualTo("a");
            again.receiver().accept(FAILED);
        }
        next().receiver().accept(WriteAnswer.Stored.INSTANCE);
        assertThat(next().key()).isEqualTo("b");
    }

    @Test
    void hint_forANodeThatIsBehind_waitsUntilItHasCaughtUp() throws Exception {
        looksUntilItHasCaughtUp = 3;
        add("a", FRESH_MICROS);
        next().receiver().accept(WriteAnswer.Stored.INSTANCE);
        assertThat(looksWhileBehind).hasValue(3);
    }

    /** Otherwise a node that returns would get all its hints at once. */
    @Test
    void hints_eachTakeATurnOfTheRateLimiter() throws Exception {
        int turnsBefore = turns.get();
        for (int i = 1; i <= 5; i++) {
            add("a", FRESH_MICROS);
            Asked asked = next();
            assertThat(turns.get() - turnsBefore).as("turns for %d hints", i).isEqualTo(i);
            asked.receiver().accept(WriteAnswer.Stored.INSTANCE);
        }
    }

    @Test
    void hint_thatIsTooOld_isDroppedAndCounted() throws Exception {
        add("old", FRESH_MICROS - 1_000_001);
        add("young", FRESH_MICROS - 1_000_000);
        assertThat(next().key()).isEqualTo("young");
        assertThat(counts.hintExpiredCount()).isEqualTo(1);
    }

    @Test
    void hint_whoseStampIsNotAccepted_isDroppedAndCounted() throws Exception {
        add("a", FRESH_MICROS);
        add("b", FRESH_MICROS);
        next().receiver().accept(REJECTED);
        assertThat(next().key()).isEqualTo("b");
        assertThat(counts.hintRejectedCount()).isEqualTo(1);
    }

    /** The node was down when the write came, and has a version from a clock far ahead. */
    @Test
    void hint_thatIsStoredButHidden_isDelivered() throws Exception {
        add("a", FRESH_MICROS);
        add("b", FRESH_MICROS);
        ReplicaFailure hidden = new ReplicaFailure("http://n:1", "holds a newer version");
        next().receiver().accept(new WriteAnswer.Failed(hidden, true));
        assertThat(next().key()).isEqualTo("b");
        assertThat(counts.hintDeliveredCount()).isEqualTo(1);
    }

    @Test
    void hint_whileItIsOnItsWayAtTheEnd_isThereStill() throws Exception {
        add("a", FRESH_MICROS);
        next();
        sender.close();
        queue.close();
        queue = HintQueue.open(LocalDirectory.open(directory), new DiskBudget(1 << 20), counts);
        assertThat(queue.count()).isEqualTo(1);
    }
}
