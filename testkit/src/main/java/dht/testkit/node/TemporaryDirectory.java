package dht.testkit.node;

import java.nio.file.Path;

/**
 * A directory that is gone when it is closed, and at the latest when the JVM ends. Threads may
 * share it.
 *
 * @param path where it is
 */
public record TemporaryDirectory(Path path) implements AutoCloseable {
    public static TemporaryDirectory create(String name) {
        return new TemporaryDirectory(Cleanup.directory(name));
    }

    @Override
    public void close() {
        Cleanup.delete(path);
    }
}
