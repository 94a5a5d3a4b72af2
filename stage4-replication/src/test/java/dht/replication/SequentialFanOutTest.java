package dht.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.ReadOutcome;
import dht.storage.ReadOutcome.Hold;
import dht.testkit.concurrent.Deadline;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests which replicas a coordinator asks, in which order, and when it answers its client. */
@Timeout(60)
class SequentialFanOutTest {
    private static final String TEN_BYTES = "0123456789";

    private StubCluster cluster;

    private void start(long copyBytesMax) throws IOException {
        cluster = new StubCluster(copyBytesMax);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    @Test
    void write_always_asksOneReplicaAfterTheOther() throws Exception {
        start(1 << 20);
        var response = cluster.put("3/3", "v");
        StubPeer.Question first = cluster.second.nextQuestion();
        assertThat(cluster.third.askedCount()).isZero();
        first.answer(201);
        assertThat(cluster.third.askedCount()).isEqualTo(1);
        assertThat(cluster.counts.writeCount()).isZero();
        StubPeer.Question last = cluster.third.nextQuestion();
        assertThat(last.stamp()).isEqualTo(first.stamp());
        last.answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
    }

    @Test
    void read_always_asksOneReplicaAfterTheOtherAndNoMoreThanItNeeds() throws Exception {
        start(1 << 20);
        var response = cluster.get("3/3");
        StubPeer.Question first = cluster.second.nextQuestion();
        assertThat(cluster.third.askedCount()).isZero();
        first.answer(404);
        cluster.third.nextQuestion().answer(404);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(404);

        response = cluster.get("2/3");
        cluster.second.nextQuestion().answer(404);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(404);
        assertThat(cluster.third.askedCount()).isZero();
    }

    @Test
    void replica_whoseDataMayBeIncomplete_isAskedLast() throws Exception {
        start(1 << 20);
        cluster.healing.incomplete(cluster.second.address());
        var response = cluster.get("2/3");
        cluster.third.nextQuestion().answer(404);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(404);
        assertThat(cluster.second.askedCount()).isZero();

        response = cluster.put("2/3", "v");
        cluster.third.nextQuestion().answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
        cluster.second.nextQuestion().answer(201);
    }

    @Test
    void read_thatMeetsDifferentVersions_hasItsKeyHealed() throws Exception {
        start(1 << 20);
        var response = cluster.get("2/3");
        cluster.second.nextQuestion().answer(404);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(404);
        assertThat(cluster.healing.told()).isEmpty();

        response = cluster.get("2/3");
        cluster.second.nextQuestion().answer(404, cluster.clock.nextMicros(), "");
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(404);
        assertThat(cluster.healing.told()).containsExactly("divided k of 3");
    }

    @Test
    void read_whoseVersionCannotBeClosed_isAnsweredNevertheless() throws Exception {
        start(1 << 20);
        Hold broken =
                () -> {
                    throw new OutOfMemoryError("made by the test");
                };
        try (Arena arena = Arena.ofConfined()) {
            cluster.dao.find(new ReadOutcome.Found(arena.allocate(3), 7, broken));
        }
        var response = cluster.get("2/3");
        StubPeer.Question question = cluster.second.nextQuestion();
        assertThatThrownBy(() -> question.answer(200, 7, "abc")) // Of the same stamp.
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(500);
    }

    @Test
    void write_thatAReplicaHasNotStored_isToldToWhoHeals() throws Exception {
        start(1 << 20);
        var response = cluster.put("1/3", "v");
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
        cluster.second.nextQuestion().answer(201);
        assertThat(cluster.healing.told()).isEmpty();
        cluster.third.nextQuestion().answer(503);
        assertThat(cluster.healing.told()).containsExactly("missed n3");
    }

    /** Otherwise one node has the write, the other one gets a hint, and the third knows nothing. */
    @Test
    void write_thatHasFailed_isCopiedToTheOthersAfterItsAnswer() throws Exception {
        start(1 << 20);
        var response = cluster.put("3/3", "v");
        StubPeer.Question failed = cluster.second.nextQuestion();
        failed.answer(503);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(504);
        StubPeer.Question last = cluster.third.nextQuestion();
        assertThat(last.stamp()).isEqualTo(failed.stamp());
        last.answer(201);
        assertThat(cluster.healing.told()).containsExactly("missed n2");
    }

    @Test
    void write_thatHasFailedWithoutMemoryForRemainingCopies_isAnsweredAfterThem() throws Exception {
        start(0);
        var response = cluster.put("3/3", TEN_BYTES);
        cluster.second.nextQuestion().answer(503);
        StubPeer.Question last = cluster.third.nextQuestion();
        assertThat(cluster.counts.tooFewCount()).isZero();
        last.answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(504);
    }

    @Test
    void write_thatHasFailed_doesNotWaitForANodeThatIsBehind() throws Exception {
        start(1 << 20);
        cluster.third.fallBehind();
        var response = cluster.put("3/3", "v");
        cluster.second.nextQuestion().answer(503);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(504);
        cluster.third.nextQuestion().answer(201);
    }

    @Test
    void write_thatHasFailed_givesItsMemoryBack() throws Exception {
        start(TEN_BYTES.length());
        for (int i = 0; i < 3; i++) {
            var response = cluster.put("3/3", TEN_BYTES);
            cluster.second.nextQuestion().answer(503);
            assertThat(StubCluster.await(response).statusCode()).isEqualTo(504);
            cluster.third.nextQuestion().answer(i == 0 ? 500 : 201);
        }
    }

    /** Nobody would store it later either. */
    @Test
    void write_whoseStampAReplicaRejects_isNotToldToWhoHeals() throws Exception {
        start(1 << 20);
        var response = cluster.put("2/3", "v");
        cluster.second.nextQuestion().answer(400);
        cluster.third.nextQuestion().answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
        assertThat(cluster.healing.told()).isEmpty();
    }

    @Test
    void answer_thatThereIsNoMemoryFor_isAFailureOfItsReplica() throws Exception {
        start(1 << 20);
        var response = cluster.put("2/3", "v");
        cluster.second.nextQuestion().refuse(new OutOfMemoryError("made by the test"));
        cluster.third.nextQuestion().answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);

        response = cluster.get("2/3");
        cluster.second.nextQuestion().refuse(new OutOfMemoryError("made by the test"));
        cluster.third.nextQuestion().answer(404);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(404);
    }

