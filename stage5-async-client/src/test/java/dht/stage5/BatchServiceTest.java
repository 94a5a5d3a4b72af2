package dht.stage5;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.command.RunningServer;
import dht.command.StageCommand;
import dht.peer.batch.Batch;
import dht.testkit.node.Ports;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real node, to which a test sends batches that it has written itself. */
class BatchServiceTest {
    private static final String SECRET = "between-us";
    private static final byte[] NONE = {};

    private record Answer(int status, long stamp, String body) {}

    @TempDir private Path directory;
    private final HttpClient client = HttpClient.newHttpClient();
    private final ByteArrayOutputStream message = new ByteArrayOutputStream();
    private String url;
    private Ports.Lease port;
    private RunningServer server;

    @BeforeEach
    void start() throws IOException {
        start("os");
    }

    private void start(String durability) throws IOException {
        port = Ports.lease();
        Main main = new Main();
        StageCommand.lineOf(main)
                .parseArgs(
                        "--port=" + port.port(),
                        "--data=" + directory,
                        "--durability=" + durability,
                        "--queue-deadline=10s",
                        "--cluster-secret=" + SECRET);
        server = RunningServer.start(main::start);
        url = server.url();
    }

    @AfterEach
    void closeClient() {
        client.close();
    }

    @AfterEach
    void end() {
        server.close();
        port.close();
    }

    private void ask(char kind, long stamp, String key, byte[] value) throws IOException {
        DataOutputStream out = new DataOutputStream(message);
        byte[] name = key.getBytes(UTF_8);
        out.writeByte(kind);
        out.writeLong(stamp);
        out.writeShort(name.length);
        out.writeInt(value.length);
        out.write(name);
        out.write(value);
    }

