package dht.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TopologyTest {
    private static final String A = "http://a:1";
    private static final String B = "http://b:2";
    private static final String C = "http://c:3";

    @Test
    void of_inAnyOrder_numbersNodesAlike() {
        Topology topology = Topology.of(B, List.of(C, A, B));

        assertThat(topology.names()).containsExactly(A, B, C);
        assertThat(topology.selfAddress().url()).isEqualTo(B);
        assertThat(Topology.of(B, List.of(A, B, C))).isEqualTo(topology);
    }

    @ParameterizedTest
    @CsvSource({
        "http://node:8080, http://node:8080",
        "HTTP://Node:8080/, http://node:8080",
        "http://node, http://node:80",
        "http://127.0.0.1:1, http://127.0.0.1:1",
        "http://node:65535, http://node:65535",
        "http://[::1]:8080, http://[::1]:8080"
    })
    void parse_ofOneNodeWrittenInManyWays_isOneNode(String text, String url) {
        assertThat(NodeAddress.parse(text).url()).isEqualTo(url);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "node:8080",
                "https://node:8080",
                "ftp://node:1",
                "http://",
                "http://:8080",
                "http:node",
                "http://node:0",
                "http://node:65536",
                "http://node:port",
                "http://me@node:8080",
                "http://node:8080/path",
                "http://node:8080?query",
                "http://node:8080/#fragment",
                "http://no de:8080"
            })
    void parse_ofSomethingElse_saysWhatItMustBe(String text) {
        assertThatThrownBy(() -> NodeAddress.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("node '" + text + "' must ");
    }

    @Test
    void of_withoutSelf_saysSo() {
        assertThatThrownBy(() -> Topology.of(C, List.of(A, B)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--cluster lacks --self http://c:3");
    }

    @Test
    void of_nodeTwice_saysWhich() {
        assertThatThrownBy(() -> Topology.of(A, List.of(A, B, "HTTP://B:2/")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("twice: http://b:2");
    }

    @Test
    void fingerprint_ofTheSameCluster_isTheSameOnAllNodes() {
        Fingerprint onA = Fingerprint.of(Topology.of(A, List.of(A, B)), "rendezvous");
        Fingerprint onB = Fingerprint.of(Topology.of(B, List.of(B, A)), "rendezvous");

        assertThat(onA).isEqualTo(onB);
        assertThat(onA.text()).matches("[0-9a-f]{16}");
    }

    @Test
    void fingerprint_ofAnotherClusterOrPlacement_differs() {
        Topology topology = Topology.of(A, List.of(A, B));
        Fingerprint usual = Fingerprint.of(topology, "rendezvous");

        assertThat(Fingerprint.of(Topology.of(A, List.of(A, B, C)), "rendezvous"))
                .isNotEqualTo(usual);
        assertThat(Fingerprint.of(topology, "consistent")).isNotEqualTo(usual);
    }

    /** Nodes on one host: the first could start, and the second could not. */
    @Test
    void with_internalPortThatIsTheClientsPortOfAnotherNode_isRefused() {
        NodeAddress first = new NodeAddress("a", 8080);
        NodeAddress second = new NodeAddress("a", 8081);
        Topology cluster = Topology.of(first.url(), List.of(first.url(), second.url()));
        assertThatThrownBy(() -> cluster.with(InternalPort.parse("+1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("http://a:8081 would be the internal port of http://a:8080");
        assertThat(cluster.with(InternalPort.parse("+2")).names()).hasSize(2);
    }
}
