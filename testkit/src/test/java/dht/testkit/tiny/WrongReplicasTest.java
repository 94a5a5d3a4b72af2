package dht.testkit.tiny;

import dht.testkit.junit.LongByNature;
import dht.testkit.runner.Stage4Suite;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

@LongByNature
class WrongReplicasTest extends WrongServers {
    WrongReplicasTest() {
        super(
                Stage4Suite.class,
                // A server in this JVM can't be killed, and its memory has no limit.
                Set.of(
                        "coordinator_killedBeforeItDelivers_deliversAfterItsStart",
                        "clusterRange_largerThanMemory_isComplete"));
    }

    @Override
    Stream<Wrong> wrongServers() {
        return Stream.of(
                        WrongReplicas.all(),
                        WrongReplacements.all(),
                        WrongClusterRanges.all(),
                        WrongComparisons.all(),
                        WrongQuorums.all(),
                        WrongAtomicReads.all(),
                        WrongUnderFaults.all(),
                        Unharmed.all())
                .flatMap(Function.identity());
    }
}
