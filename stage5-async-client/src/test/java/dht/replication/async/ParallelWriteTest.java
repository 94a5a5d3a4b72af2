package dht.replication.async;

import static org.assertj.core.api.Assertions.assertThat;

import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import dht.peer.TimeoutQueue;
import dht.peer.TimeoutThread;
import dht.replication.CoordinatorContext;
import dht.replication.Healing;
import dht.replication.HybridLogicalClock;
import dht.replication.LocalReplica;
import dht.replication.Quorum;
import dht.replication.ReadAnswer;
import dht.replication.RegisterKind;
import dht.replication.Replica;
import dht.replication.ReplicaFailure;
import dht.replication.WriteAnswer;
import dht.replication.async.StubClient.Exchange;
import dht.testkit.concurrent.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests what a write keeps in memory for its remaining copies, and when it starts again with a new
 * stamp.
 */
@Timeout(60)
class ParallelWriteTest {
    private static final int PATIENCE_SECONDS = 20;
    private static final String TEN_BYTES = "0123456789";
    private static final String POOL_THREAD = "pool";
    private static final WriteAnswer STORED = WriteAnswer.Stored.INSTANCE;

    private final ExecutorService pool =
            Executors.newSingleThreadExecutor(Thread.ofPlatform().name(POOL_THREAD).factory());
    private final HybridLogicalClock clock =
            new HybridLogicalClock(InstantSource.system(), Duration.ofDays(1), 0);
    private final CoordinatorContext context =
            new CoordinatorContext(
                    3, clock, task -> pool.execute(task::run), TEN_BYTES.length(), Healing.NONE);
    private final MemoryBudget copyMemory = context.copyMemory();
    private final AtomicLong nowNanos = new AtomicLong();
    private final TimeoutQueue rechecks =
            new TimeoutQueue(() -> {}, ParallelWrite.RECHECK_DELAY.toNanos(), 1, nowNanos::get);
    private final TimeoutThread timeoutThread = new TimeoutThread("rechecks");
    private final Held first = new Held();
    private final Held second = new Held();
    private final Held third = new Held();
    private StubClient client;

    /** A question that the test answers, and the thread that asked it. */
    private record Question(long stamp, Thread asker, Consumer<WriteAnswer> receiver) {
        /** Runs everything on the calling thread. */
        void answer(WriteAnswer answer) {
            receiver.accept(answer);
        }
    }

    /** Answers when the test wants it. */
    private static final class Held implements Replica {
        private final BlockingQueue<Question> questions = new LinkedBlockingQueue<>();
        private final BlockingQueue<Question> stampQuestions = new LinkedBlockingQueue<>();
        private volatile boolean behind;
        private volatile boolean lacksMemory;
        private volatile long missedStamp; // Of the last write that was noted as missed.

        @Override
        public void read(EntityRequest.Get request, Consumer<ReadAnswer> receiver) {
            throw new AssertionError("nobody reads");
        }

        @Override
        public void write(EntityRequest request, long stamp, Consumer<WriteAnswer> receiver) {
            allocate();
            questions.add(new Question(stamp, Thread.currentThread(), receiver));
        }

        @Override
        public void noteMissed(EntityRequest write, long stamp) {
            missedStamp = stamp;
        }

        @Override
        public void findNewer(byte[] key, long stamp, Consumer<WriteAnswer> receiver) {
            stampQuestions.add(new Question(stamp, Thread.currentThread(), receiver));
        }

        @Override
        public boolean isBehind() {
            allocate();
            return behind;
        }

        private void allocate() {
            if (lacksMemory) {
                throw new OutOfMemoryError("made by the test");
            }
        }

        Question next() throws InterruptedException {
            Question question = questions.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertThat(question).as("it was not asked").isNotNull();
            return question;
        }
    }

    @BeforeEach
    void start() throws IOException {
        client = new StubClient();
    }

    @AfterEach
    void end() {
        client.close();
        pool.shutdownNow();
        timeoutThread.close();
    }

