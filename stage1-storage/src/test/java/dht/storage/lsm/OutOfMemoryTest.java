package dht.storage.lsm;

import dht.testkit.allocation.AllocationSchedules;
import dht.testkit.junit.LongByNature;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Allocations fail at any point of writing, rotation, flush, compaction, opening and closing. */
@Timeout(900)
class OutOfMemoryTest {
    @Test
    void allocations_failAtRandom_nothingIsLostNorStuck() throws Exception {
        AllocationSchedules.runSome(LsmDao.class, AllocationSchedule.class);
    }

    @Test
    @LongByNature
    void allocations_failAtRandomOftenEnough_nothingIsLostNorStuck() throws Exception {
        AllocationSchedules.run(LsmDao.class, AllocationSchedule.class, 1000);
    }
}
