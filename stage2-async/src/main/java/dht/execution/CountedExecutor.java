package dht.execution;

import dht.http.RequestExecutor;

/** An executor that reports how much work it has. Thread-safe. */
public interface CountedExecutor extends RequestExecutor {
    /** The number of waiting requests. */
    int queuedCount();

    /**
     * The number of tasks in execution. A pool counts its awake workers instead, also those that
     * only look for a task.
     */
    int inFlightCount();

    /** The requests that it has rejected. */
    Rejections rejections();
}
