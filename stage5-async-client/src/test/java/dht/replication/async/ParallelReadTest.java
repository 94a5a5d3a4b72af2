package dht.replication.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import dht.peer.TimeoutThread;
import dht.replication.CoordinatorContext;
import dht.replication.Healing;
import dht.replication.LocalReplica;
import dht.replication.Quorum;
import dht.replication.ReadAnswer;
import dht.replication.RegisterKind;
import dht.replication.Replica;
import dht.replication.ReplicaFailure;
import dht.replication.ReplicationCounts;
import dht.replication.WriteAnswer;
import dht.replication.async.StubClient.Exchange;
import dht.storage.ReadOutcome;
import dht.storage.ReadOutcome.Hold;
import dht.storage.StorageException;
import dht.testkit.concurrent.Deadline;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ParallelReadTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final ReadAnswer ABSENT = new ReadAnswer.Looked(ReadOutcome.Absent.INSTANCE);

    private static final ReadAnswer FAILED =
            new ReadAnswer.Failed(new ReplicaFailure("http://slow", "refused"));

    /** For example, there is no memory to free what the version has kept. */
    private static final Hold BROKEN =
            () -> {
                throw new OutOfMemoryError("made by the test");
            };

    private final TimeoutThread thread = new TimeoutThread("hedges");
    private final Hedges hedges = new Hedges(95, thread);
    private final Held slow = new Held();
    private final Held prompt = new Held();
    private final Held silent = new Held();

    private final List<Replica> replicas = List.of(slow, prompt, silent);
    private final AtomicInteger divided = new AtomicInteger();
    private final Healing healing =
            new Healing() {
                @Override
                public void missed(NodeAddress node, EntityRequest write, long stamp) {
                    throw new AssertionError("nobody writes");
                }

                @Override
                public void divided(byte[] key, int from) {
                    divided.incrementAndGet();
                }
            };
    private MemoryBudget copyMemory;
    private ReplicationCounts counts; // Of the read that was begun last for a client.

    /** A version that is written back. */
    private record Write(EntityRequest request, long stamp, Consumer<WriteAnswer> receiver) {}

    /** Answers when the test wants it. */
    private static final class Held implements Replica {
        private final Deque<Write> writes = new ArrayDeque<>();
        private volatile Consumer<ReadAnswer> receiver;
        private volatile ParallelRead asker; // The read whose lock is checked; null: none.
        private volatile boolean askedUnderLock;
        private boolean lacksMemory;

        private void noteLock() {
            if (asker != null && Thread.holdsLock(asker)) {
                askedUnderLock = true;
            }
        }

        @Override
        public void read(EntityRequest.Get request, Consumer<ReadAnswer> to) {
            noteLock();
            if (lacksMemory) {
                throw new OutOfMemoryError("made by the test");
            }
            receiver = to;
        }

        @Override
        public void write(EntityRequest request, long stamp, Consumer<WriteAnswer> to) {
            noteLock();
            if (lacksMemory) {
                throw new OutOfMemoryError("made by the test");
            }
            writes.add(new Write(request, stamp, to));
        }

        @Override
        public void noteMissed(EntityRequest write, long stamp) {
            throw new AssertionError("nothing is missed");
        }

        @Override
        public void findNewer(byte[] key, long stamp, Consumer<WriteAnswer> to) {
            throw new AssertionError("nobody asks for stamps");
        }
    }

    @AfterEach
    void end() {
        thread.close();
    }

    /** Asking a replica may mean to write to a socket. */
    @AfterEach
    void expectNoLockWhileReplicasAreAsked() {
        for (Held replica : List.of(slow, prompt, silent)) {
            assertThat(replica.askedUnderLock).as("a replica was asked under the lock").isFalse();
        }
    }

    /** The delay of a hedge, which the next latency shortens or lengthens, however long it is. */
    private double delayBelowTheLongest() {
        hedges.answered(prompt, false, 0);
        return hedges.delaySeconds();
    }

    /** A request that is never decided, because one of three replicas does not answer. */
    private ParallelRead begun() {
        var request = new EntityRequest.Get(new byte[] {1}, null);
        var read =
                new ParallelRead(
                        request,
                        null,
                        new Quorum(3, 3),
                        RegisterKind.REGULAR,
                        replicas,
                        null,
                        hedges);
        read.begin();
        return read;
    }

    @Test
    void replica_whoseAnswersComeAtLast_isAskedLastNevertheless() {
        for (int i = 0; i < 3; i++) {
            ParallelRead read = begun();
            prompt.receiver.accept(ABSENT);
            read.expire();
            slow.receiver.accept(ABSENT);
        }
        assertThat(hedges.inOrder(replicas)).containsExactly(prompt, slow, silent);
    }

    @Test
    void replica_whoseAnswerComesLate_isMeasured() {
        double before = delayBelowTheLongest();
        ParallelRead read = begun();
        read.expire();
        prompt.receiver.accept(ABSENT);
        assertThat(hedges.delaySeconds()).isNotEqualTo(before);
    }

    @Test
    void version_thatComesWhenTheReadIsDecided_isClosed() throws Exception {
        AtomicInteger closed = new AtomicInteger();
        var version = new ReadOutcome.Found(MemorySegment.NULL, 1, closed::incrementAndGet);
        try (StubClient client = new StubClient()) {
            Exchange get = sentToAll(client);
            prompt.receiver.accept(ABSENT);
            silent.receiver.accept(ABSENT);
            assertThat(get.status()).isEqualTo(404);
            slow.receiver.accept(new ReadAnswer.Looked(version));
        }
        assertThat(closed).hasValue(1);
    }

    /** Only the replica that failed may have missed the write. */
    @Test
    void key_whoseLaterAnswerDiffers_isHealed() throws Exception {
        try (StubClient client = new StubClient()) {
            Exchange get = sentToAll(client);
            prompt.receiver.accept(ABSENT);
            silent.receiver.accept(ABSENT);
            assertThat(get.status()).isEqualTo(404);
            assertThat(divided).hasValue(0);
            slow.receiver.accept(new ReadAnswer.Looked(new ReadOutcome.Deleted(1)));
        }
        assertThat(divided).hasValue(1);
    }

    @Test
    void key_whoseAnswersDiffer_isHealedOnce() throws Exception {
        try (StubClient client = new StubClient()) {
            Exchange get = sentToAll(client);
            prompt.receiver.accept(ABSENT);
            assertThat(divided).hasValue(0);
            silent.receiver.accept(new ReadAnswer.Looked(new ReadOutcome.Deleted(1)));
            assertThat(get.status()).isEqualTo(404);
            assertThat(divided).hasValue(1);
            slow.receiver.accept(new ReadAnswer.Looked(new ReadOutcome.Deleted(2)));
        }
        assertThat(divided).hasValue(1);
    }

    @Test
    void hedge_ofAReadThatHasAskedAll_isNotCounted() throws Exception {
        try (StubClient client = new StubClient()) {
            Exchange get = client.get();
            ParallelRead read = begun(get);
            slow.receiver.accept(FAILED); // So the third one is asked in its place.
            read.expire();
            assertThat(hedges.hedgedCount()).isZero();
            prompt.receiver.accept(ABSENT);
            silent.receiver.accept(ABSENT);
            assertThat(get.status()).isEqualTo(404);
        }
    }

    /** Otherwise the read would wait for an answer that never comes. */
    @Test
    void hedge_thatCannotBeSent_countsAsAFailedReplica() throws Exception {
        try (StubClient client = new StubClient()) {
            silent.lacksMemory = true;
            Exchange get = client.get();
            begun(get).expire();
            slow.receiver.accept(FAILED);
            assertThat(get.status()).isEqualTo(504);
            prompt.receiver.accept(ABSENT);
        }
        assertThat(counts.tooFewCount()).isEqualTo(1);
    }

    @Test
    void replica_whoseAnswerComesAfterTheDecision_isNotPrompt() throws Exception {
        hedges.overdue(silent);
        hedges.overdue(silent);
        try (StubClient client = new StubClient()) {
            Exchange get = sentToAll(client);
            prompt.receiver.accept(ABSENT);
            slow.receiver.accept(ABSENT);
            assertThat(get.status()).isEqualTo(404);
            silent.receiver.accept(ABSENT);
        }
        hedges.overdue(silent);
        assertThat(hedges.inOrder(List.of(silent, prompt)))
                .as("slow three times, and never prompt in between")
                .containsExactly(prompt, silent);
    }

    @Test
    void read_thatTwoMustAnswer_waitsForTheSecondAndIsAnsweredOnce() throws Exception {
        try (StubClient client = new StubClient()) {
            Exchange get = sentToAll(client);
            slow.receiver.accept(ABSENT);
            assertThat(counts.readCount()).as("answered after one of two").isZero();
            prompt.receiver.accept(ABSENT);
            assertThat(get.status()).isEqualTo(404);
            silent.receiver.accept(ABSENT);
        }
        assertThat(counts.readCount()).isEqualTo(1);
    }

    @Test
    void read_whoseReplicaFails_asksAnotherOneAtOnce() throws Exception {
        useUpAllHedges();
        try (StubClient client = new StubClient()) {
            Exchange get = client.get();
            begun(get);
            assertThat(silent.receiver).isNull();
            slow.receiver.accept(FAILED);
            assertThat(silent.receiver).as("it was asked").isNotNull();
            prompt.receiver.accept(ABSENT);
            silent.receiver.accept(ABSENT);
            assertThat(get.status()).isEqualTo(404);
        }
    }

    @Test
    void read_ofWhoseReplicasTooFewAreLeft_failsWithoutWaitingForTheLast() throws Exception {
        try (StubClient client = new StubClient()) {
            Exchange get = client.get();
            begun(get);
            slow.receiver.accept(FAILED);
            prompt.receiver.accept(FAILED);
            assertThat(get.status()).isEqualTo(504);
            silent.receiver.accept(ABSENT);
        }
        assertThat(counts.tooFewCount()).isEqualTo(1);
    }

    /**
     * Begins a read that needs two of three replicas, and lets its answer be overdue, so that all
     * three are asked.
     */
    private Exchange sentToAll(StubClient client) throws InterruptedException {
        Exchange get = client.get();
        begun(get).expire();
        return get;
    }

    /** A request that is decided by two of three replicas. */
    private ParallelRead begun(Exchange get) {
        return begun(get, RegisterKind.REGULAR, 0);
    }

    private ParallelRead begun(Exchange get, RegisterKind kind, long copyBytesMax) {
        return begun(get, kind, copyBytesMax, replicas);
    }

    private ParallelRead begun(
            Exchange get, RegisterKind kind, long copyBytesMax, List<Replica> holders) {
        var request = (EntityRequest.Get) get.request();
        var context = new CoordinatorContext(3, null, null, copyBytesMax, healing);
        counts = context.counts();
        copyMemory = context.copyMemory();
        var read =
                new ParallelRead(
                        request, get.responder(), new Quorum(2, 3), kind, holders, context, hedges);
        List.of(slow, prompt, silent).forEach(replica -> replica.asker = read);
        read.begin();
        return read;
    }

    private static ReadAnswer value(long stamp, AtomicInteger closed) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[] {1, 2, 3});
        return new ReadAnswer.Looked(new ReadOutcome.Found(bytes, stamp, closed::incrementAndGet));
    }

    /** Begins an atomic read, of which one of two replicas answers a value with stamp 7. */
    private Exchange dividedAtomic(StubClient client, long copyBytesMax, AtomicInteger closed)
            throws InterruptedException {
        Exchange get = client.get();
        begun(get, RegisterKind.ATOMIC, copyBytesMax);
        slow.receiver.accept(value(7, closed));
        prompt.receiver.accept(ABSENT);
        return get;
    }

    @Test
    void atomicRead_ofAnswersThatAgree_writesNothingBack() throws Exception {
        AtomicInteger closed = new AtomicInteger();
        try (StubClient client = new StubClient()) {
            Exchange get = client.get();
            begun(get, RegisterKind.ATOMIC, 100);
            slow.receiver.accept(value(7, closed));
            prompt.receiver.accept(value(7, closed));
            assertThat(get.status()).isEqualTo(200);

            get = client.get();
            begun(get, RegisterKind.ATOMIC, 100);
            slow.receiver.accept(ABSENT);
            prompt.receiver.accept(ABSENT);
            assertThat(get.status()).isEqualTo(404);
        }
        assertThat(closed).hasValue(2);
        assertThat(counts.writeBackCount()).isZero();
        replicas.forEach(replica -> assertThat(((Held) replica).writes).isEmpty());
    }

    @Test
    void atomicRead_ofAnswersThatDiffer_isAnsweredWhenAckReplicasHaveTheVersion() throws Exception {
        AtomicInteger closed = new AtomicInteger();
        try (StubClient client = new StubClient()) {
            Exchange get = dividedAtomic(client, 3, closed);
            assertThat(slow.writes).as("it has the version").isEmpty();
            assertThat(counts.writeBackCount()).isEqualTo(1);
            assertThat(counts.readCount()).as("answered too early").isZero();
            Write first = prompt.writes.remove();
            Write second = silent.writes.remove();
            assertThat(first.stamp()).as("the version keeps its stamp").isEqualTo(7);
            assertThat(first.request().valueBytes()).isEqualTo(3);
            first.receiver().accept(new WriteAnswer.Superseded(9));
            assertThat(get.status()).isEqualTo(200);
            assertThat(copyMemory.takenBytes()).as("one write is not over").isEqualTo(3);
            second.receiver().accept(WriteAnswer.Stored.INSTANCE);
        }
        assertThat(copyMemory.takenBytes()).isZero();
        assertThat(counts.readCount()).isEqualTo(1);
        assertThat(closed).hasValue(1);
    }

    /** Two values with the same stamp: the greater one is the newer version. */
    @Test
    void atomicRead_ofTwoValuesWithOneStamp_writesTheGreaterBack() throws Exception {
        AtomicInteger closed = new AtomicInteger();
        try (StubClient client = new StubClient()) {
            Exchange get = client.get();
            begun(get, RegisterKind.ATOMIC, 100);
            MemorySegment less = MemorySegment.ofArray(new byte[] {1, 2, 2});
            slow.receiver.accept(value(7, closed));
            prompt.receiver.accept(
                    new ReadAnswer.Looked(new ReadOutcome.Found(less, 7, closed::incrementAndGet)));
            prompt.writes.remove().receiver().accept(WriteAnswer.Stored.INSTANCE);
            assertThat(get.status()).isEqualTo(200);
        }
        assertThat(closed).hasValue(2);
    }

    @Test
    void atomicRead_ofADeletion_writesTheTombstoneBack() throws Exception {
        try (StubClient client = new StubClient()) {
            Exchange get = client.get();
            begun(get, RegisterKind.ATOMIC, 0);
            slow.receiver.accept(new ReadAnswer.Looked(new ReadOutcome.Deleted(7)));
            prompt.receiver.accept(ABSENT);
            Write write = prompt.writes.remove();
            assertThat(write.request()).isInstanceOf(EntityRequest.Delete.class);
            assertThat(counts.readCount()).isZero();
            write.receiver().accept(WriteAnswer.Stored.INSTANCE);
            assertThat(get.status()).isEqualTo(404);
        }
    }

    @Test
    void atomicRead_whoseWriteBackReachesTooFew_returns504() throws Exception {
        AtomicInteger closed = new AtomicInteger();
        try (StubClient client = new StubClient()) {
            Exchange get = dividedAtomic(client, 3, closed);
            var refused = new WriteAnswer.Failed(new ReplicaFailure("http://n", "refused"));
            prompt.writes.remove().receiver().accept(refused);
            assertThat(counts.tooFewCount()).isZero();
            silent.writes.remove().receiver().accept(refused);
            assertThat(get.status()).isEqualTo(504);
            assertThat(get.response().get().body()).contains("replicas=2/3: 1 answered");
        }
        assertThat(closed).hasValue(1);
        assertThat(copyMemory.takenBytes()).isZero();
    }

    @Test
    void atomicRead_withoutMemoryForItsWriteBack_returns503() throws Exception {
        AtomicInteger closed = new AtomicInteger();
        try (StubClient client = new StubClient()) {
            Exchange get = dividedAtomic(client, 2, closed);
            assertThat(get.status()).isEqualTo(503);
        }
        assertThat(closed).hasValue(1);
        assertThat(prompt.writes).isEmpty();
    }

    @Test
    void atomicRead_whoseVersionsAnswerComesLate_isAnsweredOnce() throws Exception {
        AtomicInteger closed = new AtomicInteger();
        try (StubClient client = new StubClient()) {
            Exchange get = client.get();
            begun(get, RegisterKind.ATOMIC, 3).expire(); // So all three are asked.
            slow.receiver.accept(value(7, closed));
            prompt.receiver.accept(ABSENT);
            silent.receiver.accept(value(8, closed)); // While the write-back is in progress.
            assertThat(counts.readCount()).isZero();
            prompt.writes.remove().receiver().accept(WriteAnswer.Stored.INSTANCE);
            silent.writes.remove().receiver().accept(new WriteAnswer.Superseded(8));
            assertThat(get.status()).isEqualTo(200);
        }
        assertThat(closed).hasValue(2);
        assertThat(counts.readCount()).isEqualTo(1);
        assertThat(divided).hasValue(1);
    }

    @Test
    void read_whoseReplicasAnswerInTime_asksNoMoreAndIsOver() throws Exception {
        useUpAllHedges();
        try (StubClient client = new StubClient()) {
            ParallelRead read = begun(client.get());
            assertThat(silent.receiver).isNull();
            slow.receiver.accept(ABSENT);
            assertThat(silent.receiver).isNull();
            assertThat(read.isOver()).isFalse();
            prompt.receiver.accept(ABSENT);
            assertThat(read.isOver()).isTrue();
        }
        assertThat(silent.receiver).isNull();
    }

    private void useUpAllHedges() {
        while (hedges.tryHedge()) {}
    }

    @Test
    void reads_tenOfThem_earnOneHedge() {
        useUpAllHedges();
        for (int i = 0; i < 10; i++) {
            begun();
        }
        prompt.receiver.accept(ABSENT); // Earns none.
        assertThat(hedges.tryHedge()).isTrue();
        assertThat(hedges.tryHedge()).isFalse();
    }

    @Test
    void read_thatMayNotAskAnotherReplicaYet_asksItLater() throws Exception {
        useUpAllHedges();
        long before = hedges.deniedCount();
        try (StubClient client = new StubClient()) {
            Exchange get = client.get();
            begun(get);
            Deadline deadline = Deadline.in(PATIENCE);
            deadline.await("it may not yet", () -> hedges.deniedCount() > before);
            assertThat(silent.receiver).isNull();
            for (int i = 0; i < 10; i++) {
                hedges.begin();
            }
            deadline.await("it asks", () -> silent.receiver != null);
            slow.receiver.accept(ABSENT);
            silent.receiver.accept(ABSENT);
            assertThat(get.status()).isEqualTo(404);
        }
        assertThat(hedges.hedgedCount()).isEqualTo(64 + 1);
    }

    @Test
    void replica_thatFailsAfterItWasSlowTwice_isAskedLast() throws Exception {
        try (StubClient client = new StubClient()) {
            Exchange get = client.get();
            hedges.overdue(slow);
            hedges.overdue(slow);
            begun(get);
            slow.receiver.accept(FAILED);
            assertThat(hedges.inOrder(replicas)).containsExactly(prompt, silent, slow);
            prompt.receiver.accept(ABSENT);
            silent.receiver.accept(ABSENT);
            assertThat(get.status()).isEqualTo(404);
        }
    }

    /** It had only a part of the delay. */
    @Test
    void replica_thatIsAskedWhenAnotherFails_isOverdueAfterAWholeDelay() throws Exception {
        thread.close(); // The test says when a delay has passed.
        try (StubClient client = new StubClient()) {
            Exchange get = client.get();
            hedges.overdue(silent);
            hedges.overdue(silent);
            ParallelRead read = begun(get);
            slow.receiver.accept(FAILED); // So the third one is asked in its place.
            read.expire();
            assertThat(hedges.inOrder(List.of(silent, prompt))).containsExactly(silent, prompt);
            read.expire();
            assertThat(hedges.inOrder(List.of(silent, prompt))).containsExactly(prompt, silent);
            prompt.receiver.accept(ABSENT);
            silent.receiver.accept(ABSENT);
            assertThat(get.status()).isEqualTo(404);
        }
    }

    /** Otherwise all reads would wait for a replica that is still slow. */
    @Test
    void replica_thatWasSlow_isProbedByOneRead() {
        for (int i = 0; i < 3; i++) {
            hedges.overdue(slow);
        }
        Deadline.in(PATIENCE)
                .await("it may be probed", () -> hedges.inOrder(replicas).getFirst() == slow);
        begun();
        assertThat(hedges.inOrder(replicas)).containsExactly(prompt, silent, slow);
        double before = delayBelowTheLongest();
        slow.receiver.accept(ABSENT);
        assertThat(hedges.delaySeconds()).as("the probe is measured").isNotEqualTo(before);
    }

    @Test
    void read_thatThisNodeCannotBegin_failsAndClosesTheAnswersOfOthers() throws Exception {
        var failure =
                new StorageException("made by the test") {
                    @Override
                    public String getMessage() {
                        throw new OutOfMemoryError("made by the test");
                    }
                };
        Replica own =
                new LocalReplica(
                        null,
                        null,
                        "http://self",
                        () -> {
                            throw failure;
                        });
        AtomicInteger closed = new AtomicInteger();
        try (StubClient client = new StubClient()) {
            Exchange get = client.get();
            var read = begun(get, RegisterKind.REGULAR, 0, List.of(own, slow, prompt));
            assertThat(get.status()).isEqualTo(503);
            assertThat(read.isOver()).isTrue();
            slow.receiver.accept(value(7, closed));
        }
        assertThat(closed).hasValue(1);
    }

    @Test
    void read_whoseVersionsCannotBeCompared_failsAndClosesThem() throws Exception {
        AtomicInteger closed = new AtomicInteger();
        try (StubClient client = new StubClient()) {
            Exchange get = sentToAll(client);
            try (Arena arena = Arena.ofConfined()) {
                var gone = new ReadOutcome.Found(arena.allocate(3), 7, closed::incrementAndGet);
                slow.receiver.accept(new ReadAnswer.Looked(gone));
            }
            assertThat(closed).hasValue(0);
            prompt.receiver.accept(value(7, closed));
            assertThat(get.status()).isEqualTo(500);
            assertThat(closed).hasValue(2);
            silent.receiver.accept(value(7, closed));
        }
        assertThat(closed).hasValue(3);
        assertThat(counts.readCount()).isZero();
    }

    @Test
    void read_whoseVersionCannotBeClosed_isAnsweredNevertheless() throws Exception {
        AtomicInteger closed = new AtomicInteger();
        try (StubClient client = new StubClient()) {
            Exchange get = sentToAll(client);
            try (Arena arena = Arena.ofConfined()) {
                var gone = new ReadOutcome.Found(arena.allocate(3), 7, BROKEN);
                slow.receiver.accept(new ReadAnswer.Looked(gone));
            }
            ReadAnswer incomparable = value(7, closed);
            assertThatThrownBy(() -> prompt.receiver.accept(incomparable))
                    .isInstanceOf(OutOfMemoryError.class);
            assertThat(get.status()).isEqualTo(500);
        }
        assertThat(closed).hasValue(1);
    }

    @Test
    void writeBack_whoseVersionCannotBeClosed_failsAndGivesItsMemoryBack() throws Exception {
        MemorySegment bytes = MemorySegment.ofArray(new byte[] {1, 2, 3});
        try (StubClient client = new StubClient()) {
            Exchange get = client.get();
            begun(get, RegisterKind.ATOMIC, 1 << 10);
            slow.receiver.accept(new ReadAnswer.Looked(new ReadOutcome.Found(bytes, 7, BROKEN)));
            prompt.lacksMemory = true;
            prompt.receiver.accept(ABSENT);
            assertThat(get.status()).isEqualTo(503);
        }
        assertThat(copyMemory.takenBytes()).isZero();
    }
}
