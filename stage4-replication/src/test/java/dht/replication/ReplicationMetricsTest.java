package dht.replication;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the metrics of the requests that a node has coordinated. */
@Timeout(60)
class ReplicationMetricsTest {
    @Test
    void metrics_afterRequestsOfEachOutcome_countThemApart() throws Exception {
        try (StubCluster cluster = new StubCluster(1 << 20)) {
            for (int i = 0; i < 3; i++) {
                assertThat(StubCluster.await(cluster.get("1/1")).statusCode()).isEqualTo(404);
            }
            assertThat(StubCluster.await(cluster.put("1/1", "v")).statusCode()).isEqualTo(201);
            assertThat(StubCluster.await(cluster.delete("1/1")).statusCode()).isEqualTo(202);
            var response = cluster.put("2/2", "v");
            cluster.second.nextQuestion().answer(500);
            assertThat(StubCluster.await(response).statusCode()).isEqualTo(504);

            assertThat(cluster.metrics().lines())
                    .contains(
                            "replicated_requests_total{outcome=\"read\"} 3.0",
                            "replicated_requests_total{outcome=\"written\"} 2.0",
                            "replicated_requests_total{outcome=\"too_few_replicas\"} 1.0",
                            "writes_stamped_anew_total 0.0",
                            "read_write_backs_total 0.0");
        }
    }

    @Test
    void metrics_afterAWriteThatMetANewerVersion_tellThatItWasStampedAnew() throws Exception {
        try (StubCluster cluster = new StubCluster(1 << 20)) {
            var response = cluster.put("2/2", "v");
            long newer = cluster.clock.lastMicros() + 1000;
            cluster.second.nextQuestion().answer(201, newer, "");
            cluster.second.nextQuestion().answer(201);
            assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);

            assertThat(cluster.metrics().lines())
                    .contains(
                            "replicated_requests_total{outcome=\"written\"} 1.0",
                            "writes_stamped_anew_total 1.0");
        }
    }
}
