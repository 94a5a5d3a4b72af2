package dht.replication;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.http.EntityRequest;
import dht.storage.ReadOutcome;
import dht.storage.StorageException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the additional steps of a coordinator for atomic reads and writes. */
@Timeout(60)
class AtomicRegisterTest {
    private static final String ATOMIC = "2/3&reads=atomic";
    private static final String ONE_BYTE = "v";
    private static final long STAMP = 77;

    private final AtomicInteger closed = new AtomicInteger();
    private StubCluster cluster;

    private void start(long copyBytesMax) throws IOException {
        cluster = new StubCluster(copyBytesMax);
    }

    @AfterEach
    void stop() {
        cluster.close();
        assertThat(cluster.copyMemory.takenBytes()).as("memory that is still taken").isZero();
    }

    /** This node has a value. */
    private void haveValue() {
        MemorySegment value = MemorySegment.ofArray(ONE_BYTE.getBytes(UTF_8));
        cluster.dao.find(new ReadOutcome.Found(value, STAMP, closed::incrementAndGet));
    }

    private static void expect(int status, CompletableFuture<HttpResponse<String>> response)
            throws Exception {
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(status);
    }

    @Test
    void read_ofReplicasThatAgree_writesNothing() throws Exception {
        start(1);
        haveValue();
        var response = cluster.get(ATOMIC);
        cluster.second.nextQuestion().answer(200, STAMP, ONE_BYTE);
        expect(200, response);
        assertThat(cluster.second.askedCount()).isZero();
        assertThat(cluster.counts.writeBackCount()).isZero();
    }

    @Test
    void read_ofNothing_writesNothing() throws Exception {
        start(0);
        var response = cluster.get(ATOMIC);
        cluster.second.nextQuestion().answer(404);
        expect(404, response);
        assertThat(cluster.counts.writeBackCount()).isZero();
    }

    @Test
    void read_ofAVersionThatTheOtherReplicaLacks_isAnsweredWhenItIsThere() throws Exception {
        start(1);
        haveValue();
        var response = cluster.get(ATOMIC);
        cluster.second.nextQuestion().answer(404);
        StubPeer.Question write = cluster.second.nextQuestion();
        assertThat(write.request())
                .isInstanceOfSatisfying(
                        EntityRequest.Put.class,
                        put ->
                                assertThat(put.value().toArray(ValueLayout.JAVA_BYTE))
                                        .isEqualTo(ONE_BYTE.getBytes(UTF_8)));
        assertThat(write.stamp()).as("the version keeps its stamp").isEqualTo(STAMP);
        assertThat(cluster.counts.readCount()).as("answered too early").isZero();
        write.answer(201);
        expect(200, response);
        assertThat(StubCluster.await(response).body()).isEqualTo(ONE_BYTE);
        assertThat(cluster.third.askedCount()).isZero();
        assertThat(cluster.dao.stamps()).as("this node has it already").isEmpty();
        assertThat(cluster.counts.writeBackCount()).isEqualTo(1);
        assertThat(closed).hasPositiveValue();
    }

    @Test
    void read_ofAVersionThatThisNodeLacks_storesItHere() throws Exception {
        start(1);
        var response = cluster.get(ATOMIC);
        cluster.second.nextQuestion().answer(200, STAMP, ONE_BYTE);
        expect(200, response);
        assertThat(cluster.dao.stamps()).containsExactly(STAMP);
    }

    @Test
    void read_ofADeletion_writesTheTombstone() throws Exception {
        start(0);
        cluster.dao.find(new ReadOutcome.Deleted(STAMP));
        var response = cluster.get(ATOMIC);
        cluster.second.nextQuestion().answer(200, STAMP - 1, ONE_BYTE);
        StubPeer.Question write = cluster.second.nextQuestion();
        assertThat(write.request()).isInstanceOf(EntityRequest.Delete.class);
        assertThat(write.stamp()).isEqualTo(STAMP);
        write.answer(202);
        expect(404, response);
    }

    /** The node has got a newer version meanwhile, which every later read meets as well. */
    @Test
    void read_whoseVersionIsReplacedMeanwhile_isAnswered() throws Exception {
        start(1);
        haveValue();
        var response = cluster.get(ATOMIC);
        cluster.second.nextQuestion().answer(404);
        cluster.second.nextQuestion().answer(201, STAMP + 1, "");
        expect(200, response);
        assertThat(cluster.counts.restampedCount()).isZero();
    }

    @Test
    void read_ofTwoCopies_saysThatTheVersionHasTwo() throws Exception {
        start(1);
        haveValue();
        var response = cluster.get("2/2&reads=atomic");
        cluster.second.nextQuestion().answer(404);
        StubPeer.Question write = cluster.second.nextQuestion();
        assertThat(write.request().from()).isEqualTo(2);
        write.answer(201);
        expect(200, response);
    }

    @Test
    void read_whoseVersionReachesTooFew_returns504() throws Exception {
        start(1);
        haveValue();
        var response = cluster.get(ATOMIC);
        cluster.second.nextQuestion().answer(404);
        cluster.second.nextQuestion().answer(503, 0, "full");
        cluster.third.nextQuestion().answer(503, 0, "full");
        expect(504, response);
        assertThat(StubCluster.await(response).body()).startsWith("replicas=2/3: 1 answered; ");
        assertThat(closed).hasPositiveValue();
    }

