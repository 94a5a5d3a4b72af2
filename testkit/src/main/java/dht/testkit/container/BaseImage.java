package dht.testkit.container;

import dht.testkit.node.Commands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the image of a server stands on: a runtime that {@code jlink} makes of the JDK that runs the
 * tests, and the machine's C library. So it takes no registry. Elsewhere than on Linux, or where
 * the system property {@value #PROPERTY} names one, it is a public image.
 */
final class BaseImage {
    static final String PROPERTY = "testkit.base.image";

    /** More than servers need by themselves: they bring libraries. */
    private static final String MODULES =
            "java.base,java.logging,java.management,java.naming,java.net.http,java.sql,"
                    + "jdk.jfr,jdk.management,jdk.unsupported";

    private static final String JAVA_HOME = "opt/java/openjdk";

    /** {@code libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x…)}, or the loader alone. */
    private static final Pattern LIBRARY = Pattern.compile("(?:=> )?(/\\S+) \\(0x");

    private BaseImage() {}

    /**
     * Fills a build context for it.
     *
     * @param context an empty directory
     */
    static void prepare(Path context) {
        var root = context.resolve("root");
        try {
            Files.createDirectories(root.resolve(JAVA_HOME).getParent());
            linkRuntime(root.resolve(JAVA_HOME));
            for (var library : libraries(root.resolve(JAVA_HOME))) {
                var copy = root.resolve(library.substring(1));
                Files.createDirectories(copy.getParent());
                Files.copy(Path.of(library), copy); // The file behind a link.
            }
            Files.createDirectories(root.resolve("data"));
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot make a base image", failed);
        }
    }

    private static void linkRuntime(Path target) {
        Commands.run(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "jlink").toString(),
                        "--add-modules=" + MODULES,
                        "--strip-debug",
                        "--no-header-files",
                        "--no-man-pages",
                        "--generate-cds-archive",
                        "--output=" + target));
    }

    /** What the runtime is linked with, apart from itself. */
    private static Set<String> libraries(Path runtime) throws IOException {
        var found = new LinkedHashSet<String>();
        try (var files = Files.walk(runtime)) {
            for (var file : files.filter(BaseImage::isBinary).toList()) {
                LIBRARY.matcher(Commands.tryRun(List.of("ldd", file.toString())).output())
                        .results()
                        .map(match -> match.group(1))
                        .filter(library -> !library.startsWith(runtime.toString()))
                        .forEach(found::add);
            }
        }
        return found;
    }

    private static boolean isBinary(Path file) {
        return file.toString().endsWith(".so") || file.endsWith(Path.of("bin", "java"));
    }

    /** Whether this machine can make one. */
    static boolean isMadeHere() {
        return System.getProperty(PROPERTY) == null
                && Stream.of("ldd", "jlink").allMatch(BaseImage::isThere);
    }

    private static boolean isThere(String program) {
        return program.equals("jlink")
                ? Files.isExecutable(Path.of(System.getProperty("java.home"), "bin", program))
                : Commands.tryRun(List.of(program, "--version")).exitCode() == 0;
    }
}
