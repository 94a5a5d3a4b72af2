package dht.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FillRunTest {
    private static final String CREATED = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n";
    private static final String BUSY =
            "HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n";
    private static final String TOO_LATE = "HTTP/1.1 504 Late\r\nContent-Length: 0\r\n\r\n";
    private static final String BROKEN = "HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n";

    private final ByteArrayOutputStream text = new ByteArrayOutputStream();

    @Test
    void fill_ofAServerThatIsBusyOrLateAtTimes_writesEachKeyOnce() throws Exception {
        Set<String> written = ConcurrentHashMap.newKeySet();
        Set<String> twice = ConcurrentHashMap.newKeySet();
        StubServer.Answer answer =
                (index, request) -> {
                    if (index % 7 == 3) {
                        return BUSY;
                    }
                    if (index % 11 == 5) {
                        return TOO_LATE;
                    }
                    if (index % 50 == 20) {
                        return null;
                    }
                    if (!written.add(request.line())) {
                        twice.add(request.line());
                    }
                    return CREATED;
                };
        try (StubServer server = new StubServer(answer)) {
            fill(server, 3, 500);

            assertThat(written)
                    .hasSize(500)
                    .allMatch(line -> line.startsWith("PUT /v0/entity?id=key"));
            assertThat(twice).isEmpty();
            assertThat(server.received()).allMatch(request -> request.body().length() == 5);
            assertThat(text.toString(StandardCharsets.UTF_8))
                    .containsPattern("Fill: KEYS=500 VALUE_BYTES=5 SEED=42\n")
                    .containsPattern(
                            "Filled 500 keys in \\d+\\.\\d\\ds: \\d+\\.\\d\\d/s, [1-9]\\d* retries\n");
        }
    }

    @Test
    void fill_ofAServerThatFails_failsWithTheAnswer() throws Exception {
        try (StubServer server =
                new StubServer((index, request) -> index == 10 ? BROKEN : CREATED)) {
            assertThatThrownBy(() -> fill(server, 1, 100))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("answered 500 to PUT of ");
        }
    }

    private void fill(StubServer server, int threads, int keys)
            throws IOException, InterruptedException {
        LoadOptions options =
                Loads.options(
                        server.url(), threads, 6, 1, Duration.ofSeconds(1), Duration.ofSeconds(1));
        WorkloadSettings settings =
                WorkloadSettings.of(
                        Map.of("KEYS", Integer.toString(keys), "VALUE_BYTES", "5"), threads);
        try (PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8)) {
            new FillRun(options, settings, new Threads(), out).run();
        }
    }
}
