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

/** Which requests are served while the owner of some keys is gone, and after it is back. */
public interface OwnerLossContract extends ClusterContract {
    /** A fresh cluster, one node of which is about to be lost, and a key of each node. */
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

        /** Asks each of the others for a key of each of the others. */
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

        /** Nobody else is restarted; a node may take a moment to look whether the owner is back. */
        private void awaitServed() {
            for (var entry : cluster.others(lost)) {
                Deadline.in(entry.patience())
                        .await(
                                entry.name() + " to ask the owner that is back",
                                () -> entry.get(lostKey).status() == 200);
                entry.get(lostKey).expectValue(value);
            }
        }
    }

    private Loss loss() {
        return new Loss(freshCluster());
    }

    /** Loses the owner, and has it back. */
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
