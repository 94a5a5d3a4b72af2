package dht.execution;

import dht.http.RequestExecutor;

/** An executor that tells how much it has to do. Thread-safe. */
public interface CountedExecutor extends RequestExecutor {
    /** How many requests wait for their turn. */
    int queuedCount();

    /** How many tasks are being worked on. */
    int inFlightCount();

    /** Requests that it has refused. */
    Rejections rejections();
}
