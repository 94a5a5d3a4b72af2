package dht.replication;

import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.concurrent.Deadline;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how a coordinator uses the stamps that it sees in answers of other nodes. */
@Timeout(60)
class SeenStampsTest {
    private static final long AN_HOUR_MICROS = 3_600_000_000L;

    private StubCluster cluster;

    @BeforeEach
    void start() throws IOException {
        cluster = new StubCluster(1 << 20);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private long inAnHour() {
        return cluster.clock.nextMicros() + AN_HOUR_MICROS;
    }

    @Test
    void read_ofAValueFromAClockAhead_movesTheClock() throws Exception {
        long stamp = inAnHour();
        var response = cluster.get("2/3");
        cluster.second.nextQuestion().answer(200, stamp, "v");
        assertThat(StubCluster.await(response).body()).isEqualTo("v");
        assertThat(cluster.clock.nextMicros()).isGreaterThan(stamp);
    }

    @Test
    void read_ofADeletionFromAClockAhead_movesTheClock() throws Exception {
        long stamp = inAnHour();
        var response = cluster.get("2/3");
        cluster.second.nextQuestion().answer(404, stamp, "");
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(404);
        assertThat(cluster.clock.nextMicros()).isGreaterThan(stamp);
    }

    @Test
    void read_ofADeletionAndAValue_returnsTheNewer() throws Exception {
        var response = cluster.get("3/3");
        cluster.second.nextQuestion().answer(200, 10, "v");
        cluster.third.nextQuestion().answer(404, 20, "");
        assertThat(StubCluster.await(response).statusCode())
                .as("status, as the deletion is newer")
                .isEqualTo(404);

        response = cluster.get("3/3");
        cluster.second.nextQuestion().answer(404, 20, "");
        cluster.third.nextQuestion().answer(200, 30, "w");
        assertThat(StubCluster.await(response).body())
                .as("the value, as it is newer")
                .isEqualTo("w");
    }

    @Test
    void read_ofAStampBeyondBelief_asksAnotherReplica() throws Exception {
        var response = cluster.get("2/3");
        cluster.second.nextQuestion().answer(200, inAnHour() + 24 * AN_HOUR_MICROS, "v");
        cluster.third.nextQuestion().answer(404);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(404);
        assertThat(cluster.clock.nextMicros()).isLessThan(inAnHour());
    }

    /** As for a value. Otherwise a node with a broken clock could hide what is written later. */
    @Test
    void read_ofADeletionBeyondBelief_asksAnotherReplica() throws Exception {
        var response = cluster.get("2/3");
        cluster.second.nextQuestion().answer(404, inAnHour() + 24 * AN_HOUR_MICROS, "");
        assertThat(cluster.third.askedCount()).as("another replica is asked").isOne();
        cluster.third.nextQuestion().answer(404);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(404);
        assertThat(cluster.clock.nextMicros()).isLessThan(inAnHour());
    }

    @Test
    void write_thatMeetsANewerVersionOnceItIsAnswered_movesTheClock() throws Exception {
        long stamp = inAnHour();
        var response = cluster.put("2/3", "v");
        cluster.second.nextQuestion().answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
        cluster.third.nextQuestion().answer(201, stamp, "");
        Deadline.in(Duration.ofSeconds(20))
                .await("the clock has moved", () -> cluster.clock.nextMicros() > stamp);
        assertThat(cluster.counts.restampedCount()).isZero();
    }

    @Test
    void write_thatMeetsAStampBeyondBelief_asksAnotherReplica() throws Exception {
        var response = cluster.put("2/3", "v");
        cluster.second.nextQuestion().answer(201, inAnHour() + 24 * AN_HOUR_MICROS, "");
        cluster.third.nextQuestion().answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
        assertThat(cluster.counts.restampedCount()).isZero();
        assertThat(cluster.clock.nextMicros()).isLessThan(inAnHour());
    }

    @Test
    void write_thatMeetsStampsBeyondBelief_isTooFewReplicas() throws Exception {
        var response = cluster.put("2/3", "v");
        long beyondBelief = inAnHour() + 24 * AN_HOUR_MICROS;
        cluster.second.nextQuestion().answer(201, beyondBelief, "");
        cluster.third.nextQuestion().answer(201, beyondBelief, "");
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(504);
        assertThat(StubCluster.await(response).body())
                .contains("timestamp=" + beyondBelief, "more than PT24H ahead");
        assertThat(cluster.counts.tooFewCount()).isEqualTo(1);
        assertThat(cluster.counts.restampedCount()).isZero();
    }
}
