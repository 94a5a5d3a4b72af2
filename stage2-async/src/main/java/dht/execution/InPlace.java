package dht.execution;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Executes each task on the calling thread, as in stage 1. Thread-safe. */
final class InPlace implements CountedExecutor {
    private final Rejections none;
    private final LongAdder inFlight = new LongAdder(); // Selectors do not compete for it.

    InPlace(LongSupplier nanoClock) {
        this.none = new Rejections(nanoClock.getAsLong());
    }

    @Override
    public void execute(Task task) {
        inFlight.increment();
        try {
            task.run();
        } finally {
            inFlight.decrement();
        }
    }

    @Override
    public int queuedCount() {
        return 0;
    }

    /** An approximation: it may miss one of two changes that happen at the same time. */
    @Override
    public int inFlightCount() {
        return Math.max(0, inFlight.intValue());
    }

    @Override
    public Rejections rejections() {
        return none;
    }
}
