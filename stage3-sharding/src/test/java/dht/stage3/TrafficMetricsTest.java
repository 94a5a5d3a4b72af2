package dht.stage3;

import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.node.NodeFactory;
import dht.testkit.transcript.Promise;
import org.junit.jupiter.api.Test;

/** Tests the metrics of a node about its requests to another node, after known numbers of them. */
class TrafficMetricsTest implements ClusterContract {
    private static final int FAILURES_MAX = 3;

    private ServerUnderTest entry;
    private ServerUnderTest owner;

    @Override
    public NodeFactory servers() {
        return Stage3Nodes.inProcess(
                "--peer-failures-max=" + FAILURES_MAX, "--peer-retry-pause=1h");
    }

    @Override
    public int nodeCount() {
        return 2;
    }

    @Test
    @Verifies(Promise.ANY_NODE_ANSWERS)
    void requests_toEachOwner_areCountedByTheirRoute() {
        entry = cluster().node(0);
        owner = cluster().node(1);
        String ownKey = cluster().keyOwnedBy(entry, Values.small());
        String otherKey = cluster().keyOwnedBy(owner, Values.small());
        int localBefore = routed("local");
        int forwardedBefore = routed("forwarded");
        int answeredBefore = outcomes("answered");

        ask(7, ownKey, 200);
        ask(5, otherKey, 200);
        entry.delete(otherKey).expectStatus(202);
        ask(1, otherKey, 404);

        assertThat(routed("local")).isEqualTo(localBefore + 7);
        assertThat(routed("forwarded")).isEqualTo(forwardedBefore + 7);
        assertThat(outcomes("answered")).isEqualTo(answeredBefore + 7);
        assertThat(outcomes("unreachable")).isZero();
        assertThat(state("closed")).isEqualTo(1);
        assertThat(state("open")).isZero();
    }

    @Test
    @Verifies(Promise.DEAD_OWNER_IS_502)
    void requests_toAnOwnerThatIsDown_areCountedByWhatBecameOfThem() {
        var cluster = freshCluster();
        entry = cluster.node(0);
        owner = cluster.node(1);
        String key = cluster.keyOwnedBy(owner, Values.small());
        owner.stop();

        ask(FAILURES_MAX + 2, key, 502);

        assertThat(outcomes("unreachable")).isEqualTo(FAILURES_MAX);
        assertThat(outcomes("refused")).isEqualTo(2);
        assertThat(outcomes("silent")).isZero();
        assertThat(state("open")).isEqualTo(1);
        assertThat(state("closed")).isZero();
    }

    private void ask(int count, String key, int status) {
        for (int i = 0; i < count; i++) {
            entry.get(key).expectStatus(status);
        }
    }

    private int routed(String route) {
        return Metrics.ofRoute(entry, route);
    }

    private int outcomes(String outcome) {
        return Metrics.ofOutcome(entry, owner.node().spec().self(), outcome);
    }

    private int state(String state) {
        return Metrics.ofBreaker(entry, owner.node().spec().self(), state);
    }
}
