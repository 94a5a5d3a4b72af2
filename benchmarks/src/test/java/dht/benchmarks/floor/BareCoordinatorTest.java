package dht.benchmarks.floor;

import static org.assertj.core.api.Assertions.assertThat;

import dht.benchmarks.load.StubServer;
import dht.command.RunningServer;
import dht.http.ListenAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BareCoordinatorTest {
    @ParameterizedTest
    @EnumSource(OthersKind.class)
    void coordinator_withEachClient_asksAllAndAnswersOnce(OthersKind kind) throws Exception {
        try (StubServer first = new StubServer((index, request) -> StubServer.OK);
                StubServer second = new StubServer((index, request) -> StubServer.OK);
                RunningServer coordinator = start(kind, first.url(), second.url());
                HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest read = HttpRequest.newBuilder(entity(coordinator)).build();
            HttpRequest write =
                    HttpRequest.newBuilder(entity(coordinator))
                            .PUT(HttpRequest.BodyPublishers.ofString("abc"))
                            .build();

            HttpResponse<byte[]> answer =
                    client.send(read, HttpResponse.BodyHandlers.ofByteArray());

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("ok".getBytes(StandardCharsets.US_ASCII));
            assertThat(client.send(write, HttpResponse.BodyHandlers.discarding()).statusCode())
                    .isEqualTo(201);
            for (StubServer other : List.of(first, second)) {
                assertThat(other.received())
                        .extracting(StubServer.Received::line)
                        .containsExactly("GET /v0/entity?id=k", "PUT /v0/entity?id=k");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(OthersKind.class)
    void coordinator_withOneGone_answersThatItFailed(OthersKind kind) throws Exception {
        // A port that is bound belongs to nobody else, and refuses connections.
        try (Socket bound = new Socket()) {
            bound.bind(new InetSocketAddress("127.0.0.1", 0));
            URI gone = URI.create("http://127.0.0.1:" + bound.getLocalPort());
            try (RunningServer coordinator = start(kind, gone);
                    HttpClient client = HttpClient.newHttpClient()) {
                HttpRequest read = HttpRequest.newBuilder(entity(coordinator)).build();

                assertThat(client.send(read, HttpResponse.BodyHandlers.discarding()).statusCode())
                        .isEqualTo(502);
            }
        }
    }

    private static URI entity(RunningServer server) {
        return URI.create(server.url() + "/v0/entity?id=k");
    }

    private static RunningServer start(OthersKind kind, URI... others) throws Exception {
        ListenAddress address = ListenAddress.free("127.0.0.1", 0);
        return RunningServer.start(
                resources ->
                        BareCoordinator.start(
                                resources, address, 1, () -> kind.open(List.of(others))));
    }
}
