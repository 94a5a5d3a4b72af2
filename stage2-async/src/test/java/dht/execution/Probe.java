package dht.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dht.http.RequestExecutor.Task;
import dht.http.Response;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Creates tasks that record their outcomes, in the order in which they happen. Thread-safe. */
final class Probe {
    private static final long PATIENCE_SECONDS = 20;

    private final List<String> events = new ArrayList<>();

    /** A task that tells whether it was run or refused. */
    Task task(String name) {
        return task(name, () -> {});
    }

    /** A task that does something when it is run. */
    Task task(String name, Runnable work) {
        return new Task() {
            @Override
            public void run() {
                tell("run " + name);
                work.run();
            }

            @Override
            public void refuse(Response answer) {
                assertThat(answer.status().code()).isEqualTo(503);
                tell("refuse " + name);
            }
        };
    }

    /** A task that keeps its worker busy until it is let go. */
    final class Blocker {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);

        /** Has a worker of the executor begun with it. */
        Blocker occupy(CountedExecutor executor) {
            executor.execute(
                    task(
                            "blocker",
                            () -> {
                                begun.countDown();
                                await(end);
                            }));
            await(begun);
            return this;
        }

        void letGo() {
            end.countDown();
        }
    }

    /** A task that breaks its promise. */
    Task failing() {
        return task(
                "failing",
                () -> {
                    throw new IllegalStateException("on purpose");
                });
    }

    /** A task that breaks its promise, with a failure for whose log there is no memory. */
    Task unloggable() {
        return task(
                "unloggable",
                () -> {
                    throw new UnloggableException();
                });
    }

    /** As if there were no memory for the log. */
    static final class UnloggableException extends RuntimeException {
        @Override
        public void printStackTrace(PrintStream out) {
            throw new OutOfMemoryError("on purpose");
        }
    }

    private synchronized void tell(String event) {
        events.add(event);
        notifyAll();
    }

    /** What became of the tasks, blockers left out; waits until there is so much to tell. */
    synchronized List<String> events(int count) throws InterruptedException {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (told().size() < count && System.nanoTime() < deadlineNanos) {
            TimeUnit.MILLISECONDS.timedWait(this, 50);
        }
        return told();
    }

    private List<String> told() {
        return events.stream().filter(event -> !event.endsWith("blocker")).toList();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
