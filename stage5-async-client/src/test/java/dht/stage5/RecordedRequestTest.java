package dht.stage5;

import static org.assertj.core.api.Assertions.assertThat;

import dht.stage5.RecordedRequest.Call;
import dht.stage5.RecordedRequest.Work;
import dht.testkit.node.ClusterHome;
import dht.testkit.node.ClusterHome.ClusterList;
import dht.testkit.node.Node;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What three nodes record of a request, with the client of stage 4 and with that of stage 5. */
@Timeout(120)
class RecordedRequestTest {
    private static final int NODES = 3;
    private static final String QUERY = "/v0/entity?id=key&replicas=3/3";

    static Stream<List<String>> clients() {
        return Stream.of(
                List.of(),
                List.of("--peer-batch-max=1"),
                List.of("--peer-client=one-nio", "--fan-out=sequential"));
    }

    @ParameterizedTest
    @MethodSource("clients")
    void put_recorded_canBeFollowedToTheOtherNodes(List<String> client) throws IOException {
        try (ClusterHome cluster = start(client)) {
            put(cluster); // Opens the connections.
            List<RecordedRequest> recorded =
                    RecordedRequest.during(
                            () -> put(cluster),
                            all -> followed(all, "PUT", cluster).size() == NODES - 1);
            RecordedRequest put = of("PUT", recorded, cluster).getFirst();
            assertThat(put.status()).isEqualTo(201);
            assertThat(put.node()).isEqualTo(first(cluster).clusterUrl().toString());
            assertThat(put.numbers()).hasSize(1);
            expectInOrder(put);
            expectCalls(put, cluster);
            List<RecordedRequest> followed = followed(recorded, "PUT", cluster);
            followed.forEach(RecordedRequestTest::expectInOrder);
            assertThat(followed.stream().map(RecordedRequest::node).collect(Collectors.toSet()))
                    .isEqualTo(others(cluster));
        }
    }

    @ParameterizedTest
    @MethodSource("clients")
    void get_recorded_hasItsCalls(List<String> client) throws IOException {
        try (ClusterHome cluster = start(client)) {
            put(cluster);
            List<RecordedRequest> recorded =
                    RecordedRequest.during(
                            () -> get(cluster), all -> !of("GET", all, cluster).isEmpty());
            RecordedRequest get = of("GET", recorded, cluster).getFirst();
            assertThat(get.status()).isEqualTo(200);
            expectInOrder(get);
            expectCalls(get, cluster);
        }
    }

    private static ClusterHome start(List<String> client) {
        return ClusterHome.start(
                Stage5Nodes.inProcess(client.toArray(String[]::new)),
                "recorded",
                NODES,
                ClusterList.ROTATED);
    }

    private static void put(ClusterHome cluster) {
        ask(cluster, HttpRequest.newBuilder().PUT(BodyPublishers.ofString("value")));
    }

    private static void get(ClusterHome cluster) {
        ask(cluster, HttpRequest.newBuilder());
    }

    private static void ask(ClusterHome cluster, HttpRequest.Builder request) {
        URI target = URI.create(first(cluster).clusterUrl() + QUERY);
        try (HttpClient client = HttpClient.newHttpClient()) {
            int status =
                    client.send(request.uri(target).build(), BodyHandlers.discarding())
                            .statusCode();
            assertThat(status).isBetween(200, 201);
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static Node first(ClusterHome cluster) {
        return cluster.nodes().getFirst().node();
    }

    /** The client's request. Tests beside this one may be recorded, too. */
    private static List<RecordedRequest> of(
            String method, List<RecordedRequest> recorded, ClusterHome cluster) {
        return recorded.stream()
                .filter(each -> each.kind().equals(method + " /v0/entity"))
                .filter(each -> others(cluster).equals(asked(each)))
                .toList();
    }

    /** The same request on the other nodes. */
    private static List<RecordedRequest> followed(
            List<RecordedRequest> recorded, String method, ClusterHome cluster) {
        return of(method, recorded, cluster).stream()
                .flatMap(
                        client ->
                                recorded.stream()
                                        .filter(
                                                each ->
                                                        each.kind()
                                                                .startsWith(method + " /internal/"))
                                        .filter(each -> each.numbers().equals(client.numbers())))
                .toList();
    }

    private static void expectInOrder(RecordedRequest request) {
        assertThat(request.queued()).isNotNegative();
        assertThat(request.begun()).isGreaterThanOrEqualTo(request.queued());
        assertThat(request.stored()).isGreaterThanOrEqualTo(request.begun());
        assertThat(request.answered()).isGreaterThanOrEqualTo(request.stored());
        assertThat(request.written()).isPositive();
        expectWork(request);
    }

    /** One thread has read the request. Another one has served it. A third may have answered it. */
    private static void expectWork(RecordedRequest request) {
        List<Work> work = request.work();
        assertThat(work).allMatch(each -> each.begun() < each.ended());
        assertThat(work).anyMatch(each -> each.contains(0) && each.contains(request.queued()));
        Work served =
                work.stream().filter(each -> each.begun() == request.begun()).findFirst().get();
        assertThat(served.thread()).isNotEqualTo(work.getFirst().thread());
        assertThat(work).anyMatch(each -> each.contains(request.stored()));
        assertThat(work).anyMatch(each -> each.contains(request.answered()));
    }

    private static void expectCalls(RecordedRequest request, ClusterHome cluster) {
        assertThat(request.calls()).hasSize(NODES - 1);
        for (Call call : request.calls()) {
            assertThat(call.outcome()).isEqualTo("Answered");
            assertThat(call.ended()).isBetween(call.begun(), request.answered());
        }
    }

    private static Set<String> asked(RecordedRequest request) {
        return request.calls().stream().map(Call::node).collect(Collectors.toSet());
    }

    private static Set<String> others(ClusterHome cluster) {
        return cluster.nodes().stream()
                .skip(1)
                .map(home -> home.node().clusterUrl().toString())
                .collect(Collectors.toSet());
    }
}
