package dht.peer.batch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.http.EntityRequest;
import dht.peer.PeerCall;
import dht.peer.TimeoutQueue;
import dht.testkit.allocation.AllocationLoader;
import dht.testkit.allocation.Allocations;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BatcherTest {
    private final AtomicLong nowNanos = new AtomicLong();
    private final TimeoutQueue slow =
            new TimeoutQueue(() -> {}, Batcher.PATIENCE_NANOS, 1_000, nowNanos::get);
    private final BlockingQueue<List<String>> sent = new LinkedBlockingQueue<>();
    private final BlockingQueue<Runnable> underWay = new LinkedBlockingQueue<>();
    private final AtomicBoolean sentUnderLock = new AtomicBoolean();

    private Batcher batcher(int sizeMax) {
        Batcher[] batcher = new Batcher[1];
        batcher[0] =
                new Batcher(
                        sizeMax,
                        slow,
                        (questions, ended) -> {
                            if (Thread.holdsLock(batcher[0])) {
                                sentUnderLock.set(true);
                            }
                            underWay.add(ended);
                            sent.add(questions.stream().map(BatcherTest::key).toList());
                        });
        return batcher[0];
    }

    /** The sender writes to a socket: meanwhile, other threads would wait for the lock. */
    @AfterEach
    void expectNoLockInTheSender() {
        assertThat(sentUnderLock).as("the sender was called under the lock").isFalse();
    }

    /** Ends the oldest message. */
    private void endOne() {
        underWay.remove().run();
    }

    private static String key(PeerCall question) {
        return new String(question.request().key(), UTF_8);
    }

    private static PeerCall question(String key) {
        return new PeerCall(null, new EntityRequest.Get(key.getBytes(UTF_8), null), 0, _ -> {});
    }

    @Test
    void question_forAnIdleNode_goesAtOnce() {
        Batcher batcher = batcher(10);
        batcher.add(question("a"));
        endOne();
        batcher.add(question("b"));
        assertThat(sent).containsExactly(List.of("a"), List.of("b"));
    }

    @Test
    void questions_forABusyNode_goTogetherWhenTheMessageHasEnded() {
        Batcher batcher = batcher(10);
        List.of("a", "b", "c").forEach(key -> batcher.add(question(key)));
        assertThat(sent).containsExactly(List.of("a"));
        assertThat(batcher.waitingCount()).isEqualTo(2);
        endOne();
        assertThat(sent).containsExactly(List.of("a"), List.of("b", "c"));
        assertThat(batcher.waitingCount()).isZero();
        batcher.add(question("d")); // That message is under way still.
        endOne();
        endOne();
        batcher.add(question("e"));
        assertThat(sent)
                .containsExactly(List.of("a"), List.of("b", "c"), List.of("d"), List.of("e"));
    }

    @Test
    void questions_thatAreEnough_waitForNone() {
        Batcher batcher = batcher(2);
        List.of("a", "b", "c", "d").forEach(key -> batcher.add(question(key)));
        assertThat(sent).containsExactly(List.of("a"), List.of("b", "c"));
        endOne(); // Another one is under way still.
        assertThat(sent).hasSize(2);
        endOne();
        assertThat(sent).containsExactly(List.of("a"), List.of("b", "c"), List.of("d"));
    }

    @Test
    void questions_ofAMessageEach_neverWait() {
        Batcher batcher = batcher(1);
        List.of("a", "b", "c").forEach(key -> batcher.add(question(key)));
        assertThat(sent).containsExactly(List.of("a"), List.of("b"), List.of("c"));
        assertThat(slow.runDue()).as("no message is watched").isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void message_thatHasEnded_isWatchedNoLonger() {
        Batcher batcher = batcher(10);
        batcher.add(question("a"));
        assertThat(slow.runDue()).isLessThan(Long.MAX_VALUE);
        endOne();
        assertThat(slow.runDue()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void questions_behindASlowMessage_goWithoutIt() {
        Batcher batcher = batcher(10);
        List.of("a", "b").forEach(key -> batcher.add(question(key)));
        nowNanos.set(Batcher.PATIENCE_NANOS);
        slow.runDue();
        assertThat(sent).containsExactly(List.of("a"), List.of("b"));
        sent.clear();
        endOne(); // The slow one, at last: that changes nothing.
        batcher.add(question("c"));
        assertThat(sent).isEmpty();
        endOne();
        assertThat(sent).containsExactly(List.of("c"));
    }

    /** Otherwise a node that cannot be reached would fill the stack with messages that fail. */
    @Test
    void message_thatEndsWhileItIsSent_letsTheSenderReturnFirst() {
        List<String> events = new ArrayList<>();
        Batcher[] batcher = new Batcher[1];
        batcher[0] =
                new Batcher(
                        10,
                        slow,
                        (questions, ended) -> {
                            String keys =
                                    questions.stream().map(BatcherTest::key).toList().toString();
                            events.add("begins " + keys);
                            if (keys.equals("[a]")) {
                                batcher[0].add(question("b"));
                            }
                            ended.run();
                            events.add("returns " + keys);
                        });
        batcher[0].add(question("a"));
        assertThat(events)
                .containsExactly("begins [a]", "returns [a]", "begins [b]", "returns [b]");
        assertThat(batcher[0].waitingCount()).isZero();
    }

    @Test
    void questions_ofManyThreads_goOnceEach() throws InterruptedException {
        int threadCount = 8;
        int count = 5_000;
        Batcher batcher = batcher(16);
        List<Thread> asking = new ArrayList<>();
        for (int thread = 0; thread < threadCount; thread++) {
            String name = thread + "-";
            asking.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (int i = 0; i < count; i++) {
                                            batcher.add(question(name + i));
                                        }
                                    }));
        }
        Set<String> asked = new HashSet<>();
        while (asked.size() < threadCount * count) {
            List<String> message = sent.poll(20, TimeUnit.SECONDS);
            assertThat(message)
                    .hasSizeBetween(1, 16)
                    .allSatisfy(key -> assertThat(asked.add(key)).isTrue());
            underWay.remove().run();
        }
        for (Thread each : asking) {
            each.join();
        }
        assertThat(sent).isEmpty();
        assertThat(batcher.waitingCount()).isZero();
    }

    /** Its caller could not help if there were no memory. */
    @Test
    void end_ofAMessage_allocatesNothing() {
        Runnable[] last = new Runnable[1];
        Batcher batcher = new Batcher(10, slow, (_, ended) -> last[0] = ended);
        int rounds = 1_000;
        bytesAllocatedByEnds(batcher, last, rounds); // Warm-up.
        assertThat(bytesAllocatedByEnds(batcher, last, rounds)).isLessThan(rounds);
    }

    private static long bytesAllocatedByEnds(Batcher batcher, Runnable[] last, int rounds) {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long bytes = 0;
        for (int i = 0; i < rounds; i++) {
            batcher.add(question("a"));
            batcher.add(question("b"));
            long before = threads.getCurrentThreadAllocatedBytes();
            last[0].run(); // Sends the question that waits.
            last[0].run(); // Nothing waits.
            bytes += threads.getCurrentThreadAllocatedBytes() - before;
        }
        return bytes;
    }

    @Test
    void question_withoutMemoryForIt_isNotTaken() throws Exception {
        new AllocationLoader(Batcher.class).newScenario(WithoutMemory.class).accept(0);
    }

    /** Adds a question while one allocation after the other fails. */
    static final class WithoutMemory implements LongConsumer {
        private static final int ALLOCATIONS_MAX = 100;

        @Override
        public void accept(long unused) {
            for (int busy = 0; busy <= 2; busy++) { // 2: with this question, enough are waiting.
                int skip = 0;
                while (!isTakenThough(skip, busy)) {
                    skip++;
                    assertThat(skip).isLessThan(ALLOCATIONS_MAX);
                }
                assertThat(skip).as("allocations that failed").isPositive();
            }
        }

        /**
         * Adds a question to a node, while one allocation fails.
         *
         * @param busy how many questions were added before
         */
        private static boolean isTakenThough(int skip, int busy) {
            List<String> sent = new ArrayList<>();
            Deque<Runnable> underWay = new ArrayDeque<>();
            Batcher.Sender sender =
                    (questions, ended) -> {
                        underWay.add(ended);
                        questions.forEach(each -> sent.add(key(each)));
                    };
            var slow = new TimeoutQueue(() -> {}, Batcher.PATIENCE_NANOS, 1_000, () -> 0);
            Batcher batcher = new Batcher(2, slow, sender);
            for (int i = 0; i < busy; i++) {
                batcher.add(question("earlier"));
            }
            PeerCall question = question("new");
            boolean isTaken = true;
            Allocations.fail(skip, 1);
            try {
                batcher.add(question);
            } catch (OutOfMemoryError e) {
                isTaken = false;
            } finally {
                Allocations.heal();
            }
            while (!underWay.isEmpty()) {
                underWay.remove().run();
            }
            assertThat(Collections.frequency(sent, "earlier")).isEqualTo(busy);
            assertThat(Collections.frequency(sent, "new")).as("sent").isEqualTo(isTaken ? 1 : 0);
            assertThat(batcher.waitingCount()).isZero();
            return isTaken;
        }
    }
}
