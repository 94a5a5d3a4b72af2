package dht.replication;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dht.http.Refusal;
import dht.http.RequestException;
import dht.http.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuorumParametersTest {
    private static final int NODES = 5;

    private static Quorum of(String replicas, String ack, String from) throws RequestException {
        return new QuorumParameters(NODES).of(bytes(replicas), bytes(ack), bytes(from));
    }

    private static byte[] bytes(String text) {
        return text == null ? null : text.getBytes(UTF_8);
    }

    @ParameterizedTest
    @CsvSource({
        "1/1,,,1/1",
        "5/5,,,5/5",
        "2/3,,,2/3",
        "02/003,,,2/3",
        ",2,3,2/3",
        ",5,5,5/5",
        ",1,,1/5",
        ",,4,3/4",
        ",,1,1/1",
        ",,,3/5"
    })
    void of_wellFormed_isTheQuorum(String replicas, String ack, String from, String expected)
            throws RequestException {
        assertThat(of(replicas, ack, from)).hasToString(expected);
    }

    @ParameterizedTest
    @CsvSource({"1,1/1", "2,2/2", "3,2/3", "4,3/4", "5,3/5"})
    void of_nothing_isAMajorityOfAllNodes(int nodes, String expected) throws RequestException {
        assertThat(new QuorumParameters(nodes).of(null, null, null)).hasToString(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "''",
        "/",
        "1/",
        "/1",
        "2",
        "a/b",
        "1/b",
        "-1/3",
        "+1/3",
        "1.0/3",
        "1 / 3",
        "' 1/3'",
        "1/3/5",
        "1/3x",
        "0x1/3",
        "1e0/3",
        "١/٣",
        "9999999999/3",
        "0000000002/3",
        "1/99999999999999999999",
        "1//3",
        "0/3",
        "0/0",
        "4/3",
        "1/6",
        "6/6"
    })
    void of_malformedReplicas_isRefused(String replicas) {
        assertBadRequest(replicas, null, null);
    }

    @ParameterizedTest
    @CsvSource({
        "'',3",
        "two,3",
        "0,3",
        "-1,3",
        "4,3",
        "1,6",
        "1,''",
        "1,x",
        ",0",
        ",6",
        ",-1",
        "6,",
        "99999999999,",
        "0000000002,3",
        "1.5,3",
        "'2 ',3"
    })
    void of_malformedAckOrFrom_isRefused(String ack, String from) {
        assertBadRequest(null, ack, from);
    }

    @ParameterizedTest
    @CsvSource({"2/3,2,3", "2/3,2,", "2/3,,3"})
    void of_bothStyles_isRefused(String replicas, String ack, String from) {
        assertBadRequest(replicas, ack, from);
    }

    /** The client may not know the number that its own number was compared with. */
    @ParameterizedTest
    @CsvSource({
        "4/3,,,4/3",
        "0/3,,,0/3",
        "1/6,,,1/6 5",
        ",4,3,4 3",
        ",6,,6 5",
        ",0,,0",
        ",,6,6 5",
        ",1,9,9 5"
    })
    void of_impossibleNumbers_isRefusedWithTheseNumbers(
            String replicas, String ack, String from, String numbers) {
        String line = assertBadRequest(replicas, ack, from);
        for (String number : numbers.split(" ")) {
            assertThat(line).containsPattern("(?<!\\d)" + number + "(?!\\d)");
        }
    }

    /** Returns the line that the client gets. */
    private static String assertBadRequest(String replicas, String ack, String from) {
        RequestException refused =
                catchThrowableOfType(RequestException.class, () -> of(replicas, ack, from));
        assertThat(refused).as("it is accepted").isNotNull();
        assertThat(refused.response().status()).isEqualTo(Status.BAD_REQUEST);
        return Refusal.line(refused);
    }

    @Test
    void majority_meetsEveryOtherMajority() {
        for (int from = 1; from <= 9; from++) {
            assertThat(2 * Quorum.majorityOf(from).ack()).isGreaterThan(from);
        }
    }
}
