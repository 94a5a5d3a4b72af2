package dht.stage2;

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
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the metrics of a server. */
@Timeout(60)
class MetricsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir private Path directory;
    private RunningServer server;

    @BeforeEach
    void start() throws IOException {
        start("64m");
    }

    private void start(String memTableSize) throws IOException {
        Main main = new Main();
        StageCommand.lineOf(main)
                .parseArgs(
                        "--port=" + Ports.lease().port(),
                        "--data=" + directory,
                        "--memtable-size=" + memTableSize,
                        "--write-stall-max=60s",
                        Stage2Test.PATIENT);
        server = RunningServer.start(main::start);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void metrics_afterRequests_countThemByPathMethodAndStatus() throws Exception {
        String entity = "/v0/entity?id=fox";
        send(to(entity).PUT(BodyPublishers.ofString("quick")).build());
        send(to(entity).build());
        send(to(entity).build());
        send(to("/v0/entity").build());

        awaitMetrics(
                times("PUT", "2xx") + " 1",
                times("GET", "2xx") + " 2",
                times("GET", "4xx") + " 1",
                times("DELETE", "2xx") + " 0");
    }

    @Test
    void metrics_ofAnIdleServer_showQueueRejectionsAndStorage() throws Exception {
        awaitMetrics(
                "requests_queued 0.0",
                "requests_in_flight 0.0",
                "requests_rejected_total{cause=\"full\"} 0.0",
                "requests_rejected_total{cause=\"deadline\"} 0.0",
                "requests_rejected_total{cause=\"stopping\"} 0.0",
                "storage_memtables 1.0",
                "storage_tables 0.0",
                "storage_flushed_bytes_total 0.0",
                "storage_compacted_bytes_total 0.0",
                "storage_write_stalls_total 0.0");
    }

    @Test
    void metrics_afterAWrite_showItsBytesInTheMemTable() throws Exception {
        send(to("/v0/entity?id=fox").PUT(BodyPublishers.ofByteArray(new byte[10_000])).build());

        assertThat(valueOf("storage_memtable_bytes")).isGreaterThan(10_000);
    }

    @Test
    void metrics_afterAFlush_showItsBytesAndTable() throws Exception {
        server.close();
        start("128k");
        for (int i = 0; i < 4; i++) {
            String entity = "/v0/entity?id=fox" + i;
            send(to(entity).PUT(BodyPublishers.ofByteArray(new byte[50_000])).build());
        }

        awaitMetrics("storage_tables 1.0");
        assertThat(valueOf("storage_flushed_bytes_total")).isGreaterThan(50_000);
        assertThat(valueOf("storage_accepted_bytes_total")).isGreaterThan(50_000);
        assertThat(valueOf("storage_table_bytes"))
                .isEqualTo(valueOf("storage_flushed_bytes_total"));
    }

    @Test
    void metrics_askedByAnotherMethod_are405() throws Exception {
        assertThat(send(to("/metrics").DELETE().build()).statusCode()).isEqualTo(405);
    }

    /** Soon after the answer, not before it, a request is counted, and its worker at rest. */
    private void awaitMetrics(String... samples) throws Exception {
        Deadline deadline = Deadline.in(PATIENCE);
        String metrics = metrics();
        while (!Stream.of(samples).allMatch(metrics::contains) && !deadline.passed()) {
            metrics = metrics();
        }
        assertThat(metrics).contains(samples);
    }

    private double valueOf(String name) throws Exception {
        return metrics()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .sum();
    }

    private static String times(String method, String status) {
        return "http_request_duration_seconds_count{method=\"%s\",path=\"/v0/entity\",status=\"%s\"}"
                .formatted(method, status);
    }

    private String metrics() throws Exception {
        HttpResponse<String> answer = send(to("/metrics").build());
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain; version="));
        return answer.body();
    }

    private HttpRequest.Builder to(String target) {
        return HttpRequest.newBuilder(URI.create(server.url() + target));
    }

    private HttpResponse<String> send(HttpRequest request) throws Exception {
        return client.send(request, BodyHandlers.ofString());
    }
}
