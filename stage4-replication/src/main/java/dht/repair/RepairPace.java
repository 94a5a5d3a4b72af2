package dht.repair;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Limits how fast a comparison reads and repairs. It may repair as many keys a second as other
 * healing threads, and in the time of one repair it may read 100 small versions. So comparing costs
 * little while clients need the machine.
 *
 * <p>Used by one thread at a time.
 */
final class RepairPace {
    private static final int READS_PER_REPAIR = 100;

    private final Pace pace;
    private final LongAdder readCost;
    private int unpaidCost;

    /**
     * @param readCost counts what is read
     */
    RepairPace(int keysPerSecondMax, LongSupplier nanoClock, LongAdder readCost) {
        this.pace = new Pace(keysPerSecondMax, nanoClock);
        this.readCost = readCost;
    }

    /** Something was read. Waits if that was too fast. */
    void read(int cost) throws InterruptedException {
        readCost.add(cost);
        unpaidCost += cost;
        while (unpaidCost >= READS_PER_REPAIR) {
            unpaidCost -= READS_PER_REPAIR;
            pace.awaitTurn();
        }
    }

    /** A key is about to be repaired. Waits if that is too fast. */
    void repair() throws InterruptedException {
        pace.awaitTurn();
    }
}
