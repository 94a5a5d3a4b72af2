package dht.replication;

import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.NodeAddress;
import dht.cluster.Topology;
import dht.http.EntityRequest;
import dht.peer.Peers;
import dht.sharding.Placement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HoldersTest {
    private static final byte[] KEY = {1};
    private static final int NODES = 5;

    private final List<Integer> asked = new ArrayList<>();
    private final StubHealing healing = new StubHealing();

    private record Fixed(int[] nodes) implements Placement {
        @Override
        public int nodeCount() {
            return NODES;
        }

        @Override
        public int owner(byte[] key) {
            return nodes[0];
        }

        @Override
        public int[] preferenceList(byte[] key, int count) {
            return nodes;
        }
    }

    private StubPeer peer(NodeAddress address) {
        StubPeer peer = new StubPeer(address);
        peer.beforeAsked(() -> asked.add(address.port() - 1));
        return peer;
    }

    private Holders holdersOf(int self, int... nodes) {
        List<NodeAddress> addresses =
                IntStream.range(0, NODES).mapToObj(HoldersTest::address).toList();
        Peers peers = new Peers(new Topology(addresses, self), null, this::peer);
        LocalReplica local = new LocalReplica(null, null, "node", () -> {});
        return new Holders(new Fixed(nodes), peers, local, null, healing);
    }

    private static NodeAddress address(int node) {
        return new NodeAddress("node", 1 + node);
    }

    private void assertThatOthersAre(List<Replica> holders, boolean isHolder, String others) {
        assertThat(holders).hasSize(3);
        assertThat(holders.getFirst() instanceof LocalReplica).isEqualTo(isHolder);
        for (Replica replica : holders.subList(isHolder ? 1 : 0, 3)) {
            replica.read(new EntityRequest.Get(KEY, null), _ -> {});
        }
        assertThat(asked).extracting(String::valueOf).containsExactly(others.split(" "));
    }

    @ParameterizedTest
    @CsvSource({"0,4,2,0,2 4", "1,0,4,1,4 0", "3,2,1,4,4 1 2", "4,3,2,1,1 2 3"})
    void holders_areThisNodeAndThoseThatFollowIt(int self, int a, int b, int c, String others) {
        boolean isHolder = self == a || self == b || self == c;

        assertThatOthersAre(holdersOf(self, a, b, c).of(KEY, 3), isHolder, others);
    }

    @ParameterizedTest
    @CsvSource({
        "0,4,2,0,4,2 4",
        "0,4,2,0,2,4 2",
        "0,4,2,0,0,2 4", // This node's own copy comes first, though it may be incomplete.
        "3,2,1,4,4,1 2 4",
        "3,2,1,4,1,4 2 1",
        "3,2,1,4,41,2 4 1",
        "3,2,1,4,421,4 1 2", // If all others are incomplete, the order is the usual one.
    })
    void holders_whoseDataMayBeIncomplete_comeLast(
            int self, int a, int b, int c, String incomplete, String others) {
        incomplete.chars().forEach(node -> healing.incomplete(address(node - '0')));
        boolean isHolder = self == a || self == b || self == c;

        assertThatOthersAre(holdersOf(self, a, b, c).of(KEY, 3), isHolder, others);
    }
}
