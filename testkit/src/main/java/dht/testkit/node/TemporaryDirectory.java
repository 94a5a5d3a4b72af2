package dht.testkit.node;

import java.nio.file.Path;

/**
 * A temporary directory. Closing deletes it with its content; otherwise the end of the JVM does.
 * Threads may share it.
 *
 * @param path the path of the directory
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
