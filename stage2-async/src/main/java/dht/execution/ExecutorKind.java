package dht.execution;

import java.util.function.LongSupplier;

/** The kinds of executors: which thread executes a request, and which request is next. */
public enum ExecutorKind {
    /** Workers; the request that has waited longest is next. */
    FIFO,
    /** Workers; the newest request is next while many are waiting. */
    LIFO,
    /** A virtual thread for each request. */
    VIRTUAL,
    /** The thread that read the request, as in stage 1. */
    INLINE;

    /**
     * Starts an executor of this kind.
     *
     * @param threadName prefix of the names of the threads of {@link #FIFO} and {@link #LIFO}; a
     *     hyphen and a number follow
     * @param options the limits; {@link #INLINE} ignores them
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
