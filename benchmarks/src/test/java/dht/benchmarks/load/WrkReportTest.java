package dht.benchmarks.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class WrkReportTest {
    private static final URI URL = URI.create("http://127.0.0.1:8080");
    private static final String TIME = "(\\d+\\.\\d\\d(us|ms|s|m)|-nanus)";
    private static final String NUMBER = "(\\d+\\.\\d\\d[kMGT]?|-nan)";

    /** Each line of wrk2's report, and of what follows it. */
    private static final List<Pattern> LINES =
            List.of(
                    Pattern.compile("Running \\d+[smh] test @ http://\\S+"),
                    Pattern.compile(" {2}\\d+ threads and \\d+ connections"),
                    Pattern.compile(" {2}Thread Stats   Avg      Stdev     Max   \\+/- Stdev"),
                    Pattern.compile(" {4}Latency( +" + TIME + "){3} +[\\d.]+%"),
                    Pattern.compile(" {4}Req/Sec( +" + NUMBER + "){3} +[\\d.]+%"),
                    Pattern.compile(" {2}Latency Distribution \\(HdrHistogram - .+\\)"),
                    Pattern.compile("[ \\d]\\d\\d\\.\\d{3}% +" + TIME + " ?"),
                    Pattern.compile(""),
                    Pattern.compile(" {2}Detailed Percentile spectrum:"),
                    Pattern.compile(" {7}Value   Percentile   TotalCount 1/\\(1-Percentile\\)"),
                    Pattern.compile(" +\\d+\\.\\d{3} +[01]\\.\\d{6} +\\d+ +(\\d+\\.\\d\\d|inf)"),
                    Pattern.compile("#\\[Mean    = +\\S+, StdDeviation   = +\\S+]"),
                    Pattern.compile("#\\[Max     = +\\S+, Total count    = +\\d+]"),
                    Pattern.compile("#\\[Buckets = +27, SubBuckets     = +2048]"),
                    Pattern.compile("-{58}"),
                    Pattern.compile(" {2}\\d+ requests in " + TIME + ", \\d+\\.\\d\\d[KMG]?B read"),
                    Pattern.compile(
                            " {2}Socket errors: connect \\d+, read \\d+, write \\d+, timeout \\d+"),
                    Pattern.compile(" {2}Non-2xx or 3xx responses: \\d+"),
                    Pattern.compile("Requests/sec: +\\d+\\.\\d\\d"),
                    Pattern.compile("Transfer/sec: +\\d+\\.\\d\\d[KMG]?B"),
                    Pattern.compile("Statuses:( none|( \\d+=\\d+)+)"),
                    Pattern.compile(
                            "Accepted, from sending: 50%=\\S+ 99%=\\S+ 99.9%=\\S+ max=\\S+"),
                    Pattern.compile("Misses asked: \\d+"),
                    Pattern.compile("Hit ratio: (\\d\\.\\d{4}|-nan) \\(\\d+ of \\d+ GETs\\)"),
                    Pattern.compile("In flight at the end: \\d+"));

    @Test
    void report_ofAllThereCanBe_isTheGoldenText() throws IOException {
        LoadStatistics statistics = new LoadStatistics();
        for (int i = 1; i <= 1000; i++) {
            RequestSource.Kind kind =
                    i % 100 == 0 ? RequestSource.Kind.GET_MISSING : RequestSource.Kind.GET;
            statistics.sent(kind);
            statistics.received(190);
            statistics.answered(kind, i % 100 == 0 ? 404 : 200, i * 1_000L * i, i * 1_000L);
        }
        statistics.sampleRate(9000);
        statistics.sampleRate(11_000);
        statistics.broken(Connection.Fault.CONNECT);
        statistics.broken(Connection.Fault.READ);
        statistics.broken(Connection.Fault.WRITE);
        statistics.broken(Connection.Fault.IDLE);
        statistics.timedOut();
        statistics.leftInFlight();

        List<String> lines = report(statistics, true);

        assertThat(lines).isEqualTo(RequestSourceTest.resourceLines("report.txt"));
        assertThat(lines).allMatch(WrkReportTest::isKnown);
    }

    @Test
    void report_ofNothing_isReadableToo() {
        assertThat(report(new LoadStatistics(), true)).allMatch(WrkReportTest::isKnown);
    }

    @Test
    void report_withoutErrors_doesNotMentionThem() {
        LoadStatistics statistics = new LoadStatistics();
        statistics.answered(RequestSource.Kind.GET, 200, 1000, 1000);
        assertThat(report(statistics, false))
                .noneMatch(line -> line.contains("errors") || line.contains("Non-2xx"));
    }

    private static boolean isKnown(String line) {
        return LINES.stream().anyMatch(pattern -> pattern.matcher(line).matches());
    }

    private static List<String> report(LoadStatistics statistics, boolean latencies) {
        LoadOptions options =
                Loads.options(URL, 1, 4, 100, Duration.ofSeconds(60), Duration.ofSeconds(2));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, false, UTF_8)) {
            WrkReport.printHead(options, out);
            new WrkReport(options, Workload.GET, out)
                    .print(
                            new LoadRun.Result(statistics, new Timeline(), 60_000_000_000L),
                            latencies,
                            latencies);
        }
        return bytes.toString(UTF_8).lines().toList();
    }
}
