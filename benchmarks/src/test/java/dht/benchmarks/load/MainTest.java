package dht.benchmarks.load;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.command.StageCommand;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class MainTest {
    private static final String UNAVAILABLE =
            "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";

    @TempDir private Path directory;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-t4 -c64 -d60s -R10k -L -s scripts/load/put.lua http://localhost:8080",
                "-t 4 -c 64 -d 1m -R 10000 --latency -s put http://localhost:8080",
                "--threads 4 --connections 64 --duration 60 --rate 10k --script put.lua -U"
                        + " http://localhost:8080",
                "http://localhost:8080 --threads=4 -c64 --duration=60s --rate=10000 -sput -LU"
            })
    void options_inWrk2sSpellings_areUnderstood(String line) {
        LoadOptions options = parsed(line).options(Map.of());
        assertThat(options.threads()).isEqualTo(4);
        assertThat(options.connections()).isEqualTo(64);
        assertThat(options.rate()).isEqualTo(10_000);
        assertThat(options.duration()).isEqualTo(Duration.ofSeconds(60));
        assertThat(options.timeout()).isEqualTo(Duration.ofSeconds(2));
        assertThat(options.urls()).containsExactly(URI.create("http://localhost:8080"));
    }

    @Test
    void options_withSpread_haveTheServersOfTheList_exceptForAFill() {
        Map<String, String> spread = Map.of("SPREAD", "http://a:1,http://b:2");

        assertThat(parsed("-t2 -R100 -s put http://c:3").options(spread).urls())
                .containsExactly(URI.create("http://a:1"), URI.create("http://b:2"));
        assertThat(parsed("-t1 --fill http://c:3").options(spread).urls())
                .containsExactly(URI.create("http://c:3"));
    }

    @ParameterizedTest
    @CsvSource({
        "'http://a:1,http://b:2', threads=3 must be a multiple of the 2 servers in SPREAD",
        "'http://a:1,', URL '' is not such as http://127.0.0.1:8080",
        "'http://a:1/v0,http://b:1,http://c:1', URL 'http://a:1/v0' has a path"
    })
    void options_withASpreadThatDoesNotFit_areRefused(String list, String complaint) {
        Main main = parsed("-t3 -R100 -s put http://c:3");

        assertThatThrownBy(() -> main.options(Map.of("SPREAD", list)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(complaint);
    }

    private static Main parsed(String line) {
        Main main = new Main();
        new CommandLine(main).parseArgs(line.split(" "));
        return main;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-R100 -s put",
                "-R100 http://127.0.0.1:1",
                "-s put http://127.0.0.1:1",
                "-R0 -s put http://127.0.0.1:1",
                "-R100 -s drop http://127.0.0.1:1",
                "-R100 -s put -t4 -c2 http://127.0.0.1:1",
                "-R100 -s put -d1y http://127.0.0.1:1",
                "-R100 -s put ftp://127.0.0.1:1",
                "-R100 -s put http://127.0.0.1:1/v1",
                "-R100 -s put -Hoops http://127.0.0.1:1",
                "-R100 -s put -Z http://127.0.0.1:1"
            })
    void main_ofAWrongCommandLine_exitsWith2AndOneLine(String line) {
        StringWriter errors = new StringWriter();
        int exitCode =
                StageCommand.lineOf(new Main())
                        .setErr(new PrintWriter(errors))
                        .execute(line.split(" "));

        assertThat(exitCode).isEqualTo(2);
        assertThat(errors.toString().strip()).startsWith("workbook-load: ").doesNotContain("\n");
    }

    @Test
    void main_whereNobodyListens_exitsWith1() throws Exception {
        StringWriter errors = new StringWriter();
        // A port that is bound belongs to nobody else, and refuses connections.
        try (Socket bound = new Socket()) {
            bound.bind(new InetSocketAddress("127.0.0.1", 0));
            int exitCode =
                    StageCommand.lineOf(new Main())
                            .setErr(new PrintWriter(errors))
                            .execute(
                                    "-R100",
                                    "-s",
                                    "get",
                                    "http://127.0.0.1:" + bound.getLocalPort());

            assertThat(exitCode).isEqualTo(1);
        }
        assertThat(errors.toString()).startsWith("workbook-load: unable to connect to 127.0.0.1:");
    }

    @Test
    void main_withHeadersAndRecord_sendsAndWritesThem() throws Exception {
        Path file = directory.resolve("latencies.csv");
        try (StubServer server = new StubServer((index, request) -> StubServer.OK)) {
            int exitCode =
                    StageCommand.lineOf(new Main())
                            .execute(
                                    "-t1",
                                    "-c2",
                                    "-d1s",
                                    "-R200",
                                    "--warmup",
                                    "100ms",
                                    "-sstatus",
                                    "-HX-Test: yes",
                                    "--record",
                                    file.toString(),
                                    "-L",
                                    server.url().toString());

            assertThat(exitCode).isZero();
            assertThat(server.received())
                    .allMatch(request -> request.line().equals("GET /v0/status"))
                    .allMatch(request -> request.head().contains("\r\nX-Test: yes\r\n"));
        }
        List<String> lines = Files.readAllLines(file);
        assertThat(lines.getFirst()).isEqualTo("latency,valueMicros,count,totalCount,percentile");
        assertThat(lines.stream().skip(1))
                .allMatch(
                        line ->
                                line.matches(
                                        "(recorded|uncorrected),\\d+,\\d+,\\d+,\\d+\\.\\d{6}"));
        assertThat(lines.getLast()).endsWith(",100.000000");
    }

    @Test
    void main_withStartAt_sendsNothingBefore() throws Exception {
        AtomicLong firstMillis = new AtomicLong(Long.MAX_VALUE);
        long startAtMillis = System.currentTimeMillis() + 700;
        try (StubServer server =
                new StubServer(
                        (index, request) -> {
                            firstMillis.accumulateAndGet(System.currentTimeMillis(), Math::min);
                            return StubServer.OK;
                        })) {
            int exitCode =
                    StageCommand.lineOf(new Main())
                            .execute(
                                    "-t1",
                                    "-c1",
                                    "-d200ms",
                                    "-R100",
                                    "--warmup",
                                    "50ms",
                                    "-sstatus",
                                    "--start-at",
                                    Long.toString(startAtMillis),
                                    server.url().toString());

            assertThat(exitCode).isZero();
        }
        assertThat(firstMillis.get()).isBetween(startAtMillis, startAtMillis + 5000);
    }

    @Test
    void main_withTimeline_writesEachSecond() throws Exception {
        Path file = directory.resolve("timeline.csv");
        try (StubServer server =
                new StubServer((index, request) -> index % 4 == 0 ? StubServer.OK : UNAVAILABLE)) {
            int exitCode =
                    StageCommand.lineOf(new Main())
                            .execute(
                                    "-t1",
                                    "-c2",
                                    "-d2s",
                                    "-R200",
                                    "--warmup",
                                    "100ms",
                                    "-sstatus",
                                    "--timeline",
                                    file.toString(),
                                    server.url().toString());

            assertThat(exitCode).isZero();
        }
        List<String> lines = Files.readAllLines(file);
        assertThat(lines.getFirst())
                .isEqualTo("second,answered,errors,p50Micros,p99Micros,maxMicros");
        assertThat(lines).hasSizeBetween(3, 4);
        assertThat(lines.stream().skip(1)).allMatch(line -> line.matches("\\d(,\\d+){5}"));
        assertThat(sum(lines, 2)).isGreaterThan(sum(lines, 1)).isPositive();
    }

    /** A script that injects a fault during a load reads from this line when second 0 was. */
    @Test
    void main_withTimeline_saysWhenItsFirstSecondBegins() throws Exception {
        Path file = directory.resolve("timeline.csv");
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        AtomicLong firstMillis = new AtomicLong(Long.MAX_VALUE);
        PrintStream before = System.out;
        try (StubServer server =
                new StubServer(
                        (index, request) -> {
                            if (said.toString(US_ASCII).contains("Began: ")) {
                                firstMillis.accumulateAndGet(System.currentTimeMillis(), Math::min);
                            }
                            return StubServer.OK;
                        })) {
            System.setOut(new PrintStream(said, true, US_ASCII));
            int exitCode =
                    StageCommand.lineOf(new Main())
                            .execute(
                                    "-t1",
                                    "-c1",
                                    "-d1s",
                                    "-R100",
                                    "--warmup",
                                    "100ms",
                                    "-sstatus",
                                    "--timeline",
                                    file.toString(),
                                    server.url().toString());

            assertThat(exitCode).isZero();
        } finally {
            System.setOut(before);
        }
        String text = said.toString(US_ASCII);
        assertThat(text).containsOnlyOnce("\nBegan: ");
        assertThat(text.indexOf("Began: "))
                .isBetween(text.indexOf("Running "), text.indexOf("Thread Stats"));
        long beganMillis = Long.parseLong(text.replaceAll("(?s).*\nBegan: (\\d+)\n.*", "$1"));
        assertThat(firstMillis.get()).isBetween(beganMillis, beganMillis + 5000);
    }

    private static long sum(List<String> lines, int column) {
        return lines.stream()
                .skip(1)
                .mapToLong(line -> Long.parseLong(line.split(",")[column]))
                .sum();
    }
}
