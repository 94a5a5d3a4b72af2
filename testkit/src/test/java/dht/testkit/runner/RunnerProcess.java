package dht.testkit.runner;

import dht.testkit.node.JarProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The runner as a process, which is how its users start it. */
final class RunnerProcess {
    /** The limit for a whole suite on a busy machine. */
    private static final int SECONDS_MAX = 600;

    /** A process that a script starts in the background ignores SIGINT, and so do its children. */
    private static final String WITH_DEFAULT_SIGINT =
            "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
                    + "os.execvp(sys.argv[1], sys.argv[1:])";

    private final Process process;
    private final Path output;
    private final Path temporaryFiles;

    private RunnerProcess(Process process, Path output, Path temporaryFiles) {
        this.process = process;
        this.output = output;
        this.temporaryFiles = temporaryFiles;
    }

    static RunnerProcess start(Path directory, String... args) throws IOException {
        var temporaryFiles = Files.createDirectories(directory.resolve("tmp"));
        var java =
                List.of(
                        "python3",
                        "-c",
                        WITH_DEFAULT_SIGINT,
                        JarProcess.javaCommand(),
                        "-Djava.io.tmpdir=" + temporaryFiles,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName());
        var output = directory.resolve("output");
        var process =
                new ProcessBuilder(Stream.concat(java.stream(), Stream.of(args)).toList())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        return new RunnerProcess(process, output, temporaryFiles);
    }

    ProcessHandle handle() {
        return process.toHandle();
    }

    int exitCode() throws InterruptedException {
        if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            throw new AssertionError("the runner is not done within %d s".formatted(SECONDS_MAX));
        }
        return process.exitValue();
    }

    List<String> lines() throws IOException {
        return Files.readAllLines(output);
    }

    /** The temporary files that it has not deleted. */
    List<Path> leftovers() throws IOException {
        try (var files = Files.list(temporaryFiles)) {
            return files.filter(file -> file.getFileName().toString().startsWith("testkit-"))
                    .toList();
        }
    }
}
