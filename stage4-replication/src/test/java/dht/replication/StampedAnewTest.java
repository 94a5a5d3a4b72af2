package dht.replication;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A write that finds a newer version in its quorum starts again with a new stamp, greater than the
 * stamp of that version.
 */
@Timeout(60)
class StampedAnewTest {
    private StubCluster cluster;

    @BeforeEach
    void start() throws IOException {
        cluster = new StubCluster(1 << 20);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private long newerMicros() {
        return cluster.clock.lastMicros() + 1000;
    }

    @Test
    void write_thatMeetsANewerVersion_isMadeAgainOnEachReplicaUnderAStampPastIt() throws Exception {
        var response = cluster.put("2/3", "v");
        long newer = newerMicros();
        cluster.second.nextQuestion().answer(201, newer, "");
        assertThat(cluster.third.askedCount()).as("it begins again with the first").isZero();
        StubPeer.Question again = cluster.second.nextQuestion();
        assertThat(again.stamp()).isGreaterThan(newer);
        assertThat(cluster.dao.stamps()).hasSize(2).endsWith(again.stamp());
        again.answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
        StubPeer.Question last = cluster.third.nextQuestion();
        assertThat(last.stamp()).isEqualTo(again.stamp());
        last.answer(201);
    }

    /** What is newer even then has begun after this write. */
    @Test
    void write_thatMeetsANewerVersionAgain_isAcknowledged() throws Exception {
        var response = cluster.put("2/2", "v");
        cluster.second.nextQuestion().answer(201, newerMicros(), "");
        cluster.second.nextQuestion().answer(201, newerMicros(), "");
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
        assertThat(cluster.second.askedCount()).isZero();
    }

    @Test
    void write_toBeMadeAgainWhileTheNodeStops_isRefused() throws Exception {
        var response = cluster.put("2/2", "v");
        cluster.pool.stop();
        cluster.second.nextQuestion().answer(201, newerMicros(), "");
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(503);
        assertThat(StubCluster.await(response).body()).startsWith("the server stops");
    }

    @Test
    void write_thatFailsUnexpectedlyWhenItIsMadeAgain_isAnswered() throws Exception {
        var response = cluster.put(StubCluster.ELSEWHERE, "2/2", "v");
        cluster.second.nextQuestion().answer(201, newerMicros(), "");
        StubPeer.Question last = cluster.third.nextQuestion();
        cluster.second.beforeAsked(
                () -> {
                    throw new OutOfMemoryError("made to fail");
                });
        last.answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(504);
    }
}
