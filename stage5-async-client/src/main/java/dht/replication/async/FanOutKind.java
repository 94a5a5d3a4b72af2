package dht.replication.async;

/** How the replicas of a key are asked. */
public enum FanOutKind {
    /** One after the other, as in stage 4. */
    SEQUENTIAL,
    /** At the same time, each by a thread that waits for its answer. */
    PARALLEL,
    /** At the same time, and no thread waits. */
    ASYNC
}
