package dht.testkit.node;

import dht.testkit.concurrent.Deadline;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A process and all processes that it has started. The children of a wrapper script belong to it
 * even after the script has ended, if they were seen before.
 *
 * <p>Threads may share it.
 */
final class ProcessTree {
    private static final Set<String> SHELLS =
            Set.of("sh", "bash", "dash", "ash", "zsh", "ksh", "busybox");
    private static final Duration SIGNAL_PATIENCE = Duration.ofSeconds(10);

    private final Process root;
    private final Set<ProcessHandle> seen = new LinkedHashSet<>(); // Guarded by this.

    ProcessTree(Process root) {
        this.root = root;
        look();
    }

    /** Records which processes exist now, and returns them. */
    synchronized List<ProcessHandle> look() {
        seen.add(root.toHandle());
        List.copyOf(seen).forEach(process -> process.descendants().forEach(seen::add));
        return List.copyOf(seen);
    }

    List<ProcessHandle> alive() {
        return look().stream().filter(ProcessTree::isAlive).toList();
    }

    long rootPid() {
        return root.pid();
    }

    boolean rootIsAlive() {
        return root.isAlive();
    }

    int exitCode() {
        return root.exitValue();
    }

    /** Asks the server to stop: the process itself, or the child that a shell waits for. */
    void terminate() {
        look();
        behindShells(root.toHandle()).forEach(ProcessHandle::destroy);
    }

    /** Sends SIGKILL to all processes, again and again until none is left. */
    void kill() {
        Deadline.in(SIGNAL_PATIENCE).reached(this::isKilled);
    }

    private boolean isKilled() {
        var alive = alive();
        alive.forEach(ProcessHandle::destroyForcibly);
        return alive.isEmpty() && !root.isAlive();
    }

    /** Pauses all processes, and returns when they are paused. */
    void pause() {
        signal("STOP");
        Deadline.in(SIGNAL_PATIENCE).await("a paused process to stand still", this::isStopped);
    }

    private boolean isStopped() {
        return alive().stream().mapToLong(ProcessHandle::pid).allMatch(ProcessState::isStopped);
    }

    void resume() {
        signal("CONT");
    }

    private void signal(String name) {
        var command = new ArrayList<>(List.of("kill", "-" + name));
        alive().forEach(process -> command.add(String.valueOf(process.pid())));
        try {
            var exitCode = new ProcessBuilder(command).inheritIO().start().waitFor();
            if (exitCode != 0) {
                throw new IllegalStateException(
                        "command=%s exitCode=%d".formatted(command, exitCode));
            }
        } catch (IOException failed) {
            throw new IllegalStateException("command=" + command, failed);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * The servers behind shells. SIGTERM would end a shell and leave its child, which is the
     * server, running.
     */
    private static Stream<ProcessHandle> behindShells(ProcessHandle process) {
        var children = isShell(process) ? process.children().toList() : List.<ProcessHandle>of();
        return children.isEmpty()
                ? Stream.of(process)
                : children.stream().flatMap(ProcessTree::behindShells);
    }

    private static boolean isShell(ProcessHandle process) {
        var command = process.info().command().map(path -> Path.of(path).getFileName());
        return command.map(Path::toString).filter(SHELLS::contains).isPresent();
    }

    static boolean isAlive(ProcessHandle process) {
        return process.isAlive() && !ProcessState.isZombie(process.pid());
    }

    /** For example {@code python3 (pid 4711)}. */
    static String name(ProcessHandle process) {
        return "%s (pid %d)".formatted(process.info().command().orElse("process"), process.pid());
    }
}