    private HttpResponse<byte[]> send(String secret) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(url + Batch.PATH))
                        .header("Cluster-Secret", secret)
                        .timeout(Duration.ofSeconds(20))
                        .PUT(BodyPublishers.ofByteArray(message.toByteArray()))
                        .build();
        message.reset();
        return client.send(request, BodyHandlers.ofByteArray());
    }

    private List<Answer> answers() throws Exception {
        HttpResponse<byte[]> response = send(SECRET);
        assertThat(response.statusCode()).isEqualTo(200);
        ByteBuffer body = ByteBuffer.wrap(response.body());
        List<Answer> answers = new ArrayList<>();
        while (body.hasRemaining()) {
            int status = body.getShort();
            long stamp = body.getLong();
            byte[] bytes = new byte[body.getInt()];
            body.get(bytes);
            answers.add(new Answer(status, stamp, new String(bytes, UTF_8)));
        }
        return answers;
    }

    @Test
    void questions_ofEachKind_areAnsweredInTheirOrder() throws Exception {
        ask('P', 10, "a", "first".getBytes(UTF_8));
        ask('P', 11, "b", NONE);
        ask('D', 12, "c", NONE);
        ask('G', 0, "a", NONE);
        ask('G', 0, "b", NONE);
        ask('G', 0, "c", NONE);
        ask('G', 0, "d", NONE);
        assertThat(answers())
                .containsExactly(
                        new Answer(201, 0, ""),
                        new Answer(201, 0, ""),
                        new Answer(202, 0, ""),
                        new Answer(200, 10, "first"),
                        new Answer(200, 11, ""),
                        new Answer(404, 12, ""),
                        new Answer(404, 0, ""));
    }

    @Test
    void write_thatIsLate_changesNothingAndIsToldOfTheNewer() throws Exception {
        ask('P', 20, "a", "new".getBytes(UTF_8));
        ask('P', 10, "a", "old".getBytes(UTF_8));
        ask('D', 20, "a", NONE);
        ask('G', 0, "a", NONE);
        List<Answer> answers = answers();
        assertThat(answers.get(1)).isEqualTo(new Answer(201, 20, ""));
        assertThat(answers.get(2).status()).isEqualTo(202);
        assertThat(answers.get(2).stamp()).isEqualTo(20);
    }

    @Test
    void question_whetherAVersionIsTheNewest_isAnsweredWithTheNewer() throws Exception {
        ask('P', 20, "a", "new".getBytes(UTF_8));
        ask('G', 19, "a", NONE);
        ask('G', 20, "a", NONE);
        ask('G', 21, "a", NONE);
        assertThat(answers())
                .containsExactly(
                        new Answer(201, 0, ""),
                        new Answer(404, 20, ""),
                        new Answer(404, 20, ""),
                        new Answer(404, 0, ""));
    }

    @Test
    void question_thatFails_failsAlone() throws Exception {
        long inTwoDays = Instant.now().getEpochSecond() + TimeUnit.DAYS.toSeconds(2);
        ask('P', 10, "a", "x".getBytes(UTF_8));
        ask('P', TimeUnit.SECONDS.toMicros(inTwoDays), "b", "y".getBytes(UTF_8));
        ask('G', 0, "a", NONE);
        List<Answer> answers = answers();
        assertThat(answers).extracting(Answer::status).containsExactly(201, 400, 200);
        assertThat(answers.get(1).body()).contains("ahead");
    }

    @Test
    void answers_ofManyFailures_stayWithinTheirBound() throws Exception {
        long inTwoDays = Instant.now().getEpochSecond() + TimeUnit.DAYS.toSeconds(2);
        for (int i = 0; i < Batch.SIZE_MAX; i++) {
            ask('D', TimeUnit.SECONDS.toMicros(inTwoDays), "a", NONE);
        }
        byte[] body = send(SECRET).body();
        assertThat(body).hasSizeLessThanOrEqualTo(Batch.ANSWERS_BYTES_MAX);
    }

    @Test
    void value_thatIsLarge_isToBeAskedForAlone() throws Exception {
        ask('P', 10, "large", new byte[Batch.ANSWERS_BYTES_MAX]);
        ask('P', 11, "small", NONE);
        ask('G', 0, "large", NONE);
        ask('G', 0, "small", NONE);
        assertThat(answers())
                .extracting(Answer::status)
                .containsExactly(201, 201, Batch.ALONE, 200);
    }

    @Test
    void message_thatIsNone_isRefusedAsAWhole() throws Exception {
        ask('P', 10, "a", "x".getBytes(UTF_8));
        message.write('?');
        HttpResponse<byte[]> refused = send(SECRET);
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(new String(refused.body(), UTF_8)).startsWith("batch: ");
        ask('G', 0, "a", NONE);
        assertThat(answers()).containsExactly(new Answer(404, 0, ""));
    }

    /** The thread that has served the message does not wait for the sync. */
    @Test
    void message_recordedWhileItIsSynced_passesItsPointsInOrder() throws Exception {
        end();
        start("fsync");
        ask('P', 10, "a", NONE);
        String kind = "PUT " + Batch.PATH;
        RecordedRequest recorded =
                RecordedRequest.during(
                                this::sendQuietly,
                                all -> all.stream().anyMatch(each -> each.kind().equals(kind)))
                        .stream()
                        .filter(each -> each.kind().equals(kind))
                        .findFirst()
                        .orElseThrow();
        assertThat(recorded.queued()).isNotNegative();
        assertThat(recorded.begun()).isGreaterThanOrEqualTo(recorded.queued());
        assertThat(recorded.stored()).isGreaterThanOrEqualTo(recorded.begun());
        assertThat(recorded.answered()).isGreaterThanOrEqualTo(recorded.stored());
        assertThat(recorded.work()).anyMatch(each -> each.begun() == recorded.begun());
    }

    private void sendQuietly() {
        try {
            send(SECRET);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void message_withoutTheSecret_isRefused() throws Exception {
        ask('G', 0, "a", NONE);
        assertThat(send("a-guess").statusCode()).isEqualTo(403);
    }
}
