package dht.storage.simulation;

import java.io.IOException;

/** Is called before each operation; may wait, or make it fail. Thread-safe. */
@FunctionalInterface
public interface Hook {
    void before(Operation operation) throws IOException;

    /** Is told when the operation was done without failing. */
    default void after(Operation operation) {}
}
