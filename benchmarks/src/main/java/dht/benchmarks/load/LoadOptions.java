package dht.benchmarks.load;

import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * How a server is loaded: everything except the requests themselves. Immutable.
 *
 * @param urls of the servers. Each thread has one: the first thread the first server, and so on
 * @param connections of all threads together
 * @param rate requests a second of all connections together
 * @param timeout a request that takes longer is counted
 * @param calibration after the start, when the latencies so far are forgotten; zero for never
 * @param headers further lines of each request, without their ends
 * @param hasTimeline whether to count second by second as well
 */
record LoadOptions(
        List<URI> urls,
        int threads,
        int connections,
        long rate,
        Duration duration,
        Duration timeout,
        Duration warmup,
        Duration calibration,
        List<String> headers,
        boolean hasTimeline) {

    /** The environment variable that lists the servers, separated by commas. */
    private static final String SPREAD = "SPREAD";

    private static final int PORT_BY_DEFAULT = 80;

    LoadOptions {
        headers = List.copyOf(headers);
        urls = List.copyOf(urls);
        urls.forEach(LoadOptions::check);
        require(threads >= 1, "threads=" + threads + " must be at least 1");
        require(
                threads % urls.size() == 0,
                "threads=%d must be a multiple of the %d servers in %s"
                        .formatted(threads, urls.size(), SPREAD));
        require(
                connections >= threads,
                "connections=" + connections + " must be at least threads=" + threads);
        require(rate >= 1, "rate=" + rate + " must be at least 1");
        require(duration.toMillis() >= 1, "duration must be above 0");
        require(timeout.toMillis() >= 1, "timeout must be above 0");
        for (String header : headers) {
            require(
                    header.matches("[!-9;-~]+: \\S.*") && header.chars().allMatch(c -> c >= ' '),
                    "header '" + header + "' is not such as 'Name: value'");
        }
    }

    private static void check(URI url) {
        require(
                "http".equals(url.getScheme()) && url.getHost() != null,
                "URL '" + url + "' is not such as http://127.0.0.1:8080");
        require(
                url.getRawPath().matches("/?") && url.getRawQuery() == null,
                "URL '" + url + "' has a path: the workload brings its own");
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }

    /** The servers that the environment lists, or else the one of the command line. */
    static List<URI> servers(URI url, Map<String, String> environment) {
        String listed = environment.get(SPREAD);
        return listed == null
                ? List.of(url)
                : Arrays.stream(listed.split(",", -1)).map(URI::create).toList();
    }

    private URI url(int thread) {
        return urls.get(thread % urls.size());
    }

    /** Of the server of one thread. */
    InetSocketAddress address(int thread) {
        return address(url(thread));
    }

    /** Resolved now. */
    static InetSocketAddress address(URI url) {
        String host = url.getHost().replaceAll("[\\[\\]]", "");
        return new InetSocketAddress(host, url.getPort() < 0 ? PORT_BY_DEFAULT : url.getPort());
    }

    RequestTemplate.Maker templates(int thread) {
        StringBuilder lines = new StringBuilder();
        headers.forEach(header -> lines.append(header).append("\r\n"));
        return new RequestTemplate.Maker(url(thread).getRawAuthority(), lines.toString());
    }

    /** Of one thread: each has as many, and the first ones may have one more. */
    int connections(int thread) {
        return connections / threads + (thread < connections % threads ? 1 : 0);
    }

    /** Between two requests of one connection. */
    double intervalNanos() {
        return 1e9 * connections / rate;
    }

    /** The same for so long, as a load of its own, from which nothing is kept. */
    LoadOptions asWarmup() {
        return new LoadOptions(
                urls,
                threads,
                connections,
                rate,
                warmup,
                timeout,
                Duration.ZERO,
                Duration.ZERO,
                headers,
                false);
    }
}
