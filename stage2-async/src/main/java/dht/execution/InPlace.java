package dht.execution;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/** Executes each task on the calling thread, as in stage 1. Thread-safe. */
final class InPlace implements CountedExecutor {
    private final Rejections none;

    /** Not a LongAdder: to count down must not fail, and a LongAdder may need memory. */
    private final AtomicInteger inFlight = new AtomicInteger();

    InPlace(LongSupplier nanoClock) {
        this.none = new Rejections(nanoClock.getAsLong());
    }

    @Override
    public void execute(Task task) {
        inFlight.incrementAndGet();
        try {
            task.run();
        } finally {
            inFlight.decrementAndGet();
        }
    }

    @Override
    public int queuedCount() {
        return 0;
    }

    @Override
    public int inFlightCount() {
        return inFlight.get();
    }

    @Override
    public Rejections rejections() {
        return none;
    }
}
