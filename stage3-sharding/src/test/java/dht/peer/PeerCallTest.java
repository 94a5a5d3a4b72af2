package dht.peer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.OwnedBytes;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests when a call whose connection broke before its answer is sent a second time. */
class PeerCallTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final PeerHealth HEALTH =
            new PeerHealth(
                    new NodeAddress("node", 1),
                    new PeerOptions(1, 1, TIMEOUT, TIMEOUT, 1, TIMEOUT, Duration.ZERO));

    private static EntityRequest request(String method) {
        byte[] key = "k".getBytes(UTF_8);
        return switch (method) {
            case "GET" -> new EntityRequest.Get(key, null);
            case "PUT" -> new EntityRequest.Put(key, OwnedBytes.takeOver(new byte[1]), null, 0);
            case "DELETE" -> new EntityRequest.Delete(key, null, 0);
            default -> throw new AssertionError(method);
        };
    }

    /** The node may have done a write that reached it, and would stamp a second one anew. */
    @ParameterizedTest
    @CsvSource({
        "GET,    0,  true,  true",
        "GET,    0,  false, true",
        "PUT,    0,  true,  false",
        "PUT,    0,  false, true",
        "PUT,    10, true,  true",
        "DELETE, 0,  true,  false",
        "DELETE, 0,  false, true",
        "DELETE, 10, true,  true",
    })
    void call_whoseConnectionBroke_isRepeatedOnceIfThatIsSafe(
            String method, long stamp, boolean mayHaveReached, boolean isRepeated) {
        PeerCall call = new PeerCall(HEALTH, request(method), stamp, _ -> {});
        call.beginSending();
        call.finishSending(mayHaveReached);
        assertThat(call.tryRepeat()).isEqualTo(isRepeated);
        call.beginSending();
        call.finishSending(false);
        assertThat(call.tryRepeat()).as("a third time").isFalse();
    }
}
