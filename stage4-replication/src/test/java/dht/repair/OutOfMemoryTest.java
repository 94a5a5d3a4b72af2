package dht.repair;

import dht.testkit.allocation.AllocationLoader;
import dht.testkit.junit.LongByNature;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Allocations fail at any point where hints are kept, delivered and found again. */
@Timeout(300)
class OutOfMemoryTest {
    private static final long SEED = Long.getLong("dht.seed", System.nanoTime());

    @Test
    void allocations_failAtRandom_losesNoHintAndLeaksNothing() throws Exception {
        run(HintSchedule.class, Integer.getInteger("dht.schedules", 40));
    }

    @Test
    @LongByNature
    void allocations_failAtRandomOftenEnough_losesNoHintAndLeaksNothing() throws Exception {
        run(HintSchedule.class, 1000);
    }

    @Test
    void allocations_failWhileHealingIsNotified_throwNothing() throws Exception {
        run(HealingSchedule.class, Integer.getInteger("dht.schedules", 40));
    }

    private static void run(Class<? extends LongConsumer> scenario, int schedules)
            throws Exception {
        LongConsumer schedule = new AllocationLoader(HintQueue.class).newScenario(scenario);
        for (long seed = SEED; seed < SEED + schedules; seed++) {
            try {
                schedule.accept(seed);
            } catch (RuntimeException | Error e) {
                throw new AssertionError(
                        "failed with -Ddht.schedules=1 -Ddht.seed=%d".formatted(seed), e);
            }
        }
    }
}
