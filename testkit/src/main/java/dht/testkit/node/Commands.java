package dht.testkit.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.List;

/** Runs short commands of the operating system. Stateless. */
public final class Commands {
    private Commands() {}

    /** The exit code of a command, and what it printed. */
    public record Ended(int exitCode, String output) {}

    /**
     * Runs a command to its end.
     *
     * @throws IllegalStateException if the exit code is not 0; the message contains what it printed
     */
    public static void run(List<String> command) {
        var ended = tryRun(command);
        if (ended.exitCode() != 0) {
            throw new IllegalStateException(
                    "command=%s exitCode=%d: %s"
                            .formatted(
                                    String.join(" ", command), ended.exitCode(), ended.output()));
        }
    }

    /**
     * Runs a command to its end and returns any exit code. A command that does not exist ends with
     * 127.
     */
    public static Ended tryRun(List<String> command) {
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            var output = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
            return new Ended(process.waitFor(), output);
        } catch (IOException failed) {
            return new Ended(127, failed.getMessage());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return new Ended(130, "interrupted");
        }
    }
}
