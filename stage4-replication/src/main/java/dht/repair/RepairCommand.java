package dht.repair;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The {@code repair} command: makes a running node compare itself with all other nodes, and prints
 * the outcomes. Used by one thread.
 */
@Command(
        name = "repair",
        mixinStandardHelpOptions = true,
        description =
                "Has a running node compare its entries with those of each other node. Both then have the newest"
                        + " version of each entry. Prints a line for each other node; exit 1 if a comparison failed.")
public final class RepairCommand implements Callable<Integer> {
    private static final long POLL_MILLIS = 200;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @Spec private CommandSpec spec;

    @Option(
            names = "--node",
            paramLabel = "URL",
            required = true,
            description = "The node, as in --cluster; with --internal-port, its internal port.")
    private URI node;

    @Option(
            names = "--cluster-secret",
            paramLabel = "SECRET",
            description = "The secret with which the nodes were started, if there is one.")
    private String secret;

    @Override
    public Integer call() throws IOException, InterruptedException {
        String answer = ask("PUT");
        while (answer.contains("state=waiting") || answer.contains("state=comparing")) {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            answer = ask("GET");
        }
        spec.commandLine().getOut().print(answer);
        spec.commandLine().getOut().flush();
        return answer.contains("state=failed") ? 1 : 0;
    }

    private String ask(String method) throws IOException {
        var connection =
                (HttpURLConnection) node.resolve(ComparisonService.PATH).toURL().openConnection();
        connection.setRequestMethod(method);
        connection.setConnectTimeout((int) TIMEOUT.toMillis());
        connection.setReadTimeout((int) TIMEOUT.toMillis());
        if (secret != null) {
            connection.setRequestProperty("Cluster-Secret", secret);
        }
        if (method.equals("PUT")) {
            connection.setDoOutput(true);
            connection.setFixedLengthStreamingMode(0);
            connection.getOutputStream().close();
        }
        int status = connection.getResponseCode();
        if (status != HttpURLConnection.HTTP_OK) {
            throw new IOException(
                    "node %s answered %d: %s"
                            .formatted(
                                    node,
                                    status,
                                    NodeClient.firstLine(connection.getErrorStream())));
        }
        try (var in = connection.getInputStream()) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }
}
