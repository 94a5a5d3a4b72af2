package dht.testkit.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The processes, mounts and directories that must be gone when the tests end, in whatever way they
 * end. A shutdown hook removes what is left.
 *
 * <p>Threads may share this class.
 */
final class Cleanup {
    /**
     * The system property {@code testkit.data}: where to make directories. The tests of this
     * project make them in memory, where a sync costs nothing. Not set: among the temporary files.
     */
    private static final String PARENT = System.getProperty("testkit.data", "");

    /** With less room, a test that fills its directory would make others fail. */
    private static final long ROOM_BYTES_MIN = 4L << 30;

    // Guarded by the class.
    private static final Set<ProcessTree> PROCESSES = new HashSet<>();
    private static final Set<Path> DIRECTORIES = new HashSet<>();
    private static final Set<Path> MOUNTS = new HashSet<>();
    private static boolean shuttingDown;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(Cleanup::clearAll, "testkit cleanup"));
    }

    private Cleanup() {}

    /**
     * Starts a process and registers it. A shutdown cannot happen between the two and miss the
     * process.
     */
    static synchronized ProcessTree start(ProcessBuilder builder) throws IOException {
        if (shuttingDown) {
            throw new IOException("the tests are being shut down");
        }
        var tree = new ProcessTree(builder.start());
        PROCESSES.add(tree);
        return tree;
    }

    static synchronized void forget(ProcessTree tree) {
        PROCESSES.remove(tree);
    }

    /** Makes a directory below that of {@link #PARENT}, or among the machine's temporary files. */
    static synchronized Path directory(String name) {
        var prefix = "testkit-" + name + "-";
        try {
            var directory =
                    hasRoom(PARENT, ROOM_BYTES_MIN)
                            ? Files.createTempDirectory(Path.of(PARENT), prefix)
                            : Files.createTempDirectory(prefix);
            DIRECTORIES.add(directory);
            return directory;
        } catch (IOException failed) {
            throw new IllegalStateException("no directory for node=" + name, failed);
        }
    }

    /** Whether it names a directory in which files can be made, on a disk with that much room. */
    static boolean hasRoom(String parent, long bytesMin) throws IOException {
        return !parent.isEmpty()
                && Files.isDirectory(Path.of(parent))
                && Files.isWritable(Path.of(parent))
                && Files.getFileStore(Path.of(parent)).getUsableSpace() >= bytesMin;
    }

    static Path makeDirectory(Path directory) {
        try {
            return Files.createDirectories(directory);
        } catch (IOException failed) {
            throw new UncheckedIOException("no directory " + directory, failed);
        }
    }

    static synchronized void delete(Path directory) {
        deleteTree(directory);
        DIRECTORIES.remove(directory);
    }

    /**
     * Mounts a file system.
     *
     * @param command the command that mounts it
     */
    static synchronized void mount(Path directory, List<String> command) {
        makeDirectory(directory);
        MOUNTS.add(directory);
        Commands.run(command);
    }

    /** Unmounts a file system. Never throws: if it is still in use, it is unmounted later. */
    static synchronized void unmount(Path directory) {
        MOUNTS.remove(directory);
        Commands.tryRun(List.of("umount", "--lazy", directory.toString()));
    }

    private static synchronized void clearAll() {
        shuttingDown = true;
        PROCESSES.forEach(ProcessTree::kill);
        List.copyOf(MOUNTS).forEach(Cleanup::unmount);
        DIRECTORIES.forEach(Cleanup::deleteTree);
    }

    /**
     * Deletes a directory with its content. Never throws: a file that cannot be deleted stays where
     * it is.
     */
    static void deleteTree(Path directory) {
        for (var path : reversed(directory)) {
            try {
                Files.deleteIfExists(path);
            } catch (IOException _) {
                // A server that still runs may create files at the same time.
            }
        }
    }

    private static List<Path> reversed(Path directory) {
        if (!Files.exists(directory)) {
            return List.of();
        }
        try (var paths = Files.walk(directory)) {
            return paths.sorted(Comparator.reverseOrder()).toList();
        } catch (IOException | UncheckedIOException _) {
            return List.of();
        }
    }
}
