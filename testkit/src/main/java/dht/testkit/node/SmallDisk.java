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
 * A disk of some hundred mebibytes that can be filled up and emptied again while a server has its
 * data on it: a tmpfs, which takes root on Linux. What the server has written stays.
 *
 * <p>One thread at a time.
 */
final class SmallDisk implements AutoCloseable {
    /** Of logs and tables a server has more than of data. What isn't used takes no memory. */
    private static final String SIZE = "400m";

    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(1 << 16).asReadOnlyBuffer();

    /** The whole disk in steps so small that nothing is left for a server. */
    private static final int LAST_STEP_BYTES = 1;

    private final Path directory;

    private SmallDisk(Path directory) {
        this.directory = directory;
    }

    /** Why there can't be one here, or empty where there can. */
    static Optional<String> whyNot() {
        var uid = unixUid();
        return uid.isPresent() && uid.get() == 0
                ? Optional.empty()
                : Optional.of("a disk of its own to fill up takes root on Linux (mount -t tmpfs)");
    }

    private static Optional<Integer> unixUid() {
        try {
            return Optional.of((Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException | UnsupportedOperationException _) {
            return Optional.empty();
        }
    }

    static SmallDisk mount(Path directory) {
        Cleanup.mount(
                directory,
                List.of("mount", "-t", "tmpfs", "-o", "size=" + SIZE, "tmpfs", "" + directory));
        return new SmallDisk(directory);
    }

    /** Where a server may have its data. */
    Path dataDir() {
        return Cleanup.makeDirectory(directory.resolve("data"));
    }

    private Path filler() {
        return directory.resolve("filler");
    }

    /** Takes all the room there is. */
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
                // There is more.
            }
        } catch (IOException _) {
            // It is full.
        }
    }

    /** Gives back what {@link #fill} has taken. */
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
