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
     * @param threadName what a number is put behind to name a worker
     * @param nanoClock such as {@link System#nanoTime}
     */
    public CountedExecutor open(
            String threadName, ExecutionOptions options, LongSupplier nanoClock) {
        return switch (this) {
            case FIFO -> new WorkerPool(threadName, TaskQueue.Order.FIFO, options, nanoClock);
            case LIFO -> new WorkerPool(threadName, TaskQueue.Order.LIFO, options, nanoClock);
            case VIRTUAL -> new VirtualThreads(options, nanoClock);
            case INLINE -> new InPlace(nanoClock);
        };
    }
}
