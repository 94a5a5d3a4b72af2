package dht.storage.simulation;

import java.io.IOException;

/** Called before each operation; may wait, or make the operation fail. Thread-safe. */
@FunctionalInterface
public interface Hook {
    void before(Operation operation) throws IOException;

    /** Is told when the operation was done without failing. */
    default void after(Operation operation) {}
}
