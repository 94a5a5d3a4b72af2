package dht.repair;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Limits how fast a comparison reads and repairs. It may repair as many keys per second as any
 * other healing thread. Instead of one repair, it may read 100 small versions. So a comparison
 * leaves most of the machine to clients.
 *
 * <p>Used by one thread at a time.
 */
final class RepairRateLimiter {
    private static final int READS_PER_REPAIR = 100;

    private final RateLimiter limiter;
    private final LongAdder readCost;
    private int unpaidCost;

    /**
     * @param readCost counts the cost of all reads
     */
    RepairRateLimiter(int keysPerSecondMax, LongSupplier nanoClock, LongAdder readCost) {
        this.limiter = new RateLimiter(keysPerSecondMax, nanoClock);
        this.readCost = readCost;
    }

    /** Must be called after a read. Waits if the reads were too fast. */
    void read(int cost) throws InterruptedException {
        readCost.add(cost);
        unpaidCost += cost;
        while (unpaidCost >= READS_PER_REPAIR) {
            unpaidCost -= READS_PER_REPAIR;
            limiter.awaitTurn();
        }
    }

    /** Must be called before a repair. Waits if it would be too early. */
    void repair() throws InterruptedException {
        limiter.awaitTurn();
    }
}
