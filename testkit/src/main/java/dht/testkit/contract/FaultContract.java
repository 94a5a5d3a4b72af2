package dht.testkit.contract;

import dht.testkit.junit.Needs;
import dht.testkit.junit.Verifies;
import dht.testkit.node.Ability;
import dht.testkit.node.DiskKind;
import dht.testkit.node.NodeFactory;
import dht.testkit.transcript.Promise;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/**
 * Faults of one node at a time, while clients put, delete and get through all nodes. Each test is a
 * {@link FaultRun}; its documentation lists what is checked. After it, the cluster is whole again.
 * A test needs three nodes or more.
 *
 * <p>Three configuration parameters of JUnit, or system properties: {@value #SECONDS} is the
 * minimum duration of the load of a run, in seconds (4); {@value #RUNS} is the number of runs of
 * each fault (1); {@value #ALIKE_SECONDS} is how long the nodes may need to become alike after a
 * run (60). The first run has the seed of the test, each further run the next number. The seeds are
 * printed.
 */
public interface FaultContract extends HistoryContract {
    String SECONDS = "testkit.fault.seconds";
    String RUNS = "testkit.fault.runs";
    String ALIKE_SECONDS = "testkit.fault.alike-seconds";

    int SECONDS_USUALLY = 4;

    int RUNS_USUALLY = 1;

    int ALIKE_SECONDS_USUALLY = 60;

    @Test
    @Verifies(Promise.ONE_FAULT_IS_SURVIVED)
    @Needs(Ability.KILL)
    default void kill_underLoad_losesNothing() {
        FaultRun.repeat(this, Fault.KILL, cluster());
    }

    @Test
    @Verifies(Promise.ONE_FAULT_IS_SURVIVED)
    default void restart_underLoad_losesNothing() {
        FaultRun.repeat(this, Fault.RESTART, cluster());
    }

    @Test
    @Verifies(Promise.ONE_FAULT_IS_SURVIVED)
    @Needs(Ability.PAUSE)
    default void pause_underLoad_losesNothing() {
        FaultRun.repeat(this, Fault.PAUSE, cluster());
    }

    @Test
    @Verifies(Promise.ONE_FAULT_IS_SURVIVED)
    @Needs(Ability.NETWORK_CUT)
    default void networkCut_underLoad_losesNothing() {
        FaultRun.repeat(this, Fault.NETWORK_CUT, cluster());
    }

    @Test
    @Verifies(Promise.ONE_FAULT_IS_SURVIVED)
    @Needs(Ability.SLOW_NETWORK)
    default void slowNetwork_underLoad_losesNothing() {
        FaultRun.repeat(this, Fault.SLOW_NETWORK, cluster());
    }

    @Test
    @Verifies(Promise.ONE_FAULT_IS_SURVIVED)
    default void fullDisk_underLoad_losesNothing() {
        DiskKind.SMALL.whyNot().ifPresent(FaultContract::notRun);
        FaultRun.repeat(this, Fault.FULL_DISK, freshCluster(servers(), DiskKind.SMALL));
    }

    @Test
    @Verifies(Promise.EMPTIED_IS_REBUILT)
    default void directoryEmptied_underLoad_losesNothing() {
        FaultRun.repeat(this, Fault.DIRECTORY_EMPTIED, cluster());
    }

    /** One clock stays an hour behind while nodes are stopped and started. */
    @Test
    @Verifies(Promise.ONE_FAULT_IS_SURVIVED)
    default void clockBehind_underLoad_losesNothing() {
        var behind = servers().clockBehind();
        if (behind.isEmpty()) {
            notRun("the server has no option that sets its clock back");
        }
        var last = "-" + nodeCount();
        NodeFactory lastIsBehind =
                node ->
                        (node.name().endsWith(last) ? behind.orElseThrow() : servers())
                                .create(node);
        var cluster = freshCluster(lastIsBehind, DiskKind.SHARED);
        var nodeBehind = cluster.node(cluster.size() - 1);
        if (!FaultSymptom.CLOCK_BEHIND.shows().test(cluster, nodeBehind)) {
            throw FaultSymptom.CLOCK_BEHIND.missing(nodeBehind, "an hour behind");
        }
        FaultRun.repeat(this, Fault.RESTART, cluster);
    }

    private static void notRun(String reason) {
        throw new TestAbortedException(reason);
    }
}
