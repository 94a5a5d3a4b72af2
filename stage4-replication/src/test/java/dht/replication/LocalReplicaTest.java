package dht.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.http.EntityRequest;
import dht.storage.StorageException;
import dht.storage.StorageUnavailableException;
import dht.storage.WriteListener;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests when, and how often, a node's own replica answers its coordinator. */
class LocalReplicaTest {
    private static final EntityRequest WRITE = new EntityRequest.Delete(new byte[] {'k'}, null);

    private final FailingDao dao = new FailingDao();
    private Runnable requireComplete = () -> {};
    private final LocalReplica replica =
            new LocalReplica(
                    dao,
                    new HybridLogicalClock(InstantSource.system(), Duration.ofDays(1), 0),
                    "node",
                    () -> requireComplete.run());
    private final List<WriteAnswer> answers = new ArrayList<>();

    @Test
    void write_thatWaitsForASync_isAnsweredWhenItIsDurable() {
        dao.holdWrites();
        replica.write(WRITE, 1, answers::add);
        assertThat(answers).isEmpty();

        dao.nextHeld().durable();
        assertThat(answers).containsExactly(WriteAnswer.Stored.INSTANCE);
    }

    /** Only other nodes can be: this one's copies do not go through a connection. */
    @Test
    void write_thatWaitsForASync_isNotBehind() {
        dao.holdWrites();
        replica.write(WRITE, 1, answers::add);
        assertThat(Replica.isAnyBehind(List.of(replica))).isFalse();
    }

    @Test
    void write_whoseSyncFails_isAFailureOfThisReplica() {
        dao.holdWrites();
        replica.write(WRITE, 1, answers::add);
        WriteListener held = dao.nextHeld();
        assertThat(replica.missedCount()).isZero();
        held.failed(new StorageException("cannot sync log"));
        assertThat(replica.missedCount()).isEqualTo(1);

        assertThat(answers)
                .singleElement()
                .isInstanceOfSatisfying(
                        WriteAnswer.Failed.class,
                        failed ->
                                assertThat(failed.failure().toString())
                                        .isEqualTo("node: cannot sync log"));
    }

    @Test
    void write_thatIsRefused_isAnsweredOnce() {
        dao.beforeWork(
                () -> {
                    throw new StorageUnavailableException("too many writes wait for an fsync");
                });
        replica.write(WRITE, 1, answers::add);

        assertThat(answers).singleElement().isInstanceOf(WriteAnswer.Failed.class);
        assertThat(replica.missedCount()).isEqualTo(1);
    }

    /** Otherwise the coordinator would wait for an answer that never comes. */
    @Test
    void write_thatMeetsAnError_isAFailureOfThisReplica() {
        dao.beforeWork(
                () -> {
                    throw new OutOfMemoryError("injected");
                });
        replica.write(WRITE, 1, answers::add);

        assertThat(answers).singleElement().isInstanceOf(WriteAnswer.Failed.class);
        assertThat(replica.missedCount()).isEqualTo(1);
    }

    @Test
    void write_thatFails_isCountedBeforeItIsAnswered() {
        List<Long> counted = new ArrayList<>();
        dao.holdWrites();
        replica.write(WRITE, 1, _ -> counted.add(replica.missedCount()));
        dao.nextHeld().failed(new StorageException("cannot sync log"));
        dao.beforeWork(
                () -> {
                    throw new StorageUnavailableException("too many writes wait for an fsync");
                });
        replica.write(WRITE, 2, _ -> counted.add(replica.missedCount()));

        assertThat(counted).containsExactly(1L, 2L);
    }

    /** Else one replica would count twice. */
    @Test
    void receiver_throws_isNotCalledAgain() {
        assertThatThrownBy(
                        () ->
                                replica.write(
                                        WRITE,
                                        1,
                                        answer -> {
                                            answers.add(answer);
                                            throw new OutOfMemoryError("injected");
                                        }))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(answers).containsExactly(WriteAnswer.Stored.INSTANCE);
    }

    /** What it lost might be newer than what it has. */
    @Test
    void read_whileDataMayBeIncomplete_isRefused() {
        requireComplete =
                () -> {
                    throw new StorageUnavailableException("is being rebuilt");
                };
        byte[] key = {'k'};
        List<ReadAnswer> read = new ArrayList<>();
        replica.read(new EntityRequest.Get(key, null), read::add);

        assertThat(read).singleElement().isInstanceOf(ReadAnswer.Failed.class);
        assertThatThrownBy(() -> replica.read(key)).isInstanceOf(StorageUnavailableException.class);
        assertThatThrownBy(() -> replica.newerMicros(key, 20))
                .isInstanceOf(StorageUnavailableException.class);
    }

    @Test
    void newerMicros_ofAStampSeenBefore_isThatOfTheStorage() throws Exception {
        replica.observe(WRITE, 20);
        dao.holdVersion(20);

        assertThat(replica.newerMicros(new byte[] {'k'}, 20)).isEqualTo(20);
        assertThat(replica.newerMicros(new byte[] {'k'}, 21)).isZero();
    }

    @Test
    void observe_versionAtLeastAsNew_tellsItsStamp() throws Exception {
        long stamp = 20;
        assertThat(replica.observe(WRITE, stamp)).isZero();
        dao.holdVersion(stamp);

        assertThat(replica.observe(WRITE, stamp)).as("the same again").isEqualTo(stamp);
        assertThat(replica.observe(WRITE, stamp - 10)).as("an older one").isEqualTo(stamp);
    }

    @Test
    void observe_stampPastAllThatIsStored_doesNotAskTheStorage() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        dao.beforeWork(asked::incrementAndGet);
        replica.observe(WRITE, 20);
        assertThat(asked).hasValue(0);

        replica.observe(WRITE, 20);
        assertThat(asked).hasValue(1);
    }
}
