package dht.testkit.history;

import dht.testkit.history.Operation.Outcome;
import dht.testkit.history.SimulatedReplica.Version;
import java.util.function.Consumer;

/** One write, as its coordinator carries it out. */
final class SimulatedWrite {
    private final SimulatedCluster cluster;
    private final SimulatedReplica coordinator;
    private final String key;
    private final String value;
    private Consumer<Outcome> answer;
    private long stamp;
    private int acks;
    private boolean isAnswered;

    SimulatedWrite(
            SimulatedCluster cluster, SimulatedReplica coordinator, String key, String value) {
        this.cluster = cluster;
        this.coordinator = coordinator;
        this.key = key;
        this.value = value;
    }

    void begin(Consumer<Outcome> whenAnswered) {
        answer = whenAnswered;
        cluster.timeout(() -> answer(Outcome.UNKNOWN));
        sendToAll();
    }

    private void sendToAll() {
        stamp = coordinator.nextStamp(cluster.now());
        acks = 0;
        var version = new Version(value, stamp);
        for (var replica : cluster.replicas) {
            cluster.send(() -> arrive(replica, version));
        }
    }

    private void arrive(SimulatedReplica replica, Version version) {
        var before = cluster.forgets() ? Version.NONE : replica.store(key, version, cluster.now());
        cluster.send(() -> acknowledge(version, before));
    }

    private void acknowledge(Version version, Version before) {
        coordinator.observe(before.stamp());
        if (isAnswered || version.stamp() != stamp) {
            return; // It belongs to an earlier stamp, or the write has ended.
        }
        if (before.stamp() >= stamp && !cluster.trustsItsStamps()) {
            sendToAll();
            return;
        }
        acks += cluster.flaw == Flaw.ACK_COUNTED_TWICE ? 2 : 1;
        if (acks >= SimulatedCluster.QUORUM) {
            answer(Outcome.OK);
        }
    }

    private void answer(Outcome outcome) {
        if (!isAnswered) {
            isAnswered = true;
            answer.accept(outcome);
        }
    }
}
