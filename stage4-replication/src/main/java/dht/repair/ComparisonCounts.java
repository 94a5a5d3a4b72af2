package dht.repair;

import java.util.concurrent.atomic.LongAdder;

/** Counts what comparisons of nodes do. Thread-safe. */
final class ComparisonCounts implements RepairOutcomes {
    final LongAdder same = new LongAdder();
    final LongAdder different = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder readCost = new LongAdder();
    final LongAdder bytes = new LongAdder();
    final LongAdder versionsSent = new LongAdder();
    final LongAdder versionsFailed = new LongAdder();

    @Override
    public void repaired() {
        versionsSent.increment();
    }

    @Override
    public void repairFailed() {
        versionsFailed.increment();
    }

    /**
     * Counted as failed: the replica still lacks the version, and the next comparison finds it
     * again.
     */
    @Override
    public void repairDropped() {
        versionsFailed.increment();
    }
}
