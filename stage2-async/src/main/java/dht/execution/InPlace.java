package dht.execution;

import java.util.function.LongSupplier;

/** Stage 1's way: whoever brings a task does it. Thread-safe. */
final class InPlace implements CountedExecutor {
    private final Rejections none;

    InPlace(LongSupplier nanoClock) {
        this.none = new Rejections(nanoClock.getAsLong());
    }

    @Override
    public void execute(Task task) {
        task.run();
    }

    @Override
    public int queuedCount() {
        return 0;
    }

    /** Not counted: that would cost what this saves. */
    @Override
    public int inFlightCount() {
        return 0;
    }

    @Override
    public Rejections rejections() {
        return none;
    }
}
