package dht.metrics;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import org.junit.jupiter.api.Test;

class MetricsEndpointTest {
    /** With neither request nor responder: nobody gets so far as to look at them. */
    @Test
    void reader_thatGetsNoThread_takesNobodysPlace() {
        MetricsEndpoint endpoint =
                new MetricsEndpoint(
                        new PrometheusRegistry(),
                        _ -> {
                            throw new OutOfMemoryError("on purpose");
                        });
        for (int i = 0; i < 10; i++) {
            assertThatThrownBy(() -> endpoint.handle(null, null))
                    .isInstanceOf(OutOfMemoryError.class);
        }
    }
}
