package dht.benchmarks.load;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The generator against servers that misbehave. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class OpenLoopTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(20);

    /**
     * A pause of 200 ms at 1000 requests a second makes some 200 of them late, and 100 of them by
     * 100 ms and more. A closed loop would see it once on each connection.
     */
    @Test
    void latency_whileTheServerPauses_isCountedFromTheIntendedStart() throws Exception {
        AtomicLong pauseEndNanos = new AtomicLong();
        StubServer.Answer pausing =
                (index, request) -> {
                    if (index >= 300) {
                        long now = System.nanoTime();
                        pauseEndNanos.compareAndSet(0, now + 200_000_000);
                        long restNanos = pauseEndNanos.get() - now;
                        if (restNanos > 0) {
                            TimeUnit.NANOSECONDS.sleep(restNanos);
                        }
                    }
                    return StubServer.OK;
                };
        try (StubServer server = new StubServer(pausing)) {
            LoadStatistics statistics =
                    Loads.run(
                            Loads.options(server.url(), 1, 4, 1000, Duration.ofSeconds(3), LONG),
                            Workload.GET,
                            Loads.settings());

            assertThat(statistics.recordedMicros().getMaxValue()).isGreaterThan(180_000);
            assertThat(countFrom(statistics, 100_000)).isGreaterThan(85);
            assertThat(countFrom(statistics, 20_000)).isGreaterThan(150);
            assertThat(statistics.uncorrectedMicros().getTotalCount())
                    .isEqualTo(statistics.recordedMicros().getTotalCount());
            assertThat(statistics.uncorrectedMicros().getMean())
                    .isLessThan(statistics.recordedMicros().getMean());
        }
    }

    private static long countFrom(LoadStatistics statistics, long micros) {
        return statistics
                .recordedMicros()
                .getCountBetweenValues(micros, statistics.recordedMicros().getMaxValue());
    }

    @Test
    void requests_atARate_areNotMoreThanWereDue() throws Exception {
        try (StubServer server = new StubServer((index, request) -> StubServer.OK)) {
            LoadStatistics statistics =
                    Loads.run(
                            Loads.options(server.url(), 2, 5, 500, SECOND, LONG),
                            Workload.STATUS,
                            Loads.settings("KEYS", "2"));

            assertThat(statistics.requests()).isBetween(1L, 505L);
            assertThat(statistics.count(200)).isEqualTo(statistics.requests());
            assertThat(statistics.receivedBytes())
                    .isGreaterThanOrEqualTo(statistics.requests() * StubServer.OK.length());
            assertThat(statistics.errorStatuses()).isZero();
        }
    }

    @Test
    void threads_ofALoad_askForKeysOfTheirOwn() throws Exception {
        try (StubServer server = new StubServer((index, request) -> StubServer.OK)) {
            Loads.run(
                    Loads.options(server.url(), 3, 3, 2000, SECOND, LONG),
                    Workload.PUT,
                    Loads.settings("KEYS", "30"));

            Map<Integer, Set<Integer>> threadsByConnection =
                    server.received().stream()
                            .collect(
                                    groupingBy(
                                            StubServer.Received::connection,
                                            mapping(request -> number(request) % 3, toSet())));
            assertThat(threadsByConnection.values()).allMatch(threads -> threads.size() == 1);
            assertThat(union(threadsByConnection.values())).isEqualTo(Set.of(0, 1, 2));
        }
    }

    @Test
    void threads_ofASpreadLoad_haveOneServerEach() throws Exception {
        try (StubServer first = new StubServer((index, request) -> StubServer.OK);
                StubServer second = new StubServer((index, request) -> StubServer.OK)) {
            LoadStatistics statistics =
                    Loads.run(
                            Loads.options(
                                    List.of(first.url(), second.url()), 4, 4, 2000, SECOND, LONG),
                            Workload.PUT,
                            Loads.settings("KEYS", "40"));

            assertThat(threadsAt(first)).isEqualTo(Set.of(0, 2));
            assertThat(threadsAt(second)).isEqualTo(Set.of(1, 3));
            assertThat(statistics.requests())
                    .isBetween(
                            first.received().size() + second.received().size() - 4L,
                            (long) first.received().size() + second.received().size());
        }
    }

    private static Set<Integer> threadsAt(StubServer server) {
        return server.received().stream().map(request -> number(request) % 4).collect(toSet());
    }

    private static Set<Integer> union(Collection<Set<Integer>> sets) {
        Set<Integer> all = new HashSet<>();
        sets.forEach(all::addAll);
        return all;
    }

    private static int number(StubServer.Received request) {
        return Integer.parseInt(request.line().substring(request.line().length() - 9));
    }

    @Test
    void answers_thatAreErrors_areCountedByStatus() throws Exception {
        StubServer.Answer mixed =
                (index, request) ->
                        switch (index % 4) {
                            case 0 -> "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
                            case 1 -> "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n";
                            default -> StubServer.OK;
                        };
        try (StubServer server = new StubServer(mixed)) {
            LoadStatistics statistics = run(server, 400);

            assertThat(statistics.errorStatuses())
                    .isEqualTo(statistics.count(404) + statistics.count(503));
            assertThat(statistics.count(404)).isGreaterThan(0);
            assertThat(statistics.count(503)).isGreaterThan(0);
            assertThat(statistics.hits()).isEqualTo(statistics.count(200));
            assertThat(statistics.lookups())
                    .isEqualTo(statistics.count(200) + statistics.count(404));
        }
    }

    @Test
    void connections_closedInsteadOfAnAnswer_areReadErrorsAndOpenedAgain() throws Exception {
        try (StubServer server =
                new StubServer((index, request) -> index % 10 == 9 ? null : StubServer.OK)) {
            LoadStatistics statistics = run(server, 400);

            assertThat(statistics.readErrors()).isGreaterThan(0);
            assertThat(statistics.requests()).isGreaterThan(9);
            assertThat(statistics.connectErrors()).isZero();
        }
    }

    @Test
    void connections_closedAfterAnAnswer_areNoErrors() throws Exception {
        String last = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
        try (StubServer server = new StubServer((index, request) -> last)) {
            LoadStatistics statistics = run(server, 200);

            assertThat(statistics.requests()).isGreaterThan(4);
            assertThat(
                            statistics.readErrors()
                                    + statistics.writeErrors()
                                    + statistics.connectErrors())
                    .isZero();
        }
    }

    @Test
    void answers_thatNobodyAskedFor_areReadErrors() throws Exception {
        try (StubServer server =
                new StubServer((index, request) -> StubServer.OK + StubServer.OK)) {
            assertThat(run(server, 100).readErrors()).isGreaterThan(0);
        }
    }

    @Test
    void requests_neverAnswered_areTimeoutsOnceEach() throws Exception {
        StubServer.Answer never =
                (index, request) -> {
                    TimeUnit.MINUTES.sleep(1);
                    return null;
                };
        try (StubServer server = new StubServer(never)) {
            LoadStatistics statistics =
                    Loads.run(
                            Loads.options(
                                    server.url(),
                                    1,
                                    4,
                                    400,
                                    Duration.ofMillis(1500),
                                    Duration.ofMillis(200)),
                            Workload.GET,
                            Loads.settings());

            assertThat(statistics.timeouts()).isEqualTo(4);
            assertThat(statistics.inFlight()).isEqualTo(4);
            assertThat(statistics.requests()).isZero();
        }
    }

    @Test
    void server_thatIsNotThere_isConnectErrors() throws Exception {
        // A port that is bound belongs to nobody else, and refuses connections.
        try (Socket bound = new Socket()) {
            bound.bind(new InetSocketAddress("127.0.0.1", 0));
            URI url = URI.create("http://127.0.0.1:" + bound.getLocalPort());

            assertThat(run(url, 100).connectErrors()).isGreaterThan(0);
        }
    }

    private static LoadStatistics run(StubServer server, long rate)
            throws IOException, InterruptedException {
        return run(server.url(), rate);
    }

    private static LoadStatistics run(URI url, long rate) throws IOException, InterruptedException {
        return Loads.run(
                Loads.options(url, 1, 4, rate, SECOND, LONG), Workload.GET, Loads.settings());
    }
}
