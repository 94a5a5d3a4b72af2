package dht.testkit.container;

import dht.testkit.node.Commands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The base image of all servers. It contains a runtime that {@code jlink} makes from the running
 * JDK, and this machine's C library and a few small programs. So nothing is downloaded. {@code
 * ./workbook image} uses this class, too: it runs this file with {@code java}, without compiling
 * the project. A public image is used instead on other systems than Linux, or if the system
 * property {@value #PROPERTY} names one. Stateless.
 */
final class RuntimeImage {
    static final String PROPERTY = "testkit.base.image";

    /**
     * The modules of the runtime. Most are needed by libraries. {@code jdk.jcmd} contains the
     * program that loads the profiler.
     */
    private static final String MODULES =
            "java.base,java.logging,java.management,java.naming,java.net.http,java.sql,"
                    + "jdk.jcmd,jdk.jfr,jdk.management,jdk.unsupported";

    private static final String JAVA_HOME = "opt/java/openjdk";

    /** The class data archive for heaps above 32 GB. Servers do not need it. */
    private static final String FOR_LARGE_HEAPS = "lib/server/classes_nocoops.jsa";

    /** Programs for {@code docker exec}: they run a command or read a file in the container. */
    private static final List<String> PROGRAMS = List.of("sh", "cat", "tar", "rm", "date");

    /**
     * Libraries that the C library loads at run time to resolve names. Some systems do not have
     * them as separate files.
     */
    private static final List<String> NAME_LIBRARIES =
            List.of("libnss_files.so.2", "libnss_dns.so.2", "libresolv.so.2");

    /**
     * A line of {@code ldd}: {@code libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x…)}, or only
     * the path of the loader.
     */
    private static final Pattern LIBRARY = Pattern.compile("(?:=> )?(/\\S+) \\(0x");

    /**
     * Files of {@code /etc} with their content: the user's name, and where host names are looked
     * up.
     */
    private static final Map<String, String> SETTINGS =
            Map.of(
                    "passwd", "node:x:10001:10001::/data:/usr/bin/sh\n",
                    "group", "node:x:10001:\n",
                    "nsswitch.conf", "hosts: files dns\n");

    private RuntimeImage() {}

    /** {@code java RuntimeImage.java DIRECTORY}. */
    public static void main(String... arguments) {
        prepare(Path.of(arguments[0]));
    }

    /**
     * Fills the directory from which {@code Dockerfile.base} makes the image.
     *
     * @param context an empty directory
     */
    static void prepare(Path context) {
        var root = context.resolve("root");
        try {
            var runtime = root.resolve(JAVA_HOME);
            Files.createDirectories(runtime.getParent());
            linkRuntime(runtime);
            Files.deleteIfExists(runtime.resolve(FOR_LARGE_HEAPS));
            var needed = new LinkedHashSet<>(libraries(binaries(runtime)));
            needed.removeIf(library -> library.startsWith(runtime.toString()));
            var programs = PROGRAMS.stream().flatMap(RuntimeImage::onPath).toList();
            needed.addAll(libraries(programs));
            needed.addAll(nameLibraries(needed));
            for (var library : needed) {
                copy(Path.of(library), root.resolve(library.substring(1)));
            }
            for (var program : programs) {
                copy(program, root.resolve("usr/bin").resolve(program.getFileName()));
            }
            Files.createDirectory(root.resolve("etc"));
            for (var setting : SETTINGS.entrySet()) {
                Files.writeString(
                        root.resolve("etc").resolve(setting.getKey()), setting.getValue());
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(
                    "cannot make the base image: context=" + context, failed);
        }
    }

    private static void linkRuntime(Path target) {
        Commands.run(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "jlink").toString(),
                        "--add-modules=" + MODULES,
                        "--strip-debug",
                        "--compress=zip-6",
                        "--no-header-files",
                        "--no-man-pages",
                        "--generate-cds-archive",
                        "--output=" + target));
    }

    /** Copies a file; of a link, the file that it points to. */
    private static void copy(Path file, Path target) throws IOException {
        Files.createDirectories(target.getParent());
        Files.copy(file, target);
    }

    private static List<Path> binaries(Path runtime) throws IOException {
        try (var files = Files.walk(runtime)) {
            return files.filter(
                            file ->
                                    file.toString().endsWith(".so")
                                            || file.endsWith(Path.of("bin", "java")))
                    .toList();
        }
    }

    private static Stream<Path> onPath(String program) {
        return Stream.of("/usr/bin", "/bin")
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .limit(1);
    }

    /** The libraries that the files are linked with. */
    private static Set<String> libraries(List<Path> files) {
        var found = new LinkedHashSet<String>();
        for (var file : files) {
            LIBRARY.matcher(Commands.tryRun(List.of("ldd", file.toString())).output())
                    .results()
                    .map(match -> match.group(1))
                    .forEach(found::add);
        }
        return found;
    }

    private static List<String> nameLibraries(Set<String> libraries) {
        var found = new ArrayList<String>();
        libraries.stream()
                .filter(library -> library.endsWith("/libc.so.6"))
                .map(library -> Path.of(library).getParent())
                .flatMap(folder -> NAME_LIBRARIES.stream().map(folder::resolve))
                .filter(Files::exists)
                .map(Path::toString)
                .filter(library -> !libraries.contains(library))
                .forEach(found::add);
        return found;
    }

    /** Whether this machine can make the image. */
    static boolean isMadeHere() {
        return System.getProperty(PROPERTY) == null
                && Stream.of("ldd", "jlink").allMatch(RuntimeImage::isThere);
    }

    private static boolean isThere(String program) {
        return program.equals("jlink")
                ? Files.isExecutable(Path.of(System.getProperty("java.home"), "bin", program))
                : Commands.tryRun(List.of(program, "--version")).exitCode() == 0;
    }
}
