package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.Values;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Promise;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A coordinator stops while it still waits for a replica that does not answer. It does not know yet
 * whether the replica will store the write, and must not forget the write.
 */
public interface HintedStopContract extends ClusterContract {
    int UNANSWERED = 5;

    /**
     * Only the coordinator knows which write is missing: no client reads, and no other node has a
     * hint.
     */
    @Test
    @Verifies(Promise.MISSED_ARRIVES)
    default void coordinator_stoppedWhileAReplicaIsSilent_deliversAfterItsStart() {
        var cluster = freshCluster();
        var all = cluster.size();
        var coordinator = cluster.node(0);
        var absent = cluster.node(all - 1);
        var keys = Stream.generate(Keys::unique).limit(UNANSWERED).toList();
        var value = Values.small();
        absent.stop();
        try (var _ = SilentNode.insteadOf(absent)) {
            keys.forEach(
                    key -> Replicas.put(coordinator, key, value, all - 1, all).expectStatus(201));
            coordinator.stop();
        }
        absent.start();
        coordinator.start();
        keys.forEach(key -> Healing.awaitCopy(absent, key, value));
    }
}
