package dht.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.http.ListenAddress;
import dht.sharding.Placement;
import dht.sharding.PlacementKind;
import java.io.IOException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

class ClusterFlagsTest {
    private static final ListenAddress HERE = new ListenAddress("127.0.0.1", 8080);
    private static final ListenAddress ANYWHERE = new ListenAddress("0.0.0.0", 8080);
    private static final String[] THREE = {
        "--self=http://b:2", "--cluster=http://c:3,http://a:1,http://b:2"
    };

    private static ClusterFlags flags(String... arguments) {
        ClusterFlags flags = new ClusterFlags();
        new CommandLine(
                        CommandSpec.create()
                                .addMixin("cluster", CommandSpec.forAnnotatedObject(flags)))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .parseArgs(arguments);
        return flags;
    }

    private static String[] three(String more) {
        return new String[] {THREE[0], THREE[1], more};
    }

    @Test
    void topology_byDefault_isThisNodeAlone() {
        assertThat(flags().topology(HERE))
                .isEqualTo(Topology.single(NodeAddress.parse(HERE.url())))
                .extracting(Topology::selfAddress)
                .hasToString("http://127.0.0.1:8080");
    }

    @Test
    void topology_ofACluster_isItsNodesInOrder() {
        Topology topology = flags(THREE).topology(HERE);

        assertThat(topology.names()).containsExactly("http://a:1", "http://b:2", "http://c:3");
        assertThat(topology.self()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--self=http://a:1", "--cluster=http://a:1"})
    void topology_ofHalfOfIt_saysWhatGoesTogether(String half) {
        assertThatThrownBy(() -> flags(half).topology(HERE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--self and --cluster go together");
    }

    @Test
    void topology_beyondLoopback_needsASecretOrTheWordThatItDoesNot() {
        assertThatThrownBy(() -> flags(THREE).topology(ANYWHERE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--host=0.0.0.0")
                .hasMessageContaining("--cluster-secret");
        Topology topology = flags(THREE).topology(HERE);

        assertThat(flags(three("--cluster-secret=s")).topology(ANYWHERE)).isEqualTo(topology);
        assertThat(flags(three("--insecure-internal")).topology(ANYWHERE)).isEqualTo(topology);
        assertThat(flags("--self=http://a:1", "--cluster=http://a:1").topology(ANYWHERE).nodes())
                .as("nobody else")
                .hasSize(1);
        assertThat(flags().topology(ANYWHERE).nodes()).hasSize(1);
    }

    @Test
    void internalPort_whereGiven_isBesideThatOfClientsOnEveryNode() throws IOException {
        ClusterFlags flags = flags(three("--internal-port=+20000"));

        assertThat(flags.topology(HERE).internalPort()).isEqualTo(new InternalPort(20_000, true));
        assertThat(flags.withInternalPort(HERE).guardedPort()).isEqualTo(28_080);
        assertThat(flags(THREE).topology(HERE).internalPort()).isEqualTo(InternalPort.SHARED);
        assertThat(flags(THREE).withInternalPort(HERE)).isEqualTo(HERE);
    }

    @Test
    void internalPort_thatIsTheOneOfClients_isRefused() {
        assertThatThrownBy(() -> flags("--internal-port=8080").withInternalPort(HERE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--internal-port=8080");
        assertThatThrownBy(() -> flags(three("--internal-port=3")).topology(HERE))
                .as("of another node")
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--internal-port=3");
    }

    @Test
    void internalPort_beyondLoopback_needsASecretToo() {
        assertThatThrownBy(() -> flags(three("--internal-port=9")).topology(ANYWHERE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--cluster-secret");
    }

    @Test
    void placement_ofEachKind_isTheOneOverTheseNames() {
        Topology topology = flags(THREE).topology(HERE);
        Placement byDefault = flags(THREE).placement(topology);
        Placement consistent = flags(three("--placement=consistent")).placement(topology);
        Placement sparse = flags("--placement=consistent", "--virtual-nodes=3").placement(topology);

        assertThat(owners(byDefault))
                .isEqualTo(owners(PlacementKind.RENDEZVOUS.of(topology.names(), 1)));
        assertThat(owners(consistent))
                .isEqualTo(owners(PlacementKind.CONSISTENT.of(topology.names(), 1 << 15)));
        assertThat(owners(sparse))
                .isEqualTo(owners(PlacementKind.CONSISTENT.of(topology.names(), 3)));
    }

    private static int[] owners(Placement placement) {
        return IntStream.range(0, 200)
                .map(i -> placement.owner(("key-" + i).getBytes(UTF_8)))
                .toArray();
    }

    @Test
    void fingerprint_ofPlacement_countsVirtualNodesOnlyWhereThereAreAny() {
        Topology topology = flags(THREE).topology(HERE);

        assertThat(flags().fingerprint(topology))
                .isEqualTo(Fingerprint.of(topology, "rendezvous"))
                .isEqualTo(flags("--virtual-nodes=3").fingerprint(topology));
        assertThat(flags("--placement=consistent", "--virtual-nodes=3").fingerprint(topology))
                .isEqualTo(Fingerprint.of(topology, "consistent/3"));
    }

    @Test
    void secret_whereGiven_isThat() {
        assertThat(flags().secret()).isEmpty();
        assertThat(flags("--cluster-secret=s").secret()).contains("s");
    }
}
