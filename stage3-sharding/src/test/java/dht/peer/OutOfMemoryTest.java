package dht.peer;

import dht.testkit.allocation.AllocationSchedules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Allocations fail at any point of a call to another node, of its answer and of forwarding it. No
 * deadline ends what is stuck. Whole servers have deadlines, and many more schedules.
 */
@Timeout(900)
class OutOfMemoryTest {
    @Test
    void allocations_failAtRandom_nothingIsStuckNorLeaked() throws Exception {
        AllocationSchedules.runSome(Peer.class, ForwardingSchedule.class);
    }

    @Test
    void allocation_failsWhileConnectionsAreClosed_waitingCallsAreRefused() throws Exception {
        AllocationSchedules.run(Peer.class, ClosingSchedule.class, ClosingSchedule.ALLOCATIONS_MAX);
    }
}
