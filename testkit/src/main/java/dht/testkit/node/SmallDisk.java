package dht.testkit.node;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;

/**
 * A disk of a few hundred MiB for the data of one server. It can be filled completely and freed
 * again while the server runs; the server's files stay. It is a tmpfs, so it needs root on Linux.
 *
 * <p>For one thread at a time.
 */
final class SmallDisk implements AutoCloseable {
    /**
     * The size: logs and tables of a server need more space than its data. Unused space of a tmpfs
     * needs no memory.
     */
    private static final String SIZE = "400m";

    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(1 << 16).asReadOnlyBuffer();

    /** The last writes are of this size, so that no space is left for the server. */
    private static final int LAST_STEP_BYTES = 1;

    private final Path directory;

    private SmallDisk(Path directory) {
        this.directory = directory;
    }

    /** Why such a disk cannot be used here; empty if it can. Tries it once. */
    static Optional<String> whyNot() {
        return Trial.WHY_NOT;
    }

    /** Root alone is not enough: a container may forbid it to mount. */
    private static final class Trial {
        static final Optional<String> WHY_NOT = mountOne();

        private static Optional<String> mountOne() {
            var directory = Cleanup.directory("small-disk");
            try (var _ = mount(directory)) {
                return Optional.empty();
            } catch (IllegalStateException failed) {
                return Optional.of(
                        "a disk that can be filled needs root on Linux: " + failed.getMessage());
            } finally {
                Cleanup.delete(directory);
            }
        }
    }

    static SmallDisk mount(Path directory) {
        Cleanup.mount(
                directory,
                List.of("mount", "-t", "tmpfs", "-o", "size=" + SIZE, "tmpfs", "" + directory));
        return new SmallDisk(directory);
    }

    /** The directory for the data of a server. */
    Path dataDir() {
        return Cleanup.makeDirectory(directory.resolve("data"));
    }

    private Path filler() {
        return directory.resolve("filler");
    }

    /** Uses all free space. */
    void fill() {
        try (var file =
                FileChannel.open(filler(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (var step = ZEROS.capacity(); step >= LAST_STEP_BYTES; step /= 2) {
                writeWhileThereIsRoom(file, step);
            }
        } catch (IOException failed) {
            throw new IllegalStateException("cannot fill disk=" + directory, failed);
        }
    }

    private static void writeWhileThereIsRoom(FileChannel file, int bytes) {
        try {
            while (file.write(ZEROS.slice(0, bytes)) == bytes) {
                // There is still space.
            }
        } catch (IOException _) {
            // The disk is full.
        }
    }

    /** Frees the space that {@link #fill} has used. */
    void free() {
        try {
            Files.deleteIfExists(filler());
        } catch (IOException failed) {
            throw new IllegalStateException("cannot free disk=" + directory, failed);
        }
    }

    @Override
    public void close() {
        Cleanup.unmount(directory);
    }
}
