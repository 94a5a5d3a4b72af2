package dht.testkit.node;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A factory of servers that are processes, started from a stage's jar with the {@code java} that
 * runs the tests. A process is ready when it prints the ready line to standard output. A process
 * that runs out of memory ends, so that the test notices it. Immutable.
 */
public final class JarProcess implements NodeFactory {
    private static final String QUIET = "--sun-misc-unsafe-memory-access=allow";
    private static final String ENDS_WITHOUT_MEMORY = "-XX:+ExitOnOutOfMemoryError";

    /** For servers that run only for some seconds: more optimisation would not pay off. */
    private static final String COMPILED_FOR_A_SHORT_LIFE = "-XX:TieredStopAtLevel=1";

    private static final Pattern XMX = Pattern.compile("-Xmx(\\d+)([kKmMgG]?)");

    private final Path jar;
    private final boolean hasClassArchive;
    private final boolean endsWithoutMemory;
    private final List<String> jvmFlags;
    private final List<String> arguments;

    private JarProcess(
            Path jar,
            boolean hasClassArchive,
            boolean endsWithoutMemory,
            List<String> jvmFlags,
            List<String> arguments) {
        this.jar = jar;
        this.hasClassArchive = hasClassArchive;
        this.endsWithoutMemory = endsWithoutMemory;
        this.jvmFlags = jvmFlags;
        this.arguments = arguments;
    }

    /**
     * A factory for a jar that takes {@code --port P --data DIR} and prints {@code ready
     * http://127.0.0.1:P}.
     */
    public static JarProcess of(Path jar) {
        return new JarProcess(jar, false, true, List.of(), List.of());
    }

    /** The same factory with a {@link ClassArchive}, for a jar that is started often. */
    public JarProcess withClassArchive() {
        return new JarProcess(jar, true, endsWithoutMemory, jvmFlags, arguments);
    }

    /**
     * The same factory without the flag that ends a process which runs out of memory. Then the
     * server itself decides what to do, as where users run it.
     */
    public JarProcess survivingWithoutMemory() {
        return new JarProcess(jar, hasClassArchive, false, jvmFlags, arguments);
    }

    /** The same factory with more flags for the JVM, such as {@code -Xmx128m}. */
    public JarProcess jvmFlags(String... more) {
        return new JarProcess(
                jar, hasClassArchive, endsWithoutMemory, join(jvmFlags, more), arguments);
    }

    /** The same factory with more arguments for the server. */
    public JarProcess arguments(String... more) {
        return new JarProcess(
                jar, hasClassArchive, endsWithoutMemory, jvmFlags, join(arguments, more));
    }

    @Override
    public Node create(NodeSpec spec) {
        if (!Files.isRegularFile(jar)) {
            var message = "jar=%s does not exist: build it with mvn package".formatted(jar);
            throw new StartFailure(StartFailure.Kind.NOT_RUN, message, null);
        }
        return node(spec, join(archive(), COMPILED_FOR_A_SHORT_LIFE));
    }

    private List<String> archive() {
        return hasClassArchive
                ? ClassArchive.flags(jar, flag -> spec -> node(spec, List.of(flag)))
                : List.of();
    }

    private Node node(NodeSpec spec, List<String> moreFlags) {
        var command = command(spec, moreFlags);
        return new ProcessNode(spec, command, Readiness::hasPrintedReady, heapBytesMax());
    }

    private List<String> command(NodeSpec spec, List<String> moreFlags) {
        var command = new ArrayList<String>();
        command.add(javaCommand());
        command.add(QUIET);
        if (endsWithoutMemory) {
            command.add(ENDS_WITHOUT_MEMORY);
        }
        command.addAll(moreFlags);
        command.addAll(jvmFlags);
        command.addAll(List.of("-jar", jar.toString()));
        command.addAll(
                List.of(
                        "--port",
                        String.valueOf(spec.port()),
                        "--data",
                        spec.dataDir().toString()));
        command.addAll(arguments);
        if (spec.cluster().size() > 1) {
            command.addAll(
                    List.of("--self", spec.self().toString(), "--cluster", spec.clusterList()));
        }
        return command;
    }

    /** The path of the {@code java} program of this JVM. */
    public static String javaCommand() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private OptionalLong heapBytesMax() {
        return jvmFlags.stream()
                .map(XMX::matcher)
                .filter(Matcher::matches)
                .mapToLong(size -> Long.parseLong(size.group(1)) << shift(size.group(2)))
                .reduce((_, last) -> last);
    }

    private static int shift(String unit) {
        return switch (unit) {
            case "k", "K" -> 10;
            case "m", "M" -> 20;
            case "g", "G" -> 30;
            default -> 0;
        };
    }

    private static List<String> join(List<String> some, String... more) {
        return Stream.concat(some.stream(), Stream.of(more)).toList();
    }
}