    @Test
    void ownCopy_underAStampThatNoOtherNodeHasAccepted_isMadeAfterAnother() throws Exception {
        start(1 << 20);
        AtomicInteger ownCopies = new AtomicInteger();
        cluster.dao.beforeWork(ownCopies::incrementAndGet);
        cluster.clockAhead = Duration.ofHours(1);
        var response = cluster.put("2/3", "v");
        StubPeer.Question first = cluster.second.nextQuestion();
        assertThat(ownCopies).hasValue(0);
        first.answer(201);
        assertThat(ownCopies).hasValue(1);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
        cluster.third.nextQuestion().answer(201);

        response = cluster.put("2/3", "v");
        assertThat(ownCopies).as("the stamp after it is probably accepted as well").hasValue(2);
        cluster.second.nextQuestion().answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
        cluster.third.nextQuestion().answer(201);
    }

    @Test
    void ownCopy_underAStampThatOthersReject_isNotMade() throws Exception {
        start(1 << 20);
        AtomicInteger ownCopies = new AtomicInteger();
        cluster.dao.beforeWork(ownCopies::incrementAndGet);
        cluster.clockAhead = Duration.ofDays(2);
        var response = cluster.put("1/3", "v");
        cluster.second.nextQuestion().answer(400);
        cluster.third.nextQuestion().answer(400);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(504);
        assertThat(ownCopies).hasValue(0);
    }

    @Test
    void ownCopy_whenNoOtherNodeCanBeAsked_isMade() throws Exception {
        start(1 << 20);
        cluster.clockAhead = Duration.ofDays(2);
        var response = cluster.put("1/3", "v");
        cluster.second.nextQuestion().answer(500);
        cluster.third.nextQuestion().answer(500);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
    }

    @Test
    void write_thatMeetsAVersionThatIsTooFarAhead_countsItsReplicaAsFailed() throws Exception {
        start(1 << 20);
        long farMicros = cluster.clock.nextMicros() + TimeUnit.DAYS.toMicros(2);
        var response = cluster.put("2/3", "v");
        cluster.second.nextQuestion().answer(201, farMicros, "");
        cluster.third.nextQuestion().answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
        assertThat(cluster.clock.lastMicros()).isLessThan(farMicros);
    }

