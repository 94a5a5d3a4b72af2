package dht.http;

/**
 * Where the work of a request is done.
 *
 * <p>Seam: stage 1 does it in place, on the selector thread that read the request; stage 2 hands it
 * to a bounded pool, which may refuse.
 *
 * <p>Thread-safe.
 */
@FunctionalInterface
public interface RequestExecutor extends AutoCloseable {
    /** Does it in place: whoever asks waits. */
    static RequestExecutor inline() {
        return Task::run;
    }

    /** Calls one of the task's methods, once, now or later, on any thread. */
    void execute(Task task);

    /**
     * Goes on with work that was taken before: as {@link #execute}, but not refused for want of
     * room. Whoever calls this bounds how many such tasks there are.
     */
    default void resume(Task task) {
        execute(task);
    }

    /** Work that can be refused. Neither method throws. */
    interface Task {
        void run();

        /**
         * @param answer says why, to the client
         */
        void refuse(Response answer);
    }

    /** Ends what it has begun, within a deadline of its own; takes no more tasks. */
    @Override
    default void close() {}
}
