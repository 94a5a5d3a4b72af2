package dht.replication;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.CorruptionException;
import dht.testkit.junit.CapturedErr;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** Tests what happens to a request when this node's own replica fails and the others do not. */
@Timeout(60)
@ResourceLock(Resources.SYSTEM_ERR)
class OwnCopyTest {
    @RegisterExtension private final CapturedErr log = new CapturedErr();
    private StubCluster cluster;

    @BeforeEach
    void start() throws IOException {
        cluster = new StubCluster(1 << 20);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private void failWithCorruption() {
        cluster.dao.beforeWork(
                () -> {
                    throw new CorruptionException("000001.sst", 4096, "checksum");
                });
    }

    @Test
    void read_ofACorruptCopy_isAnsweredByOthersAndLoggedOnce() throws Exception {
        failWithCorruption();
        for (int i = 0; i < 3; i++) {
            var response = cluster.get("1/3");
            cluster.second.nextQuestion().answer(404);
            assertThat(StubCluster.await(response).statusCode()).isEqualTo(404);
        }
        assertThat(log.toString()).containsOnlyOnce("file=000001.sst offset=4096");
    }

    @Test
    void write_thatItsStorageRefuses_isKeptByOthersAndLoggedOnce() throws Exception {
        failWithCorruption();
        for (int i = 0; i < 3; i++) {
            var response = cluster.put("2/3", "v");
            cluster.second.nextQuestion().answer(201);
            cluster.third.nextQuestion().answer(201);
            assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
        }
        assertThat(log.toString()).containsOnlyOnce("file=000001.sst offset=4096");
    }

    private void failWithoutMemory() {
        cluster.dao.beforeWork(
                () -> {
                    throw new OutOfMemoryError("made to fail");
                });
    }

    @Test
    void write_thatFindsNoMemory_isKeptByOthers() throws Exception {
        failWithoutMemory();
        var response = cluster.put("2/3", "v");
        cluster.second.nextQuestion().answer(201);
        cluster.third.nextQuestion().answer(201);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(201);
        assertThat(log.toString()).contains("out of memory: made to fail");
    }

    @Test
    void read_thatFindsNoMemory_isAnsweredByOthers() throws Exception {
        failWithoutMemory();
        var response = cluster.get("1/3");
        cluster.second.nextQuestion().answer(404);
        assertThat(StubCluster.await(response).statusCode()).isEqualTo(404);
    }

    @Test
    void write_thatFindsNoMemoryForTheOnlyCopy_speaksForItself() throws Exception {
        failWithoutMemory();
        assertThat(StubCluster.await(cluster.put("1/1", "v")).statusCode()).isEqualTo(503);
        assertThat(StubCluster.await(cluster.put("3/3", "v")).statusCode()).isEqualTo(504);
    }
}
