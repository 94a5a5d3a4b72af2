package dht.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import dht.command.RunningServer;
import dht.http.ListenAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BareServerTest {
    @Test
    void bareServer_ofAnyRequest_answersAsLongAsAStage() throws Exception {
        WorkloadSettings settings = Loads.settings("VALUE_BYTES", "100", "RANGE_LENGTH", "3");
        try (RunningServer server = start(settings);
                HttpClient client = HttpClient.newHttpClient()) {
            check(client, server, "GET", "/v0/entity?id=a", 200, 100);
            check(client, server, "PUT", "/v0/entity?id=a", 201, 0);
            check(client, server, "DELETE", "/v0/entity?id=a", 202, 0);
            check(client, server, "GET", "/v0/entities?start=a", 200, 3 * (13 + 100));
            check(client, server, "GET", "/v0/status", 200, 0);
        }
    }

    @Test
    void bareServer_underLoad_answersEachRequest() throws Exception {
        WorkloadSettings settings = Loads.settings("VALUE_BYTES", "100");
        try (RunningServer server = start(settings)) {
            Tally tally =
                    Loads.run(
                            Loads.options(
                                    URI.create(server.url()),
                                    1,
                                    8,
                                    2000,
                                    Duration.ofSeconds(1),
                                    Duration.ofSeconds(20)),
                            Workload.MIXED,
                            settings);

            assertThat(tally.count(200) + tally.count(201)).isEqualTo(tally.requests());
            assertThat(tally.count(200)).isGreaterThan(0);
            assertThat(tally.count(201)).isGreaterThan(0);
            assertThat(tally.readErrors() + tally.writeErrors() + tally.connectErrors()).isZero();
        }
    }

    private static RunningServer start(WorkloadSettings settings) throws Exception {
        ListenAddress address = ListenAddress.free("127.0.0.1", 0);
        return RunningServer.start(resources -> BareServer.start(resources, address, 1, settings));
    }

    private static void check(
            HttpClient client,
            RunningServer server,
            String method,
            String target,
            int status,
            int bytes)
            throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(server.url() + target))
                        .method(
                                method,
                                method.equals("PUT")
                                        ? BodyPublishers.ofByteArray(new byte[100])
                                        : BodyPublishers.noBody())
                        .build();
        HttpResponse<byte[]> response = client.send(request, BodyHandlers.ofByteArray());
        assertThat(response.statusCode()).as(method + " " + target).isEqualTo(status);
        assertThat(response.body()).hasSize(bytes);
    }
}
