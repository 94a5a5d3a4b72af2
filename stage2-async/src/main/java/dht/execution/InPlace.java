package dht.execution;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Stage 1's way: whoever brings a task does it. Thread-safe. */
final class InPlace implements CountedExecutor {
    private final Rejections none;
    private final LongAdder inFlight = new LongAdder(); // Selectors don't meet at it.

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

    /** About so many: of two that change meanwhile, only one may be seen. */
    @Override
    public int inFlightCount() {
        return Math.max(0, inFlight.intValue());
    }

    @Override
    public Rejections rejections() {
        return none;
    }
}
