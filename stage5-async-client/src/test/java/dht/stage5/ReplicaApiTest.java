package dht.stage5;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dht.command.RunningServer;
import dht.command.StageCommand;
import dht.peer.batch.Batch;
import dht.testkit.node.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Another node sends versions more than once, or after newer ones, in each of the possible kinds of
 * messages.
 */
class ReplicaApiTest {
    private static final long STAMP = 1_000;
    private static final String ENTITY = "/internal/v0/entity";

    /** The kind of message that brings a write. */
    private enum Way {
        PLAIN,
        INLINE,
        BATCH
    }

    /** The node's answer to a write, or its version of the key. */
    private record Answer(int status, long stamp, String body) {}

    @TempDir private Path directory;
    private final HttpClient client = HttpClient.newHttpClient();
    private Ports.Lease port;
    private RunningServer server;

    @BeforeEach
    void start() throws IOException {
        port = Ports.lease();
        Main main = new Main();
        StageCommand.lineOf(main)
                .parseArgs("--port=" + port.port(), "--data=" + directory, "--queue-deadline=10s");
        server = RunningServer.start(main::start);
    }

    @AfterEach
    void end() {
        client.close();
        server.close();
        port.close();
    }

    private Answer put(Way way, long stamp, String value) throws Exception {
        String parameters = "?id=k&timestamp=" + stamp;
        return switch (way) {
            case PLAIN -> answer(send("PUT", ENTITY + parameters, BodyPublishers.ofString(value)));
            case INLINE -> {
                String text = Base64.getUrlEncoder().encodeToString(value.getBytes(ISO_8859_1));
                String target = ENTITY + "/inline" + parameters + "&value=" + text;
                yield answer(send("PUT", target, BodyPublishers.noBody()));
            }
            case BATCH -> batch('P', stamp, value);
        };
    }

    private Answer delete(Way way, long stamp) throws Exception {
        String target = ENTITY + "?id=k&timestamp=" + stamp;
        return way == Way.BATCH
                ? batch('D', stamp, "")
                : answer(send("DELETE", target, BodyPublishers.noBody()));
    }

    private Answer get() throws Exception {
        return answer(send("GET", ENTITY + "?id=k", BodyPublishers.noBody()));
    }

    private Answer batch(char kind, long stamp, String value) throws Exception {
        ByteBuffer question = ByteBuffer.allocate(15 + 1 + value.length());
        question.put((byte) kind).putLong(stamp).putShort((short) 1).putInt(value.length());
        question.put((byte) 'k').put(value.getBytes(ISO_8859_1));
        var sent = send("PUT", Batch.PATH, BodyPublishers.ofByteArray(question.array()));
        assertThat(sent.statusCode()).isEqualTo(200);
        ByteBuffer answer = ByteBuffer.wrap(sent.body().getBytes(ISO_8859_1));
        return new Answer(answer.getShort(), answer.getLong(), "");
    }

    private HttpResponse<String> send(String method, String target, BodyPublisher body)
            throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(server.url() + target))
                        .timeout(Duration.ofSeconds(20))
                        .method(method, body)
                        .build();
        return client.send(request, BodyHandlers.ofString(ISO_8859_1));
    }

    private static Answer answer(HttpResponse<String> response) {
        long stamp = response.headers().firstValueAsLong("Timestamp-Micros").orElse(0);
        String body = response.statusCode() == 200 ? response.body() : "";
        return new Answer(response.statusCode(), stamp, body);
    }

    @ParameterizedTest
    @EnumSource
    void version_arrivingTwice_isOne(Way way) throws Exception {
        assertThat(put(way, STAMP, "v")).isEqualTo(new Answer(201, 0, ""));
        assertThat(put(way, STAMP, "v")).isEqualTo(new Answer(201, STAMP, ""));
        assertThat(get()).isEqualTo(new Answer(200, STAMP, "v"));
        assertThat(delete(way, STAMP + 1)).isEqualTo(new Answer(202, 0, ""));
        assertThat(delete(way, STAMP + 1)).isEqualTo(new Answer(202, STAMP + 1, ""));
        assertThat(get()).isEqualTo(new Answer(404, STAMP + 1, ""));
    }

    @ParameterizedTest
    @EnumSource
    void version_arrivingLate_changesNothingAndIsToldSo(Way way) throws Exception {
        put(way, STAMP, "v");
        assertThat(put(way, STAMP - 1, "old")).isEqualTo(new Answer(201, STAMP, ""));
        assertThat(delete(way, STAMP - 1)).isEqualTo(new Answer(202, STAMP, ""));
        assertThat(get()).isEqualTo(new Answer(200, STAMP, "v"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&value=a", "&value=%21%21%21%21"})
    void inlineValue_thatIsNone_isRefused(String value) throws Exception {
        String target = ENTITY + "/inline?id=k&timestamp=" + STAMP + value;
        HttpResponse<String> refused = send("PUT", target, BodyPublishers.noBody());
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).startsWith("value: ");
        assertThat(get()).isEqualTo(new Answer(404, 0, ""));
    }

    @ParameterizedTest
    @EnumSource
    void version_arrivingAfterItsDeletion_staysDeleted(Way way) throws Exception {
        delete(way, STAMP);
        assertThat(put(way, STAMP - 1, "old")).isEqualTo(new Answer(201, STAMP, ""));
        assertThat(get()).isEqualTo(new Answer(404, STAMP, ""));
    }
}
