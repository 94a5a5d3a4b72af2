package dht.replication;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whom a coordinator asks when, and when it answers its client. */
@Timeout(60)
class SequentialFanOutTest {
    private static final String TEN_BYTES = "0123456789";

    private StubCluster cluster;

    private void start(long lateBytesMax) throws IOException {
        cluster = new StubCluster(lateBytesMax);
    }

    @AfterEach
    void stop() {
        cluster.close();
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
        assertThat(cluster.lateMemory.tryTake(TEN_BYTES.length())).isTrue();
    }
}
