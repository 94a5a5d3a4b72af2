package dht.testkit.history;

import dht.testkit.history.SimulatedReplica.Version;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/** One read, as its coordinator carries it out. A read without a quorum is repeated. */
final class SimulatedRead {
    private final SimulatedCluster cluster;
    private final SimulatedReplica coordinator;
    private final String key;
    private Consumer<Version> answer;
    private Version newest = Version.NONE;
    private final Set<SimulatedReplica> answered = new HashSet<>();
    private boolean isAnswered;

    SimulatedRead(SimulatedCluster cluster, SimulatedReplica coordinator, String key) {
        this.cluster = cluster;
        this.coordinator = coordinator;
        this.key = key;
    }

    void begin(Consumer<Version> whenAnswered) {
        answer = whenAnswered;
        askAll();
    }

    private void askAll() {
        if (isAnswered) {
            return;
        }
        cluster.timeout(this::askAll);
        for (var replica : cluster.replicas) {
            cluster.send(
                    () -> {
                        var version = replica.read(key);
                        cluster.send(() -> collect(replica, version));
                    });
        }
    }

    private void collect(SimulatedReplica replica, Version version) {
        coordinator.observe(version.stamp());
        newest = SimulatedCluster.newer(version, newest);
        answered.add(replica);
        var isEnough =
                cluster.flaw == Flaw.FIRST_ANSWER_TRUSTED
                        || answered.size() >= SimulatedCluster.QUORUM;
        if (isEnough && !isAnswered) {
            isAnswered = true;
            answer.accept(newest);
        }
    }
}