    @Test
    void read_withoutMemoryForItsWrites_returns503() throws Exception {
        start(0);
        haveValue();
        var response = cluster.get(ATOMIC);
        cluster.second.nextQuestion().answer(404);
        expect(503, response);
        assertThat(cluster.second.askedCount()).isZero();
        assertThat(closed).hasPositiveValue();
    }

    @Test
    void read_whoseWriteFailsUnexpectedly_isAnswered() throws Exception {
        start(1);
        haveValue();
        var response = cluster.get(ATOMIC);
        StubPeer.Question read = cluster.second.nextQuestion();
        cluster.second.beforeAsked(
                () -> {
                    throw new OutOfMemoryError("made to fail");
                });
        read.answer(404);
        expect(503, response);
        assertThat(closed).hasPositiveValue();
    }

    @Test
    void write_always_asksForStampsFirst() throws Exception {
        start(1);
        var response = cluster.put(ATOMIC, ONE_BYTE);
        StubPeer.Question question = cluster.second.nextQuestion();
        assertThat(question.request()).isInstanceOf(EntityRequest.Get.class);
        assertThat(cluster.dao.stamps()).as("written too early").isEmpty();
        long newer = question.stamp() + 1000;
        question.answer(404, newer, "");
        StubPeer.Question write = cluster.second.nextQuestion();
        assertThat(write.stamp()).isGreaterThan(newer);
        assertThat(cluster.dao.stamps()).containsExactly(write.stamp());
        write.answer(201);
        expect(201, response);
        cluster.third.nextQuestion().answer(201);
    }

    @Test
    void write_ofAKeyThatThisNodeDoesNotHold_asksItsReplicas() throws Exception {
        start(1);
        var response = cluster.put(StubCluster.ELSEWHERE, "2/2&reads=atomic", ONE_BYTE);
        cluster.second.nextQuestion().answer(404);
        cluster.third.nextQuestion().answer(404);
        cluster.second.nextQuestion().answer(201);
        cluster.third.nextQuestion().answer(201);
        expect(201, response);
        assertThat(cluster.dao.stamps()).isEmpty();
    }

    @Test
    void write_forWhichNobodyCanBeAsked_fails() throws Exception {
        start(1);
        cluster.second.beforeAsked(
                () -> {
                    throw new OutOfMemoryError("made to fail");
                });
        expect(503, cluster.put(ATOMIC, ONE_BYTE));
        assertThat(cluster.dao.stamps()).isEmpty();
    }

    @Test
    void write_thatCannotGoOnAfterItsQuestion_fails() throws Exception {
        start(1);
        var response = cluster.put(ATOMIC, ONE_BYTE);
        StubPeer.Question question = cluster.second.nextQuestion();
        cluster.pool.useUpMemory();
        question.answer(404);
        expect(503, response);
        assertThat(cluster.dao.stamps()).isEmpty();
    }

    /** Under two stamps, readers could see it before and after the other version. */
    @Test
    void write_thatMeetsANewerVersion_isNotSentAgain() throws Exception {
        start(1);
        var response = cluster.delete(ATOMIC);
        cluster.second.nextQuestion().answer(404);
        StubPeer.Question write = cluster.second.nextQuestion();
        write.answer(202, write.stamp() + 1000, "");
        expect(202, response);
        assertThat(cluster.second.askedCount()).isZero();
        assertThat(cluster.counts.restampedCount()).isZero();
        cluster.third.nextQuestion().answer(202);
    }

    @Test
    void write_whoseQuestionReachesTooFew_isStoredNowhere() throws Exception {
        start(1);
        var response = cluster.put(ATOMIC, ONE_BYTE);
        cluster.second.nextQuestion().answer(503);
        cluster.third.nextQuestion().answer(503);
        expect(504, response);
        assertThat(cluster.dao.stamps()).isEmpty();
    }

    /** The newest version may be among what it has lost. */
    @Test
    void write_throughANodeWithIncompleteData_asksTwoOthers() throws Exception {
        start(1);
        cluster.vote =
                () -> {
                    throw new StorageException("rebuilding");
                };
        var response = cluster.put(ATOMIC, ONE_BYTE);
        cluster.second.nextQuestion().answer(404);
        assertThat(cluster.dao.stamps()).as("written too early").isEmpty();
        StubPeer.Question last = cluster.third.nextQuestion();
        last.answer(404, last.stamp() + 1000, "");
        StubPeer.Question write = cluster.second.nextQuestion();
        assertThat(write.stamp()).isGreaterThan(last.stamp() + 1000);
        write.answer(201);
        expect(201, response);
        cluster.third.nextQuestion().answer(201);
    }

    @Test
    void write_ofTheOnlyCopy_asksNobody() throws Exception {
        start(1);
        expect(201, cluster.put("1/1&reads=atomic", ONE_BYTE));
        assertThat(cluster.second.askedCount()).isZero();
    }

    @Test
    void write_whileTheNodeStops_isStoredNowhere() throws Exception {
        start(1);
        var response = cluster.put(ATOMIC, ONE_BYTE);
        cluster.pool.stop();
        cluster.second.nextQuestion().answer(404);
        expect(503, response);
        assertThat(cluster.dao.stamps()).isEmpty();
    }

    @Test
    void request_withAnotherKind_isRefused() throws Exception {
        start(1);
        expect(400, cluster.put("2/3&reads=Atomic", ONE_BYTE));
        expect(400, cluster.get("2/3&reads="));
        assertThat(cluster.dao.stamps()).isEmpty();
        assertThat(cluster.second.askedCount()).isZero();
    }
}
