package dht.peer;

import dht.testkit.allocation.AllocationSchedules;
import dht.testkit.junit.LongByNature;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Allocations fail at any point of a call to another node, of its answer and of forwarding it. */
@Timeout(900)
class OutOfMemoryTest {
    @Test
    void allocations_failAtRandom_nothingIsStuckNorLeaked() throws Exception {
        AllocationSchedules.runSome(Peer.class, ForwardingSchedule.class);
    }

    @Test
    @LongByNature
    void allocations_failAtRandomOftenEnough_nothingIsStuckNorLeaked() throws Exception {
        AllocationSchedules.run(Peer.class, ForwardingSchedule.class, 1000);
    }
}