    private void afterRecheckDelay() {
        nowNanos.addAndGet(ParallelWrite.RECHECK_DELAY.toNanos());
        rechecks.runDue();
    }

    private boolean isRecheckPlanned() {
        return rechecks.runDue() != Long.MAX_VALUE;
    }

    /** A write to all three replicas; two must answer. */
    private Exchange begun() throws InterruptedException {
        return begun(first, second, third);
    }

    private Exchange begun(Replica... replicas) throws InterruptedException {
        Exchange put = client.put(TEN_BYTES);
        Quorum quorum = new Quorum(2, replicas.length);
        List<Replica> others = List.of(replicas);
        new ParallelWrite(put.request(), put.responder(), quorum, null, others, context, rechecks)
                .begin();
        return put;
    }

    /** A write to this node's own replica and two others; two must answer. */
    private Exchange begunWithOwn(Held own) throws InterruptedException {
        Exchange put = client.put(TEN_BYTES);
        var others = List.<Replica>of(second, third);
        new ParallelWrite(
                        put.request(),
                        put.responder(),
                        new Quorum(2, 3),
                        own,
                        others,
                        context,
                        rechecks)
                .begin();
        return put;
    }

    @Test
    void ownCopy_whenOthersHaveAcceptedTheClock_isMadeAtOnce() throws Exception {
        clock.noteAccepted(clock.nextMicros());
        Exchange put = begunWithOwn(first);
        Question own = first.next();
        assertThat(own.asker()).isSameAs(Thread.currentThread());
        own.answer(STORED);
        second.next().answer(STORED);
        assertThat(put.status()).isEqualTo(201);
        third.next().answer(STORED);
        assertAllMemoryIsBack();
    }

    @Test
    void ownCopy_untilAnotherReplicaAcceptsTheStamp_waitsAndIsThenMadeInThePool() throws Exception {
        Exchange put = begunWithOwn(first);
        assertThat(first.questions).isEmpty();
        second.next().answer(STORED);
        Question own = first.next();
        assertThat(own.asker().getName()).isEqualTo(POOL_THREAD);
        own.answer(STORED);
        assertThat(put.status()).isEqualTo(201);
        third.next().answer(STORED);
        assertAllMemoryIsBack();
    }

    @Test
    void ownCopy_underAStampThatOthersReject_isNotMade() throws Exception {
        Exchange put = begunWithOwn(first);
        second.next().answer(new WriteAnswer.Rejected(new ReplicaFailure("second", "rejects it")));
        third.next().answer(new WriteAnswer.Rejected(new ReplicaFailure("third", "rejects it")));
        assertThat(put.status()).isEqualTo(504);
        assertThat(first.questions).isEmpty();
        assertAllMemoryIsBack();
    }

    /** Otherwise another node would have a version that the node which gave the stamp lacks. */
    @Test
    void ownCopy_underAStampThatIsAcceptedAfterTheOutcome_isMade() throws Exception {
        Exchange put = client.put(TEN_BYTES);
        var others = List.<Replica>of(second, third);
        new ParallelWrite(
                        put.request(),
                        put.responder(),
                        new Quorum(3, 3),
                        first,
                        others,
                        context,
                        rechecks)
                .begin();
        second.next().answer(new WriteAnswer.Rejected(new ReplicaFailure("second", "rejects it")));
        assertThat(put.status()).isEqualTo(504);
        assertThat(first.questions).isEmpty();
        third.next().answer(STORED);
        first.next().answer(STORED);
        awaitPool();
        assertAllMemoryIsBack();
    }

    @Test
    void ownCopy_whenNoOtherReplicaCanBeAsked_isMade() throws Exception {
        WriteAnswer failed = new WriteAnswer.Failed(new ReplicaFailure("n", "is unreachable"));
        Exchange put = begunWithOwn(first);
        second.next().answer(failed);
        assertThat(first.questions).isEmpty();
        third.next().answer(failed);
        first.next().answer(STORED);
        assertThat(put.status()).isEqualTo(504);
        awaitPool();
        assertAllMemoryIsBack();
    }

