package dht.stage4;

import static org.assertj.core.api.Assertions.assertThat;

import dht.command.RunningServer;
import dht.command.StageCommand;
import dht.testkit.concurrent.Deadline;
import dht.testkit.node.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the effects of a node's options. */
@Timeout(120)
class MainTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration A_BIT = Duration.ofMinutes(10);
    private static final String FILLER = "v".repeat(4000);

    @TempDir private Path directory;
    private final HttpClient client = HttpClient.newHttpClient();
    private RunningServer server;

    private void start(String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(more));
        arguments.add("--port=" + Ports.lease().port());
        arguments.add("--queue-deadline=10s");
        arguments.add("--data=" + directory);
        Main main = new Main();
        StageCommand.lineOf(main).parseArgs(arguments.toArray(String[]::new));
        server = RunningServer.start(main::start);
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
        client.close();
    }

    private HttpResponse<String> send(
            String method, String pathAndParameters, HttpRequest.BodyPublisher body) {
        URI uri = URI.create(server.url() + pathAndParameters);
        try {
            return client.send(
                    HttpRequest.newBuilder(uri).method(method, body).build(),
                    HttpResponse.BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void put(String key, String value) {
        var body = BodyPublishers.ofString(value);
        assertThat(send("PUT", "/v0/entity?id=" + key, body).statusCode()).isEqualTo(201);
    }

    /** Has tables written; the node may refuse that when there are too many. */
    private void fill() {
        send("PUT", "/v0/entity?id=filler", BodyPublishers.ofString(FILLER));
    }

    /** As another coordinator does that was late by so much. */
    private void delete(String key, Duration age) {
        long stamp = (System.currentTimeMillis() - age.toMillis()) * 1000;
        String target = "/internal/v0/entity?id=%s&timestamp=%d".formatted(key, stamp);
        assertThat(send("DELETE", target, BodyPublishers.noBody()).statusCode()).isEqualTo(202);
    }

    /** Of the version that the node holds, be it a deletion. */
    private Optional<Long> stamp(String key) {
        return send("GET", "/internal/v0/entity?id=" + key, BodyPublishers.noBody())
                .headers()
                .firstValue("Timestamp-Micros")
                .map(Long::valueOf);
    }

    @ParameterizedTest
    @CsvSource({"--gc-grace=1h, PT1H", ", PT240H"})
    void deletion_olderThanTheGrace_isForgottenAndNoOther(String option, Duration grace)
            throws IOException {
        List<String> options = new ArrayList<>(List.of("--memtable-size=64k"));
        Optional.ofNullable(option).ifPresent(options::add);
        start(options.toArray(String[]::new));
        delete("older", grace.plus(A_BIT));
        delete("younger", grace.minus(A_BIT)); // In the same tables as the other one, always.
        Deadline.in(PATIENCE)
                .await(
                        "a compaction to drop the older deletion",
                        () -> {
                            fill();
                            return stamp("older").isEmpty();
                        });
        assertThat(stamp("younger")).isPresent();
    }

    @Test
    void clock_behindAfterARestart_isPastWhatIsStored() throws IOException {
        start();
        put("k", "before");
        long stored = stamp("k").orElseThrow();
        server.close();
        start("--clock-behind=1h");
        put("k", "after");
        assertThat(send("GET", "/v0/entity?id=k", BodyPublishers.noBody()).body())
                .isEqualTo("after");
        assertThat(stamp("k").orElseThrow()).isGreaterThan(stored);
    }
}
