package dht.testkit.tiny;

import dht.testkit.runner.Stage4Suite;
import java.util.Set;
import java.util.stream.Stream;

class WrongReplicasTest extends WrongServers {
    WrongReplicasTest() {
        super(Stage4Suite.class, Set.of("pause_ofOneNode_leavesTheOthersServing"));
    }

    @Override
    Stream<Wrong> wrongServers() {
        return Stream.concat(WrongReplicas.all(), WrongQuorums.all());
    }
}
