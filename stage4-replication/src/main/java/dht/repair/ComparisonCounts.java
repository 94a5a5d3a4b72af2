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

    /** Counts as failed, because the next comparison finds the difference again. */
    @Override
    public void repairDropped() {
        versionsFailed.increment();
    }
}
