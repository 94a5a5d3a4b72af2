package dht.repair;

import dht.testkit.allocation.AllocationSchedules;
import dht.testkit.junit.LongByNature;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Allocations fail at any point where hints are stored, where a node's state changes, and where
 * nodes are compared.
 */
@Timeout(900)
class OutOfMemoryTest {
    @Test
    void allocations_failAtRandom_losesNoHintAndLeaksNothing() throws Exception {
        AllocationSchedules.runSome(HintQueue.class, HintSchedule.class);
    }

    @Test
    @LongByNature
    void allocations_failAtRandomOftenEnough_losesNoHintAndLeaksNothing() throws Exception {
        AllocationSchedules.run(HintQueue.class, HintSchedule.class, 1000);
    }

    @Test
    void allocations_failWhileNodesGreet_leaveWhatIsOnDisk() throws Exception {
        AllocationSchedules.runSome(Membership.class, MembershipSchedule.class);
    }

    @Test
    void allocations_failWhileNodesAreCompared_breakComparisonsOff() throws Exception {
        AllocationSchedules.runSome(Comparison.class, ComparisonSchedule.class);
    }

    @Test
    void allocations_failWhileHealingIsNotified_throwNothing() throws Exception {
        AllocationSchedules.runSome(HintQueue.class, HealingSchedule.class);
    }
}
