package dht.storage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a main method of the test classes in another JVM. */
public final class OtherProcess {
    private OtherProcess() {}

    public static Process start(Class<?> main, String... args) throws IOException {
        return start(List.of("-XX:TieredStopAtLevel=1"), main, args);
    }

    private static Process start(List<String> jvmOptions, Class<?> main, String... args)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx64m");
        command.addAll(jvmOptions);
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(main.getName());
        command.addAll(List.of(args));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** Runs it to its end, and answers what it printed. */
    public static String run(Class<?> main, String... args) throws Exception {
        return output(start(main, args));
    }

    /** Likewise, in a JVM with other options. */
    public static String run(List<String> jvmOptions, Class<?> main, String... args)
            throws Exception {
        return output(start(jvmOptions, main, args));
    }

    private static String output(Process process) throws Exception {
        try (var output = process.getInputStream()) {
            String printed = new String(output.readAllBytes(), StandardCharsets.UTF_8).strip();
            process.waitFor();
            return printed;
        } finally {
            process.destroyForcibly();
        }
    }
}
