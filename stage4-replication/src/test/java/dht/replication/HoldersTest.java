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

    private List<Replica> holders(int self, int... nodes) {
        List<NodeAddress> addresses =
                IntStream.range(0, NODES)
                        .mapToObj(node -> new NodeAddress("node", 1 + node))
                        .toList();
        Peers peers = new Peers(new Topology(addresses, self), null, this::peer);
        return new Holders(new Fixed(nodes), peers, null, null, Healing.NONE).of(KEY, nodes.length);
    }

    @ParameterizedTest
    @CsvSource({"0,4,2,0,2 4", "1,0,4,1,4 0", "3,2,1,4,4 1 2", "4,3,2,1,1 2 3"})
    void holders_areThisNodeAndThoseThatFollowIt(int self, int a, int b, int c, String others) {
        List<Replica> holders = holders(self, a, b, c);

        assertThat(holders).hasSize(3);
        boolean isHolder = self == a || self == b || self == c;
        assertThat(holders.getFirst() == null).isEqualTo(isHolder); // This node's own is null here.
        for (Replica replica : holders.subList(isHolder ? 1 : 0, 3)) {
            replica.read(new EntityRequest.Get(KEY, null), _ -> {});
        }
        assertThat(asked).extracting(String::valueOf).containsExactly(others.split(" "));
    }
}
