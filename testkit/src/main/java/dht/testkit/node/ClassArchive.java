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
 * The classes of a jar as its server has loaded them, in a file that later processes map instead of
 * loading them again. It lies beside the jar and is made anew when the jar is newer. Threads and
 * processes may share it.
 */
final class ClassArchive {
    private static final Map<Path, List<String>> FLAGS = new ConcurrentHashMap<>();

    private ClassArchive() {}

    /**
     * What a JVM must be told to use the archive of a jar; nothing where none can be made.
     *
     * @param withFlag servers of the jar whose JVM has one more flag
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

    /** A JVM that ends in an orderly way writes it. */
    private static void make(Path jar, Function<String, NodeFactory> withFlag) throws IOException {
        var unfinished = archive(jar, ".part");
        var servers = withFlag.apply("-XX:ArchiveClassesAtExit=" + unfinished);
        try (var home = NodeHome.start(servers, "archive")) {
            home.node().stop();
        }
        Files.move(unfinished, archive(jar, ""), StandardCopyOption.ATOMIC_MOVE);
    }
}
