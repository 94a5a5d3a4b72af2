package dht.execution;

import java.util.function.LongSupplier;

/** Who works on requests. */
public enum ExecutorKind {
    /** Workers, the request that has waited longest first. */
    FIFO,
    /** Workers, the newest request first while many wait. */
    LIFO,
    /** A virtual thread for each. */
    VIRTUAL,
    /** Whoever read the request, as in stage 1. */
    INLINE;

    /**
     * Starts an executor of this kind.
     *
     * @param nanoClock such as {@link System#nanoTime}
     */
    public CountedExecutor open(ExecutionOptions options, LongSupplier nanoClock) {
        return switch (this) {
            case FIFO -> new WorkerPool(TaskQueue.Order.FIFO, options, nanoClock);
            case LIFO -> new WorkerPool(TaskQueue.Order.LIFO, options, nanoClock);
            case VIRTUAL -> new VirtualThreads(options, nanoClock);
            case INLINE -> new InPlace(nanoClock);
        };
    }
}
