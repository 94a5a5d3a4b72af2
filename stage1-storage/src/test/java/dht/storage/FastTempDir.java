package dht.storage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Makes temporary directories in memory, if the machine has such a file system. A sync costs
 * nothing there, and tests don't wait for a disk that other processes keep busy.
 */
public final class FastTempDir implements TempDirFactory {
    private static final Path MEMORY = Path.of("/dev/shm");

    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
            throws IOException {
        String prefix = "storage-test";
        return Files.isWritable(MEMORY)
                ? Files.createTempDirectory(MEMORY, prefix)
                : Files.createTempDirectory(prefix);
    }
}
