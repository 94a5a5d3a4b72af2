package dht.replication.async;

/** How the replicas of a key are asked. */
public enum FanOutKind {
    /** One after the other, as in stage 4. */
    SEQUENTIAL,
    /** At the same time; for each request, a thread waits for the answer. */
    PARALLEL,
    /** At the same time, and no thread waits. */
    ASYNC
}
