package dht.replication;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.ReadOutcome;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a node's answers to other coordinators about its own versions. */
@Timeout(60)
class ReplicaServiceTest {
    private static final long A_DAY_MICROS = 86_400_000_000L;

    private StubCluster node;

    @BeforeEach
    void start() throws IOException {
        node = new StubCluster(1 << 20);
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private static String stamp(HttpResponse<String> response) {
        return response.headers().firstValue("Timestamp-Micros").orElse("none");
    }

    @Test
    void read_ofAValue_isAnsweredWithItsStamp() throws Exception {
        MemorySegment value = MemorySegment.ofArray("value".getBytes(UTF_8));
        node.dao.find(new ReadOutcome.Found(value, 77, () -> {}));
        var response = node.askCopy("GET", "");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(stamp(response)).isEqualTo("77");
        assertThat(response.body()).isEqualTo("value");
    }

    /** So that the coordinator can tell a newer deletion from a replica that missed the write. */
    @Test
    void read_withoutAValue_tellsADeletionFromNothingKnown() throws Exception {
        node.dao.find(new ReadOutcome.Deleted(78));
        var deleted = node.askCopy("GET", "");
        assertThat(deleted.statusCode()).isEqualTo(404);
        assertThat(stamp(deleted)).isEqualTo("78");

        node.dao.find(ReadOutcome.Absent.INSTANCE);
        var absent = node.askCopy("GET", "");
        assertThat(absent.statusCode()).isEqualTo(404);
        assertThat(stamp(absent)).isEqualTo("none");
    }

    @ParameterizedTest
    @CsvSource({"PUT,201", "DELETE,202"})
    void write_underTheCoordinatorsStamp_isStoredUnderIt(String method, int status)
            throws Exception {
        long micros = node.clock.lastMicros() + 1000;
        var response = node.askCopy(method, "&timestamp=" + micros);
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(stamp(response)).isEqualTo("none");
        assertThat(node.dao.stamps()).containsExactly(micros);
        assertThat(node.clock.nextMicros()).isGreaterThan(micros);
    }

    /** It is stored all the same: other replicas may not have the newer version. */
    @ParameterizedTest
    @CsvSource({"PUT,201", "DELETE,202"})
    void write_thatMeetsANewerVersion_isStoredAndToldItsStamp(String method, int status)
            throws Exception {
        node.dao.holdVersion(99);
        var response = node.askCopy(method, "&timestamp=98");
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(stamp(response)).isEqualTo("99");
        assertThat(node.dao.stamps()).containsExactly(98L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "-1", "256", "1000", "two", "1 "})
    void write_withAnImpossibleFrom_isRefused(String from) throws Exception {
        var response = node.askCopy("PUT", "&timestamp=5&from=" + from.replace(" ", "%20"));
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).startsWith("from: must be 1 to 255");
        assertThat(node.dao.stamps()).isEmpty();
    }

    /** The record comes first, so that no version is without it, whatever fails in between. */
    @ParameterizedTest
    @ValueSource(strings = {"PUT", "DELETE"})
    void write_withFrom_isStoredAfterItsRecord(String method) throws Exception {
        long micros = node.clock.lastMicros() + 1000;
        node.askCopy(method, "&from=2&timestamp=" + micros);
        assertThat(node.dao.stamps()).containsExactly(micros, micros);
        byte[] key = {'k'};
        assertThat(node.dao.keys()).containsExactly(PlacementRecord.key(key), key);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "&timestamp",
                "&timestamp=",
                "&timestamp=0",
                "&timestamp=-1",
                "&timestamp=soon",
                "&timestamp=1234567890123456789"
            })
    void write_withoutAStampThatCanBe_isRefused(String parameter) throws Exception {
        var response = node.askCopy("PUT", parameter);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).startsWith("timestamp: must be microseconds since 1970");
        assertThat(node.dao.stamps()).isEmpty();
    }

    @Test
    void write_underAStampTooFarAhead_isRefusedAndForgotten() throws Exception {
        long micros = node.clock.nextMicros() + 2 * A_DAY_MICROS;
        var response = node.askCopy("PUT", "&timestamp=" + micros);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).startsWith("timestamp=" + micros);
        assertThat(node.dao.stamps()).isEmpty();
        assertThat(node.clock.nextMicros()).isLessThan(micros);
    }

    /** It is asked before a write to an atomic register. The value is not sent. */
    @Test
    void read_withAStamp_isAnsweredWithTheStampOfAVersionAtLeastAsNew() throws Exception {
        node.dao.holdVersion(99);
        var newer = node.askCopy("GET", "&timestamp=99");
        assertThat(newer.statusCode()).isEqualTo(404);
        assertThat(stamp(newer)).isEqualTo("99");

        var older = node.askCopy("GET", "&timestamp=100");
        assertThat(older.statusCode()).isEqualTo(404);
        assertThat(stamp(older)).isEqualTo("none");
    }

    @Test
    void read_withAStampThatCannotBe_isRefused() throws Exception {
        var response = node.askCopy("GET", "&timestamp=soon");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).startsWith("timestamp: must be microseconds since 1970");
    }

    /** Nothing is stored under it, so it need not be accepted. */
    @Test
    void read_withAStampFarAhead_movesNoClock() throws Exception {
        long micros = node.clock.nextMicros() + 2 * A_DAY_MICROS;
        assertThat(node.askCopy("GET", "&timestamp=" + micros).statusCode()).isEqualTo(404);
        assertThat(node.clock.nextMicros()).isLessThan(micros);
    }
}
