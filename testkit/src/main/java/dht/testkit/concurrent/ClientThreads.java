package dht.testkit.concurrent;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * Threads that run the tasks of clients at the same time, one thread for each task.
 *
 * <p>{@link #join} throws the first failure to the caller. {@link #close} interrupts the threads
 * that still run. Only the thread that created an object may use it.
 */
public final class ClientThreads implements AutoCloseable {
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Future<?>> tasks = new ArrayList<>();

    /** What one thread does; {@code index} is the number of the thread, from 0. */
    @FunctionalInterface
    public interface Task {
        void run(int index) throws Exception;
    }

    /** Runs {@code count} tasks and waits for all of them. */
    public static void run(int count, Duration patience, Task task) {
        try (var clients = start(count, task)) {
            clients.join(patience);
        }
    }

    public static ClientThreads start(int count, Task task) {
        var clients = new ClientThreads();
        for (var i = 0; i < count; i++) {
            var index = i;
            Callable<Void> numbered = () -> run(task, index);
            clients.tasks.add(clients.threads.submit(numbered));
        }
        return clients;
    }

    private static Void run(Task task, int index) throws Exception {
        task.run(index);
        return null;
    }

    /**
     * Waits until all tasks have ended.
     *
     * @throws AssertionError if a task failed, or the tasks did not end in time
     */
    public void join(Duration patience) {
        var deadline = Deadline.in(patience);
        for (var task : tasks) {
            await(task, deadline, patience);
        }
    }

    /**
     * Waits until the condition holds while the tasks run.
     *
     * @param expected the condition in words
     * @throws AssertionError if a task has failed before, or if the condition does not hold in time
     */
    public void await(String expected, Duration patience, BooleanSupplier condition) {
        Deadline.in(patience)
                .await(
                        expected,
                        () -> {
                            tasks.stream()
                                    .filter(ClientThreads::hasFailed)
                                    .forEach(ClientThreads::rethrow);
                            return condition.getAsBoolean();
                        });
    }

    private static boolean hasFailed(Future<?> task) {
        return task.state() == Future.State.FAILED;
    }

    private static void rethrow(Future<?> task) {
        await(task, Deadline.in(Duration.ZERO), Duration.ZERO);
    }

    private static void await(Future<?> task, Deadline deadline, Duration patience) {
        try {
            task.get(deadline.left().toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException _) {
            throw new AssertionError(
                    "the clients have not finished within " + Deadline.words(patience));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while the clients were working");
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof Error error) {
                throw error;
            }
            throw new CompletionException(failed.getCause());
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        threads.close();
    }
}
