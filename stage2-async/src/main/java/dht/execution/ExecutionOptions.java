package dht.execution;

import java.time.Duration;

/**
 * The parameters of an executor: which threads execute requests, and how long requests may wait for
 * them. Immutable.
 *
 * @param kind the kind of executor
 * @param workerCount number of threads, at least 1
 * @param queueLengthMax requests that may wait, at least 1; further requests are rejected
 * @param queueDeadline a request that has waited longer than this when its turn comes is rejected;
 *     greater than 0
 * @param drainTimeout how long an executor that is closing executes waiting requests
 */
public record ExecutionOptions(
        ExecutorKind kind,
        int workerCount,
        int queueLengthMax,
        Duration queueDeadline,
        Duration drainTimeout) {
    /**
     * @throws IllegalArgumentException if {@code workerCount} or {@code queueLengthMax} is less
     *     than 1, or {@code queueDeadline} is 0
     */
    public ExecutionOptions {
        if (workerCount < 1) {
            throw new IllegalArgumentException("workers=" + workerCount + " must be at least 1");
        }
        if (queueLengthMax < 1) {
            throw new IllegalArgumentException(
                    "queue-length=" + queueLengthMax + " must be at least 1");
        }
        if (queueDeadline.isZero()) {
            throw new IllegalArgumentException("queue-deadline must be greater than 0");
        }
    }
}
