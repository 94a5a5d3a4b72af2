package dht.http;

/**
 * Decides on which thread a request is served.
 *
 * <p>Seam: stage 1 serves a request on the selector thread that has read it. Stage 2 passes it to a
 * bounded pool, which may refuse it.
 *
 * <p>Thread-safe.
 */
@FunctionalInterface
public interface RequestExecutor extends AutoCloseable {
    /** An executor that runs each task on the caller's thread. */
    static RequestExecutor inline() {
        return Task::run;
    }

    /**
     * Calls exactly one of the task's methods, once, now or later, on any thread. If this throws,
     * for example because memory has run out, neither method is called.
     */
    void execute(Task task);

    /**
     * Continues work that was accepted before. Like {@link #execute}, but a full queue is no reason
     * to refuse the task. The caller must limit the number of such tasks.
     */
    default void resume(Task task) {
        execute(task);
    }

    /** Work that can be refused. Neither method throws. */
    interface Task {
        void run();

        /**
         * @param answer the answer to the client, which says why
         */
        void refuse(Response answer);
    }

    /**
     * Rejects further requests. Waits until all accepted tasks have ended, but not longer than the
     * implementation allows. Then rejects the tasks that have not begun. Never interrupts a running
     * task. By default, this method does nothing.
     */
    @Override
    default void close() {}
}
