package dht.replication.async;

import static org.assertj.core.api.Assertions.assertThat;

import dht.http.EntityRequest;
import dht.replication.CoordinatorContext;
import dht.replication.Quorum;
import dht.replication.ReadAnswer;
import dht.replication.Replica;
import dht.replication.ReplicaFailure;
import dht.replication.WriteAnswer;
import dht.replication.async.StubClient.Exchange;
import dht.storage.ReadOutcome;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ParallelReadTest {
    private static final ReadAnswer ABSENT = new ReadAnswer.Looked(ReadOutcome.Absent.INSTANCE);

    private static final ReadAnswer FAILED =
            new ReadAnswer.Failed(new ReplicaFailure("http://slow", "refused"));

    private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1);
    private final Hedges hedges = new Hedges(95, executor);
    private final Held slow = new Held();
    private final Held prompt = new Held();
    private final Held silent = new Held();

    private final List<Replica> replicas = List.of(slow, prompt, silent);

    /** Answers when the test says so. */
    private static final class Held implements Replica {
        private Consumer<ReadAnswer> receiver;

        @Override
        public void read(EntityRequest.Get request, Consumer<ReadAnswer> to) {
            receiver = to;
        }

        @Override
        public void write(EntityRequest request, long stamp, Consumer<WriteAnswer> to) {
            throw new AssertionError("nobody writes");
        }
    }

    @AfterEach
    void end() {
        executor.shutdownNow();
    }

    /** Never decided, since one of three says nothing. */
    private ParallelRead begun() {
        var request = new EntityRequest.Get(new byte[] {1}, null);
        var read = new ParallelRead(request, null, new Quorum(3, 3), replicas, null, hedges);
        read.begin();
        return read;
    }

    @Test
    void replica_whoseAnswersComeAtLast_isAskedLastNevertheless() {
        for (int i = 0; i < 3; i++) {
            ParallelRead read = begun();
            prompt.receiver.accept(ABSENT);
            read.due();
            slow.receiver.accept(ABSENT);
        }
        assertThat(hedges.inOrder(replicas)).containsExactly(prompt, slow, silent);
    }

    @Test
    void replica_whoseAnswerComesLate_isMeasured() {
        double before = hedges.delaySeconds();
        ParallelRead read = begun();
        read.due();
        prompt.receiver.accept(ABSENT);
        assertThat(hedges.delaySeconds()).isLessThan(before);
    }

    @Test
    void version_thatComesWhenTheReadIsDecided_isClosed() throws Exception {
        AtomicInteger closed = new AtomicInteger();
        var version = new ReadOutcome.Found(MemorySegment.NULL, 1, closed::incrementAndGet);
        try (StubClient client = new StubClient()) {
            Exchange get = client.get();
            ParallelRead read = begun(get);
            read.due(); // Asks the third one, too.
            prompt.receiver.accept(ABSENT);
            silent.receiver.accept(ABSENT);
            assertThat(get.status()).isEqualTo(404);
            slow.receiver.accept(new ReadAnswer.Looked(version));
        }
        assertThat(closed).hasValue(1);
    }

    @Test
    void hedge_ofAReadThatHasAskedAll_isNotCounted() throws Exception {
        try (StubClient client = new StubClient()) {
            Exchange get = client.get();
            ParallelRead read = begun(get);
            slow.receiver.accept(FAILED); // So the third one is asked in its place.
            read.due();
            assertThat(hedges.hedgedCount()).isZero();
            prompt.receiver.accept(ABSENT);
            silent.receiver.accept(ABSENT);
            assertThat(get.status()).isEqualTo(404);
        }
    }

    /** Decided by two of three. */
    private ParallelRead begun(Exchange get) {
        var request = (EntityRequest.Get) get.request();
        var context = new CoordinatorContext(null, null, 0);
        var read =
                new ParallelRead(
                        request, get.responder(), new Quorum(2, 3), replicas, context, hedges);
        read.begin();
        return read;
    }
}
