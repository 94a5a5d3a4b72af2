package dht.testkit.node;

import dht.testkit.concurrent.Deadline;
import dht.testkit.transcript.Mismatch;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A node that is a process, with all processes that it starts. Only one thread at a time may start,
 * stop or kill it; any thread may call the other methods.
 */
final class ProcessNode implements Node {
    private static final Duration START_PATIENCE = Duration.ofSeconds(30);
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(STOP_SECONDS_MAX);

    private final NodeSpec spec;
    private final List<String> command;
    private final Readiness readiness;
    private final OptionalLong memoryBytesMax;
    private final ProcessLog log;
    private volatile ProcessTree process; // null before the first start

    ProcessNode(
            NodeSpec spec, List<String> command, Readiness readiness, OptionalLong memoryBytesMax) {
        this.spec = spec;
        this.command = command;
        this.readiness = readiness;
        this.memoryBytesMax = memoryBytesMax;
        this.log = new ProcessLog(spec.logDir());
    }

    @Override
    public NodeSpec spec() {
        return spec;
    }

    @Override
    public void start() {
        if (isRunning()) {
            throw new IllegalStateException(
                    "node=%s already runs: stop it before you start it again"
                            .formatted(spec.name()));
        }
        close();
        var printedBefore = log.outBytes();
        process = launch();
        var inTime = Deadline.in(START_PATIENCE).reached(() -> isReadyOrGone(printedBefore));
        process.look();
        if (!process.rootIsAlive()) {
            var what = "ended with exit code %d before it was ready".formatted(process.exitCode());
            throw failure(StartFailure.kindOf(log.tail()), what);
        }
        if (!inTime) {
            var what = "was not ready within " + Deadline.words(START_PATIENCE);
            throw failure(StartFailure.Kind.TOO_LATE, what);
        }
    }

    private boolean isReadyOrGone(long printedBefore) {
        return !process.rootIsAlive() || readiness.isReady(spec, log.outLinesSince(printedBefore));
    }

    private ProcessTree launch() {
        try {
            var builder = new ProcessBuilder(command);
            log.receive(builder);
            return Cleanup.start(builder);
        } catch (IOException failed) {
            var message = "command=%s can't be run: %s".formatted(words(), failed.getMessage());
            throw new StartFailure(StartFailure.Kind.NOT_RUN, message, failed);
        }
    }

    private StartFailure failure(StartFailure.Kind kind, String what) {
        close();
        var tail = log.tail();
        var printed =
                tail.isBlank()
                        ? "it printed nothing"
                        : "it printed last:\n" + tail.indent(4).stripTrailing();
        var message = "%s %s\n  command: %s\n  %s".formatted(spec.name(), what, words(), printed);
        return new StartFailure(kind, message, null);
    }

    private String words() {
        return String.join(" ", command);
    }

    @Override
    public void requestStop() {
        process.terminate();
    }

    @Override
    public void awaitStop() {
        if (!Deadline.in(STOP_PATIENCE).reached(() -> !process.rootIsAlive())) {
            close();
            var time = Deadline.words(STOP_PATIENCE);
            throw new Mismatch(
                    "the process exits within %s of SIGTERM".formatted(time), "it still runs");
        }
    }

    @Override
    public void kill() {
        process.kill();
    }

    @Override
    public void pause() {
        process.pause();
    }

    @Override
    public void resume() {
        process.resume();
    }

    @Override
    public boolean isRunning() {
        return process != null && process.rootIsAlive();
    }

    @Override
    public OptionalInt exitCode() {
        return process == null || process.rootIsAlive()
                ? OptionalInt.empty()
                : OptionalInt.of(process.exitCode());
    }

    @Override
    public OptionalLong memoryBytesMax() {
        return memoryBytesMax;
    }

    @Override
    public OptionalLong residentBytesPeak() {
        return isRunning()
                ? ProcessState.residentBytesPeak(process.rootPid())
                : OptionalLong.empty();
    }

    @Override
    public OptionalLong socketCount() {
        return isRunning() ? ProcessState.socketCount(process.rootPid()) : OptionalLong.empty();
    }

    @Override
    public List<String> leftBehind() {
        return isRunning() || process == null
                ? List.of()
                : process.alive().stream().map(ProcessTree::name).toList();
    }

    @Override
    public Optional<String> whyNot(Ability ability) {
        return switch (ability) {
            case KILL, PAUSE, EXIT_CODE -> Optional.empty();
            case NETWORK_CUT -> Optional.of("a process has no network of its own to cut");
            case SLOW_NETWORK -> Optional.of("a process has no network of its own to slow down");
            case BOUNDED_MEMORY ->
                    memoryBytesMax.isPresent()
                            ? Optional.empty()
                            : Optional.of("the server's memory has no known bound");
        };
    }

    @Override
    public String logTail() {
        return log.tail();
    }

    @Override
    public void close() {
        if (process != null) {
            process.kill();
            Cleanup.forget(process);
        }
    }
}
