package dht.testkit.tiny;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a small replicated server remembers about its own data and about other nodes. It is stored
 * as empty files in the data directory, and is lost with that directory. Thread-safe.
 */
final class TinyMemory {
    private static final String COMPLETE = "complete";

    private final Path directory;
    private volatile boolean isComplete;

    TinyMemory(Path directory) {
        this.directory = directory;
        this.isComplete = Files.exists(directory.resolve(COMPLETE));
    }

    /** Whether this node has all its data. */
    boolean isComplete() {
        return isComplete;
    }

    void noteComplete() {
        note(COMPLETE);
        isComplete = true;
    }

    /** Whether that node once had all its data. */
    boolean remembers(URI node) {
        return Files.exists(directory.resolve(name(node)));
    }

    void remember(URI node) {
        note(name(node));
    }

    private static String name(URI node) {
        return "remembers-" + node.getPort();
    }

    private void note(String name) {
        try {
            if (Files.notExists(directory.resolve(name))) {
                Files.createFile(directory.resolve(name));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
