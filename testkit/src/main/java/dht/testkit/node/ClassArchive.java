package dht.testkit.node;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * A class data sharing archive of a jar: a file with the classes that its server loads. Later
 * processes map this file, which is faster than loading the classes. The file is in the folder of
 * the jar, and is created again if the jar is newer. Threads and processes may share it.
 */
final class ClassArchive {
    private static final Map<Path, List<String>> FLAGS = new ConcurrentHashMap<>();

    private ClassArchive() {}

    /**
     * The JVM flags that use the archive of a jar; none if it cannot be created.
     *
     * @param withFlag makes a factory of servers of the jar whose JVM has one more flag
     */
    static List<String> flags(Path jar, Function<String, NodeFactory> withFlag) {
        return FLAGS.computeIfAbsent(
                jar.toAbsolutePath(), _ -> usable(jar, withFlag) ? use(jar) : List.of());
    }

    private static List<String> use(Path jar) {
        return List.of("-XX:SharedArchiveFile=" + archive(jar, ""));
    }

    private static Path archive(Path jar, String suffix) {
        return jar.resolveSibling(jar.getFileName() + ".jsa" + suffix);
    }

    private static boolean usable(Path jar, Function<String, NodeFactory> withFlag) {
        try (var file =
                        FileChannel.open(
                                archive(jar, ".lock"),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE);
                var _ = file.lock()) {
            if (!isUpToDate(jar)) {
                make(jar, withFlag);
            }
            return true;
        } catch (IOException | AssertionError | RuntimeException failed) {
            System.err.printf("jar=%s has no class archive: %s%n", jar, failed.getMessage());
            return false;
        }
    }

    private static boolean isUpToDate(Path jar) throws IOException {
        var archive = archive(jar, "");
        return Files.exists(archive)
                && Files.getLastModifiedTime(archive).compareTo(Files.getLastModifiedTime(jar)) > 0;
    }

    /** Starts and stops a server: its JVM writes the archive when it ends. */
    private static void make(Path jar, Function<String, NodeFactory> withFlag) throws IOException {
        var unfinished = archive(jar, ".part");
        var servers = withFlag.apply("-XX:ArchiveClassesAtExit=" + unfinished);
        try (var home = NodeHome.start(servers, "archive")) {
            home.node().stop();
        }
        Files.move(unfinished, archive(jar, ""), StandardCopyOption.ATOMIC_MOVE);
    }
}
