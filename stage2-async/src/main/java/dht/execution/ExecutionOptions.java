package dht.execution;

import java.time.Duration;

/**
 * Where requests are worked on, and how long they may wait for it.
 *
 * @param kind who works on them
 * @param workerCount threads, at least 1
 * @param queueLengthMax requests that may wait, at least 1; further ones are refused
 * @param queueDeadline a request that has waited for longer is refused when its turn comes
 * @param drainTimeout how long an executor that closes works on what waits
 */
public record ExecutionOptions(
        ExecutorKind kind,
        int workerCount,
        int queueLengthMax,
        Duration queueDeadline,
        Duration drainTimeout) {
    public ExecutionOptions {
        if (workerCount < 1) {
            throw new IllegalArgumentException("workers=" + workerCount + " must be at least 1");
        }
        if (queueLengthMax < 1) {
            throw new IllegalArgumentException(
                    "queue-length=" + queueLengthMax + " must be at least 1");
        }
        if (queueDeadline.isZero()) {
            throw new IllegalArgumentException("queue-deadline must be longer than nothing");
        }
    }
}