    @Test
    void write_thatReachesItsAck_isAnsweredBeforeTheRestIsAsked() throws Exception {
        start(1 << 20);
        var answeredBefore = new AtomicLong();
        cluster.third.beforeAsked(() -> answeredBefore.set(cluster.counts.writeCount()));
        var response = cluster.put("2/3", "v");
        cluster.second.nextQuestion().answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
        assertThat(answeredBefore).hasValue(1);
        cluster.third.nextQuestion().answer(201);
    }

    @Test
    void read_thatCannotReachItsAck_asksNobodyElse() throws Exception {
        start(1 << 20);
        var response = cluster.get("3/3");
        cluster.second.nextQuestion().answer(500);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(504);
        assertThat(cluster.third.askedCount()).isZero();
    }

    @Test
    void write_withoutMemoryForItsFurtherCopies_waitsForThem() throws Exception {
        start(TEN_BYTES.length() - 1);
        var response = cluster.put("2/3", TEN_BYTES);
        cluster.second.nextQuestion().answer(201);
        StubPeer.Question last = cluster.third.nextQuestion();
        assertThat(cluster.counts.writeCount()).isZero();
        last.answer(500);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
    }

    @Test
    void write_whoseFurtherCopyIsForANodeThatIsBehind_waitsForIt() throws Exception {
        start(1 << 20);
        cluster.third.fallBehind();
        var response = cluster.put("2/3", "v");
        cluster.second.nextQuestion().answer(201);
        StubPeer.Question last = cluster.third.nextQuestion();
        assertThat(cluster.counts.writeCount()).isZero();
        last.answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
    }

    @Test
    void write_whoseFurtherCopiesAreMade_givesItsMemoryBack() throws Exception {
        start(TEN_BYTES.length());
        for (int i = 0; i < 3; i++) {
            var response = cluster.put("2/3", TEN_BYTES);
            cluster.second.nextQuestion().answer(201);
            assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
            cluster.third.nextQuestion().answer(i == 0 ? 500 : 201);
        }
    }

    @Test
    void write_whoseFurtherCopyFailsUnexpectedly_givesItsMemoryBack() throws Exception {
        start(TEN_BYTES.length());
        cluster.third.beforeAsked(
                () -> {
                    throw new OutOfMemoryError("made to fail");
                });
        var response = cluster.put("2/3", TEN_BYTES);
        cluster.second.nextQuestion().answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
        assertThat(cluster.copyMemory.tryTake(TEN_BYTES.length())).isTrue();
    }

    /** It asks nobody, so it has no reason to wait in the queue of the pool a second time. */
    @Test
    void write_ofTheOnlyCopy_isMadeInTheThreadOfTheRequest() throws Exception {
        start(1 << 20);
        cluster.clockAhead = Duration.ofHours(1);
        assertThat(StubCluster.await(cluster.put("1/1", "v")).statusCode()).isEqualTo(201);
        // The version and its placement record, under one stamp.
        assertThat(cluster.dao.stamps())
                .hasSize(2)
                .allMatch(cluster.dao.stamps().getFirst()::equals);
        assertThat(cluster.pool.resumedCount()).isZero();
    }

    @Test
    void ownCopy_whileTheNodeStops_isAFailureOfThisReplica() throws Exception {
        start(1 << 20);
        cluster.clockAhead = Duration.ofHours(1);
        cluster.pool.stop();
        var response = cluster.put("2/3", "v");
        cluster.second.nextQuestion().answer(201);
        cluster.third.nextQuestion().answer(500);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(504);
        assertThat(StubCluster.await(response).body())
                .contains("this node: did not store the write: it is stopping");
        assertThat(cluster.local.missedCount()).isEqualTo(1);
    }

    @Test
    void ownCopy_thatThePoolCannotTake_isAFailureOfThisReplica() throws Exception {
        start(1 << 20);
        cluster.clockAhead = Duration.ofHours(1);
        cluster.pool.useUpMemory();
        var response = cluster.put("2/3", "v");
        cluster.second.nextQuestion().answer(201);
        cluster.third.nextQuestion().answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
        assertThat(cluster.local.missedCount()).isEqualTo(1);
    }