    /** The last answer that it waits for may be one to the first round. */
    @Test
    void ownCopy_ofTheSecondRound_isMadeWhenTheFirstRoundIsAnsweredLast() throws Exception {
        WriteAnswer failed = new WriteAnswer.Failed(new ReplicaFailure("n", "made to fail"));
        Exchange put = begunWithOwn(first);
        second.next().answer(new WriteAnswer.Superseded(clock.nextMicros()));
        first.next().answer(STORED);
        Question ofFirstRound = third.next();
        second.next().answer(failed);
        third.next().answer(failed);
        assertThat(put.status()).isEqualTo(504);
        assertThat(first.questions).isEmpty();
        ofFirstRound.answer(STORED);
        first.next().answer(STORED);
        awaitPool();
        assertAllMemoryIsBack();
    }

    /** Until it has done what was given to it before. */
    private void awaitPool() throws Exception {
        pool.submit(() -> {}).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private void assertAllMemoryIsKept() {
        assertThat(copyMemory.tryTake(1)).as("some memory is left").isFalse();
    }

    private void assertAllMemoryIsBack() {
        assertThat(copyMemory.tryTake(TEN_BYTES.length())).as("all of it is back").isTrue();
        assertThat(copyMemory.tryTake(1)).as("more is there than was").isFalse();
    }

    static Stream<WriteAnswer> answers() {
        return Stream.of(
                STORED,
                new WriteAnswer.Superseded(1),
                new WriteAnswer.Failed(new ReplicaFailure("third", "made to fail")));
    }

    @ParameterizedTest
    @MethodSource("answers")
    void write_whoseRemainingCopyIsAnswered_givesItsMemoryBack(WriteAnswer late) throws Exception {
        Exchange put = begun();
        first.next().answer(STORED);
        second.next().answer(STORED);
        assertThat(put.status()).isEqualTo(201);
        assertAllMemoryIsKept();
        third.next().answer(late);
        assertAllMemoryIsBack();
    }

    @Test
    void write_begunAgain_keepsItsMemoryUntilBothRoundsAreAnswered() throws Exception {
        Exchange put = begun();
        first.next().answer(new WriteAnswer.Superseded(clock.nextMicros()));
        second.next().answer(STORED);
        first.next().answer(STORED);
        second.next().answer(STORED);
        assertThat(put.status()).isEqualTo(201);
        third.next().answer(STORED);
        assertAllMemoryIsKept();
        third.next().answer(STORED);
        assertAllMemoryIsBack();
    }

    /**
     * This version lost against a newer one, so it is not the version that the second round writes.
     */
    @Test
    void write_begunAgain_doesNotCountTheCopiesOfItsFirstRound() throws Exception {
        Exchange put = begun();
        first.next().answer(new WriteAnswer.Superseded(clock.nextMicros()));
        second.next().answer(STORED);
        Question again = first.next();
        third.next().answer(STORED); // To the first round.
        again.answer(STORED);
        assertThat(context.counts().writeCount()).as("answered for one copy").isZero();
        second.next().answer(STORED);
        assertThat(put.status()).isEqualTo(201);
        third.next().answer(STORED);
        assertAllMemoryIsBack();
    }

    @Test
    void write_thatAllReplicasHaveStored_isAnsweredOnce() throws Exception {
        Exchange put = begun();
        for (Held replica : List.of(first, second, third)) {
            replica.next().answer(STORED);
        }
        assertThat(put.status()).isEqualTo(201);
        assertThat(context.counts().writeCount()).isEqualTo(1);
    }

    @Test
    void write_thatWaitedForAReplicaWhichWasBehind_isAnsweredOnce() throws Exception {
        Held asleep = new Held();
        third.behind = true;
        Exchange put = begun(first, second, third, asleep);
        for (Held replica : List.of(first, second, third)) {
            replica.next().answer(STORED);
        }
        assertThat(context.counts().writeCount()).isEqualTo(1);
        asleep.next().answer(STORED);
        assertThat(context.counts().writeCount()).as("answers to one client").isEqualTo(1);
        assertThat(put.status()).isEqualTo(201);
        assertAllMemoryIsBack();
    }

    @Test
    void write_thatWaitedForMemory_isAnsweredOnce() throws Exception {
        Held fourth = new Held();
        assertThat(copyMemory.tryTake(TEN_BYTES.length())).isTrue();
        Exchange put = begun(first, second, third, fourth);
        first.next().answer(STORED);
        second.next().answer(STORED);
        assertThat(context.counts().writeCount()).isZero();
        copyMemory.giveBack(TEN_BYTES.length());
        third.next().answer(STORED);
        assertThat(context.counts().writeCount()).isEqualTo(1);
        fourth.next().answer(STORED);
        assertThat(context.counts().writeCount()).as("answers to one client").isEqualTo(1);
        assertThat(put.status()).isEqualTo(201);
        assertAllMemoryIsBack();
    }

    @Test
    void write_toAReplicaThatIsBehind_waitsForIt() throws Exception {
        third.behind = true;
        Exchange put = begun();
        first.next().answer(STORED);
        second.next().answer(STORED);
        assertThat(context.counts().writeCount()).isZero();
        third.next().answer(STORED);
        assertThat(put.status()).isEqualTo(201);
        assertAllMemoryIsBack();
    }

    /** The third node may not answer, and the write must not wait for it. */
    @Test
    void write_thatAReplicaWhichIsBehindHasAnswered_isAnsweredWithoutTheOthers() throws Exception {
        second.behind = true;
        Exchange put = begun();
        first.next().answer(STORED);
        second.next().answer(STORED);
        assertThat(put.status()).isEqualTo(201);
        assertAllMemoryIsKept();
        third.next().answer(STORED);
        assertAllMemoryIsBack();
    }

    @Test
    void write_thatWaitedForAReplicaWhichWasBehind_isAnsweredWithoutTheOthers() throws Exception {
        Held asleep = new Held();
        third.behind = true;
        Exchange put = begun(first, second, third, asleep);
        first.next().answer(STORED);
        second.next().answer(STORED);
        assertThat(context.counts().writeCount()).isZero();
        third.next().answer(STORED);
        assertThat(put.status()).isEqualTo(201);
        assertAllMemoryIsKept();
        asleep.next().answer(STORED);
        assertAllMemoryIsBack();
    }

    /** A node that is paused while it is behind does not hold up the clients of others. */
    @Test
    void write_toAReplicaThatIsNoLongerBehind_isAnsweredThoughNoAnswerArrives() throws Exception {
        third.behind = true;
        Exchange put = begun();
        first.next().answer(STORED);
        second.next().answer(STORED);
        afterRecheckDelay();
        assertThat(context.counts().writeCount()).as("it is still behind").isZero();
        third.behind = false;
        rechecks.runDue();
        assertThat(context.counts().writeCount()).as("it was not time for a check").isZero();
        afterRecheckDelay();
        assertThat(put.status()).isEqualTo(201);
        assertThat(isRecheckPlanned()).as("nothing waits").isFalse();
        assertAllMemoryIsKept();
        third.next().answer(STORED);
        assertThat(context.counts().writeCount()).isEqualTo(1);
        assertAllMemoryIsBack();
    }

    @Test
    void write_thatWaitsForMemory_isAnsweredWhenThereIsSome() throws Exception {
        assertThat(copyMemory.tryTake(TEN_BYTES.length())).isTrue();
        Exchange put = begun();
        WriteAnswer failed = new WriteAnswer.Failed(new ReplicaFailure("n", "made to fail"));
        first.next().answer(failed);
        second.next().answer(failed);
        afterRecheckDelay();
        assertThat(context.counts().tooFewCount()).isZero();
        copyMemory.giveBack(TEN_BYTES.length());
        afterRecheckDelay();
        assertThat(put.status()).isEqualTo(504);
        assertAllMemoryIsKept();
        third.next().answer(STORED);
        assertAllMemoryIsBack();
    }

    @Test
    void write_thatWaitedAndIsAnswered_isNotCheckedAgain() throws Exception {
        third.behind = true;
        Exchange put = begun();
        first.next().answer(STORED);
        second.next().answer(STORED);
        assertThat(isRecheckPlanned()).isTrue();
        third.next().answer(STORED);
        assertThat(put.status()).isEqualTo(201);
        assertThat(isRecheckPlanned()).isFalse();
        assertAllMemoryIsBack();
    }

    @Test
    void write_thatNeverWaits_isNotCheckedAgain() throws Exception {
        Exchange put = begun();
        first.next().answer(STORED);
        second.next().answer(STORED);
        assertThat(put.status()).isEqualTo(201);
        assertThat(isRecheckPlanned()).isFalse();
        third.next().answer(STORED);
    }

    @Test
    void write_thatCannotBeChecked_isCheckedLater() throws Exception {
        third.behind = true;
        Exchange put = begun();
        first.next().answer(STORED);
        second.next().answer(STORED);
        third.lacksMemory = true; // It cannot say whether it is behind.
        afterRecheckDelay();
        assertThat(context.counts().writeCount()).isZero();
        third.lacksMemory = false;
        third.behind = false;
        afterRecheckDelay();
        assertThat(put.status()).isEqualTo(201);
        third.next().answer(STORED);
        assertAllMemoryIsBack();
    }

    @Test
    void write_thatHasFailed_waitsForNobody() throws Exception {
        third.behind = true;
        Exchange put = begun();
        WriteAnswer failed = new WriteAnswer.Failed(new ReplicaFailure("n", "made to fail"));
        first.next().answer(failed);
        second.next().answer(failed);
        assertThat(put.status()).isEqualTo(504);
        third.next().answer(STORED);
        assertAllMemoryIsBack();
    }

    /**
     * Must not run on the thread that delivers an answer, which may be a thread of this node's
     * storage.
     */
    @Test
    void write_thatMeetsANewerVersion_asksAgainOnAThreadOfThePool() throws Exception {
        long newerMicros = clock.nextMicros() + 1_000_000;
        Exchange put = begun();
        clock.observe(newerMicros); // As the replica does that takes the answer.
        first.next().answer(new WriteAnswer.Superseded(newerMicros));
        second.next().answer(STORED);
        assertThat(third.next().asker()).isSameAs(Thread.currentThread());
        for (Held replica : List.of(first, second, third)) {
            Question again = replica.next();
            assertThat(again.asker().getName()).isEqualTo(POOL_THREAD);
            assertThat(again.stamp()).isGreaterThan(newerMicros);
            again.answer(STORED);
        }
        assertThat(put.status()).isEqualTo(201);
    }

    /** Otherwise the write would wait for answers that never come. */
    @Test
    void write_whoseReplicasCannotBeAsked_fails() throws Exception {
        first.lacksMemory = true;
        second.lacksMemory = true;
        Exchange put = begun();
        assertThat(put.status()).isEqualTo(504);
        Question last = third.next();
        last.answer(STORED);
        assertAllMemoryIsBack();
        // Otherwise they would lack the write until both nodes are compared.
        assertThat(List.of(first.missedStamp, second.missedStamp)).containsOnly(last.stamp());
        assertThat(third.missedStamp).isZero();
    }

    @Test
    void write_whoseAnswerCannotBeCounted_failsAtOnce() throws Exception {
        Exchange put = begun();
        first.next().answer(STORED);
        third.lacksMemory = true; // It cannot say whether it is behind.
        second.next().answer(STORED);
        assertThat(put.status()).isEqualTo(503);
        third.next().answer(STORED);
        assertThat(context.counts().writeCount()).isZero();
        assertAllMemoryIsBack();
    }

    @Test
    void write_thatWaitsAndWhoseAnswerCannotBeCounted_isNotAnsweredAgain() throws Exception {
        Held fourth = new Held();
        third.behind = true;
        Exchange put = begun(first, second, third, fourth);
        first.next().answer(STORED);
        second.next().answer(STORED);
        third.lacksMemory = true; // It cannot say whether it is behind.
        fourth.next().answer(STORED);
        assertThat(put.status()).isEqualTo(503);
        third.next().answer(STORED);
        assertThat(context.counts().writeCount()).isZero();
        assertAllMemoryIsBack();
    }

    @Test
    void write_thatCannotBeSentAgain_fails() throws Exception {
        pool.shutdown();
        Exchange put = begun();
        first.next().answer(new WriteAnswer.Superseded(clock.nextMicros()));
        second.next().answer(STORED);
        assertThat(put.status()).isEqualTo(500);
        assertThat(context.counts().restampedCount()).isOne();
        third.next().answer(STORED);
        assertAllMemoryIsBack();
    }

    @Test
    void ownCopy_thatCannotBeMade_isMissing() throws Exception {
        pool.shutdown();
        Exchange put = begunWithOwn(first);
        second.next().answer(STORED);
        third.next().answer(new WriteAnswer.Failed(new ReplicaFailure("third", "made to fail")));
        assertThat(put.status()).isEqualTo(504);
        assertThat(first.questions).isEmpty();
        assertAllMemoryIsBack();
    }

    private Exchange begun(RegisterKind kind, Quorum quorum, Replica... holders)
            throws InterruptedException {
        Exchange put = client.put(TEN_BYTES);
        new ParallelFanOut(context, Optional.empty(), timeoutThread)
                .write(put.request(), put.responder(), quorum, kind, List.of(holders));
        return put;
    }

    /** Its stamp is greater than those that a quorum knew. A newer version is a later write. */
    @Test
    void atomicWrite_thatMeetsANewerVersion_isNotSentAgain() throws Exception {
        Exchange put = begun(RegisterKind.ATOMIC, new Quorum(2, 3), first, second, third);
        first.stampQuestions.remove().answer(STORED);
        assertThat(first.questions).isEmpty();
        second.stampQuestions.remove().answer(STORED);
        first.next().answer(new WriteAnswer.Superseded(clock.nextMicros()));
        second.next().answer(STORED);
        assertThat(put.status()).isEqualTo(201);
        third.next().answer(STORED);
        assertThat(context.counts().restampedCount()).isZero();
        assertAllMemoryIsBack();
    }

    /** No other node could accept the stamp. */
    @Test
    void ownCopy_whenNoOtherNodeHasOne_isMadeAtOnce() throws Exception {
        var withoutStorage = new LocalReplica(null, null, "http://self", () -> {});
        Exchange put = begun(RegisterKind.REGULAR, new Quorum(1, 1), withoutStorage);
        assertThat(put.status()).isEqualTo(500);
        assertThat(withoutStorage.missedCount()).isOne();
        assertThat(context.counts().tooFewCount()).isOne();
    }

    @Test
    void ownCopy_ofAWriteToSeveralNodes_waitsUntilAnotherOneAcceptsTheStamp() throws Exception {
        var withoutStorage = new LocalReplica(null, null, "http://self", () -> {});
        Exchange put = begun(RegisterKind.REGULAR, new Quorum(2, 3), withoutStorage, second, third);
        assertThat(withoutStorage.missedCount()).as("it was written to").isZero();
        second.next().answer(STORED);
        third.next().answer(STORED);
        assertThat(put.status()).isEqualTo(201);
        Deadline.in(Duration.ofSeconds(PATIENCE_SECONDS))
                .await("it was written to", () -> withoutStorage.missedCount() == 1);
    }
}
