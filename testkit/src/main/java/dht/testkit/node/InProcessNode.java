package dht.testkit.node;

import dht.testkit.concurrent.Deadline;
import dht.testkit.transcript.Mismatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * A node that runs in this JVM. All its platform threads belong to one thread group, because
 * threads inherit their group. So such a thread that still runs after the stop can be recognised as
 * the server's. Virtual threads have one group for the whole JVM: they are not looked for.
 */
final class InProcessNode implements Node {
    private static final Duration START_PATIENCE = Duration.ofSeconds(30);
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(STOP_SECONDS_MAX);

    /**
     * Threads that the JDK starts once for the whole JVM, in the thread group of the first user.
     */
    private static final Set<String> SHARED_BY_ALL =
            Set.of(
                    "ForkJoinPool.commonPool-worker-",
                    "CompletableFutureDelayScheduler",
                    "Common-Cleaner");

    private final NodeSpec spec;
    private final InProcess.Starter starter;
    private final ThreadGroup threads;
    private final ReentrantLock oneStopAtATime = new ReentrantLock();

    private volatile AutoCloseable server; // null before the first start
    private volatile boolean running;

    /**
     * Stops that were requested and not awaited yet. Only the thread that starts and stops uses it.
     */
    private final List<Action<Void>> stopping = new ArrayList<>();

    /** An action on the server, on a thread of its group. */
    private record Action<T>(Thread thread, FutureTask<T> result) {
        /**
         * Waits for the result and for the end of the thread: it is in the group of the server, but
         * must not count as the server's.
         */
        T await(Duration patience)
                throws ExecutionException, TimeoutException, InterruptedException {
            var value = result.get(patience.toSeconds(), TimeUnit.SECONDS);
            thread.join();
            return value;
        }
    }

    InProcessNode(NodeSpec spec, InProcess.Starter starter) {
        this.spec = spec;
        this.starter = starter;
        this.threads = new ThreadGroup(spec.name());
    }

    @Override
    public NodeSpec spec() {
        return spec;
    }

    @Override
    public void start() {
        var starting = within("start", () -> starter.start(spec));
        try {
            server = starting.await(START_PATIENCE);
            running = true;
        } catch (ExecutionException failed) {
            throw failure(kindOf(failed.getCause()), "did not start", failed.getCause());
        } catch (TimeoutException late) {
            var what = "did not start within " + Deadline.words(START_PATIENCE);
            throw failure(StartFailure.Kind.TOO_LATE, what, late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw failure(StartFailure.Kind.NOT_RUN, "was interrupted", interrupted);
        }
    }

    @Override
    public void requestStop() {
        stopping.add(within("stop", this::closeServer));
    }

    private Void closeServer() throws Exception {
        oneStopAtATime.lock();
        try {
            server.close();
            return null;
        } finally {
            oneStopAtATime.unlock();
        }
    }

    @Override
    public void awaitStop() {
        running = false;
        var stops = List.copyOf(stopping);
        stopping.clear();
        stops.forEach(InProcessNode::await);
    }

    @Override
    public void kill() {
        var killable = able(InProcess.Killable.class, Ability.KILL);
        await(within("kill", () -> kill(killable)));
        running = false;
    }

    private static Void kill(InProcess.Killable server) throws Exception {
        server.kill();
        return null;
    }

    @Override
    public void pause() {
        able(InProcess.Pausable.class, Ability.PAUSE).pause();
    }

    @Override
    public void resume() {
        able(InProcess.Pausable.class, Ability.PAUSE).resume();
    }

    @Override
    public void cutOff() {
        able(InProcess.Severable.class, Ability.NETWORK_CUT).cutOff();
    }

    @Override
    public void slowDown() {
        able(InProcess.Severable.class, Ability.SLOW_NETWORK).slowDown();
    }

    @Override
    public void reconnect() {
        able(InProcess.Severable.class, Ability.NETWORK_CUT).reconnect();
    }

    private <T> T able(Class<T> type, Ability ability) {
        whyNot(ability)
                .ifPresent(
                        reason -> {
                            throw new UnsupportedOperationException(reason);
                        });
        return type.cast(server);
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public OptionalInt exitCode() {
        return OptionalInt.empty();
    }

    @Override
    public OptionalLong memoryBytesMax() {
        return OptionalLong.empty();
    }

    @Override
    public List<String> leftBehind() {
        if (running) {
            return List.of();
        }
        var found = new Thread[threads.activeCount() + 16];
        return Arrays.stream(found, 0, threads.enumerate(found, true))
                .filter(Thread::isAlive)
                .map(Thread::getName)
                .filter(name -> SHARED_BY_ALL.stream().noneMatch(name::startsWith))
                .map("thread "::concat)
                .toList();
    }

    @Override
    public Optional<String> whyNot(Ability ability) {
        return switch (ability) {
            case KILL -> unless(InProcess.Killable.class, "can't be killed alone");
            case PAUSE -> unless(InProcess.Pausable.class, "can't be paused alone");
            case NETWORK_CUT -> unless(InProcess.Severable.class, "has no network of its own");
            case SLOW_NETWORK -> unless(InProcess.Severable.class, "has no network of its own");
            case EXIT_CODE -> unless(Void.class, "has no exit code");
            case BOUNDED_MEMORY -> unless(Void.class, "shares the test's heap");
        };
    }

    private Optional<String> unless(Class<?> type, String what) {
        return type.isInstance(server)
                ? Optional.empty()
                : Optional.of("a server in the test's own JVM " + what);
    }

    @Override
    public String logTail() {
        return "";
    }

    @Override
    public void close() {
        if (!running) {
            return;
        }
        try {
            stop();
        } catch (Mismatch stuck) {
            System.err.printf("%s: %s%n", spec.name(), stuck.getMessage());
        }
    }

    private <T> Action<T> within(String name, Callable<T> body) {
        var result = new FutureTask<>(body);
        var thread = new Thread(threads, result, spec.name() + " " + name);
        thread.setDaemon(true);
        thread.start();
        return new Action<>(thread, result);
    }

    private static void await(Action<Void> ending) {
        try {
            ending.await(CLOSE_PATIENCE);
        } catch (ExecutionException failed) {
            throw new Mismatch("the server stops", failed.getCause().toString());
        } catch (TimeoutException _) {
            throw new Mismatch(
                    "the server stops within " + Deadline.words(CLOSE_PATIENCE), "still stopping");
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new Mismatch("the server stops", "interrupted");
        }
    }

    /** Looks at all causes, because servers wrap the error of the operating system. */
    private static StartFailure.Kind kindOf(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .map(link -> StartFailure.kindOf(link.toString()))
                .filter(StartFailure.Kind.PORT_TAKEN::equals)
                .findFirst()
                .orElse(StartFailure.Kind.REFUSED);
    }

    private StartFailure failure(StartFailure.Kind kind, String what, Throwable cause) {
        return new StartFailure(kind, "%s %s: %s".formatted(spec.name(), what, cause), cause);
    }
}