    /**
     * All other writes wait for the thread that syncs: it must not wait for a socket, or a disk.
     */
    @Test
    void write_thatWaitsForASync_asksTheOthersInThePool() throws Exception {
        start(1 << 20);
        cluster.dao.holdWrites();
        AtomicInteger resumedBefore = new AtomicInteger();
        cluster.second.beforeAsked(() -> resumedBefore.set(cluster.pool.resumedCount()));
        var response = cluster.put("2/3", "v");
        assertThat(cluster.second.askedCount()).isZero();
        cluster.dao.nextHeld().durable();
        assertThat(resumedBefore).hasValue(1);
        cluster.second.nextQuestion().answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
        cluster.third.nextQuestion().answer(201);
    }

    @Test
    void ownCopy_madeLaterThatWaitsForASync_asksTheOthersInThePool() throws Exception {
        start(1 << 20);
        cluster.clockAhead = Duration.ofHours(1);
        cluster.dao.holdWrites();
        AtomicInteger resumedBefore = new AtomicInteger();
        cluster.third.beforeAsked(() -> resumedBefore.set(cluster.pool.resumedCount()));
        var response = cluster.put("3/3", "v");
        cluster.second.nextQuestion().answer(201);
        assertThat(cluster.third.askedCount()).isZero();
        cluster.dao.nextHeld().durable();
        assertThat(resumedBefore).hasValue(2);
        cluster.third.nextQuestion().answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
    }

    @Test
    void write_thatWaitsForNoSync_staysOnItsThread() throws Exception {
        start(1 << 20);
        var response = cluster.put("2/3", "v");
        cluster.second.nextQuestion().answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
        cluster.third.nextQuestion().answer(201);
        assertThat(cluster.pool.resumedCount()).isZero();
    }

    /** Its own copy is stored, so the others should have one, too. */
    @Test
    void write_thatWaitsForASyncWhileTheNodeStops_goesOn() throws Exception {
        start(1 << 20);
        cluster.dao.holdWrites();
        var response = cluster.put("2/3", "v");
        cluster.pool.stop();
        cluster.dao.nextHeld().durable();
        cluster.second.nextQuestion().answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
        cluster.third.nextQuestion().answer(201);
        assertThat(cluster.local.missedCount()).isZero();
    }

    @Test
    void replica_thatCannotBeAsked_hasFailedAndTheNextIsAsked() throws Exception {
        start(1 << 20);
        cluster.second.beforeAsked(
                () -> {
                    throw new OutOfMemoryError("made to fail");
                });
        var response = cluster.put("2/3", "v");
        cluster.third.nextQuestion().answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
        assertThat(cluster.healing.told()).contains("missed n2");
    }

    @Test
    void request_whoseNextReplicaFailsUnexpectedly_isAnswered() throws Exception {
        start(1 << 20);
        cluster.third.beforeAsked(
                () -> {
                    throw new OutOfMemoryError("made to fail");
                });
        var response = cluster.put("3/3", "v");
        cluster.second.nextQuestion().answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(504);

        response = cluster.get("3/3");
        cluster.second.nextQuestion().answer(404);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(503);
    }

    @Test
    void request_withReplicasThatCannotBe_isRefused() throws Exception {
        start(1 << 20);
        assertThat(StubCluster.await(cluster.put("3/2", "v")).statusCode()).isEqualTo(400);
        assertThat(cluster.dao.stamps()).isEmpty();
    }

    @Test
    void delete_always_asksOneReplicaAfterTheOther() throws Exception {
        start(1 << 20);
        var response = cluster.delete("2/3");
        cluster.second.nextQuestion().answer(202);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(202);
        cluster.third.nextQuestion().answer(202);
        assertThat(cluster.dao.stamps()).hasSize(1);
    }

    @Test
    void stop_whileAFurtherCopyIsMade_waitsForIt() throws Exception {
        start(1 << 20);
        var response = cluster.put("2/3", "v");
        cluster.second.nextQuestion().answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
        StubPeer.Question last = cluster.third.nextQuestion();

        FutureTask<Void> stop =
                new FutureTask<>(
                        () -> {
                            cluster.drain();
                            return null;
                        });
        Thread stopping = Thread.ofPlatform().start(stop);
        Deadline.in(StubCluster.PATIENCE)
                .await("it waits", () -> stop.isDone() || isIn(stopping, "awaitNone"));
        assertThat(stop.isDone()).as("it waits").isFalse();
        last.answer(201);
        stop.get(StubCluster.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThatThrownBy(cluster::metrics).isInstanceOf(IOException.class);
    }

    private static boolean isIn(Thread thread, String method) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals(method));
    }
}
