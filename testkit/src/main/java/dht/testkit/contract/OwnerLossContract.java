package dht.testkit.contract;

import dht.testkit.ClusterUnderTest;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.concurrent.Deadline;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Needs;
import dht.testkit.junit.Verifies;
import dht.testkit.node.Ability;
import dht.testkit.transcript.Promise;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * The loss of one node of a cluster without replicas: which requests fail while it is gone, and
 * that all succeed when it is back.
 */
public interface OwnerLossContract extends ClusterContract {
    /** A fresh cluster with a key of each node. One of the nodes will be lost. */
    final class Loss {
        private final ClusterUnderTest cluster;
        private final ServerUnderTest lost;
        private final byte[] value = Values.small();
        private final String lostKey;
        private final List<String> otherKeys;

        private Loss(ClusterUnderTest cluster) {
            this.cluster = cluster;
            this.lost = cluster.node(cluster.size() - 1);
            this.lostKey = cluster.keyOwnedBy(lost, value);
            this.otherKeys =
                    cluster.others(lost).stream()
                            .map(owner -> cluster.keyOwnedBy(owner, value))
                            .toList();
        }

        /** Checks that each remaining node serves the keys of all remaining nodes. */
        private void expectOtherKeysServed() {
            for (var key : otherKeys) {
                cluster.others(lost).forEach(entry -> entry.get(key).expectValue(value));
            }
        }

        private void expectLostKeys(int status) {
            for (var entry : cluster.others(lost)) {
                entry.get(lostKey).expectError(status);
                entry.put(lostKey, Values.small()).expectError(status);
                entry.delete(lostKey).expectError(status);
            }
        }

        /**
         * Waits until each node serves the keys of the owner that is back. No other node is
         * restarted. A node may try the owner only after a pause.
         */
        private void awaitServed() {
            for (var entry : cluster.others(lost)) {
                Deadline.in(entry.patience())
                        .await(
                                entry.name() + " to serve a key of the owner that is back",
                                () -> entry.get(lostKey).status() == 200);
                entry.get(lostKey).expectValue(value);
            }
        }
    }

    private Loss loss() {
        return new Loss(freshCluster());
    }

    /** Ends the owner, checks what fails, and brings the owner back. */
    private void lose(Consumer<ServerUnderTest> end, int status) {
        var loss = loss();
        end.accept(loss.lost);
        loss.expectLostKeys(status);
        loss.expectOtherKeysServed();
        loss.expectLostKeys(status);
    }

    @Test
    @Verifies(Promise.DEAD_OWNER_IS_502)
    default void owner_thatIsDown_is502ForItsKeysAlone() {
        lose(ServerUnderTest::stop, 502);
    }

    @Test
    @Needs(Ability.KILL)
    @Verifies(Promise.DEAD_OWNER_IS_502)
    default void owner_thatWasKilled_is502ForItsKeysAlone() {
        lose(ServerUnderTest::kill, 502);
    }

    @Test
    @Needs(Ability.PAUSE)
    @Verifies(Promise.SILENT_OWNER_IS_504)
    default void owner_thatIsSilent_is504ForItsKeysAlone() {
        lose(ServerUnderTest::pause, 504);
    }

    @Test
    @Needs(Ability.PAUSE)
    @Verifies(Promise.SILENT_OWNER_IS_504)
    default void owner_thatIsSilentForMany_holdsUpNobodyElse() {
        var loss = loss();
        var entry = loss.cluster.node(0);
        loss.lost.pause();
        try (var asking =
                ClientThreads.start(32, _ -> entry.get(loss.lostKey).expectError(504, 503))) {
            for (var i = 0; i < 100; i++) {
                loss.expectOtherKeysServed();
                entry.status().expectStatus(200);
            }
            asking.join(entry.longPatience());
        }
    }

    @Test
    @Verifies(Promise.OWNER_BACK_IS_ASKED)
    default void owner_startedAgain_isServedThroughEachNode() {
        var loss = loss();
        loss.lost.stop();
        loss.expectLostKeys(502);
        loss.lost.start();
        loss.awaitServed();
    }

    @Test
    @Needs(Ability.PAUSE)
    @Verifies(Promise.OWNER_BACK_IS_ASKED)
    default void owner_thatGoesOn_isServedThroughEachNode() {
        var loss = loss();
        loss.lost.pause();
        loss.cluster.others(loss.lost).forEach(entry -> entry.get(loss.lostKey).expectError(504));
        loss.lost.resume();
        loss.awaitServed();
    }

    @Test
    @Verifies(Promise.RESTART_KEEPS_DATA)
    default void cluster_startedAgain_hasEveryKeyWhereItWas() {
        var cluster = freshCluster();
        var value = Values.small();
        var keys = cluster.nodes().stream().map(node -> cluster.keyOwnedBy(node, value)).toList();
        cluster.nodes().forEach(ServerUnderTest::stop);
        cluster.nodes().forEach(ServerUnderTest::start);
        for (var key : keys) {
            cluster.nodes().forEach(node -> node.get(key).expectValue(value));
            cluster.owner(key);
        }
    }
}
