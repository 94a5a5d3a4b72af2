package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.Eventually;
import dht.storage.StorageException;
import dht.storage.StorageUnavailableException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class BackgroundTaskTest {
    private static final long RETRY_MILLIS = 20;

    private final AtomicInteger rounds = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private final Semaphore mayRun = new Semaphore(0);
    private BackgroundTask task;

    private void begin(BackgroundTask.Work work) {
        begin(work, RETRY_MILLIS);
    }

    private void begin(BackgroundTask.Work work, long retryMillis) {
        task = new BackgroundTask("task", work, failures::incrementAndGet, retryMillis);
        task.start();
    }

    @AfterEach
    void close() {
        mayRun.release(1_000_000);
        task.close();
    }

    private void awaitRound(int count) {
        Eventually.holds(() -> rounds.get() >= count, () -> "rounds=" + rounds);
    }

    @Test
    void wake_manyTimesWhileBusy_runsOnceMore() {
        begin(
                () -> {
                    rounds.incrementAndGet();
                    mayRun.acquireUninterruptibly();
                });
        task.wake();
        awaitRound(1);
        for (int i = 0; i < 100; i++) {
            task.wake();
        }
        mayRun.release(1000);

        task.call(() -> null);
        assertThat(rounds).hasValue(2);
    }

    @Test
    void round_ofWork_isRecordedWhereAskedFor(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("work.jfr");
        try (Recording recording = new Recording()) {
            recording.enable(BackgroundEvent.NAME).withoutThreshold();
            recording.start();
            begin(rounds::incrementAndGet);
            task.wake();
            awaitRound(1);
            task.call(() -> null);
            recording.stop();
            recording.dump(file);
        }
        assertThat(RecordingFile.readAllEvents(file))
                .extracting(event -> event.getString("work"))
                .contains("task");
    }

    @Test
    void work_fails_isRetriedUntilItWorks() {
        begin(
                () -> {
                    if (rounds.incrementAndGet() < 4) {
                        throw new IOException("no luck");
                    }
                });
        task.wake();

        awaitRound(4);
        Eventually.holds(() -> task.failure() == null, () -> "failure=" + task.failure());
        assertThat(failures).hasValue(3);
    }

    @Test
    void work_fails_tellsWhy() {
        begin(
                () -> {
                    throw new IOException("no luck");
                });
        task.wake();

        Eventually.holds(() -> task.failure() != null, () -> "no failure");
        assertThat(task.failure()).hasMessage("task failed: no luck");
    }

    @Test
    void work_throwsError_isRetriedToo() {
        begin(
                () -> {
                    if (rounds.incrementAndGet() == 1) {
                        throw new InternalError("a fault occurred in an unsafe memory access");
                    }
                });
        task.wake();

        awaitRound(2);
        assertThat(failures).hasValue(1);
    }

    /** Not even then does it give up: nobody would ever do its work. */
    @Test
    void work_failsAndSoDoesTellingSo_isRetriedAndTells() {
        begin(
                () -> {
                    if (rounds.incrementAndGet() < 3) {
                        throw new IllegalStateException() {
                            @Override
                            public String getMessage() {
                                throw new OutOfMemoryError("no memory for a message");
                            }
                        };
                    }
                    mayRun.acquireUninterruptibly();
                });
        task.wake();

        awaitRound(3);
        assertThat(task.failure()).hasMessage("task failed: out of memory");
    }

    @Test
    void onFailure_throws_workIsRetried() {
        task =
                new BackgroundTask(
                        "task",
                        () -> {
                            rounds.incrementAndGet();
                            throw new IOException("no luck");
                        },
                        () -> {
                            throw new OutOfMemoryError("no memory to tell anybody");
                        },
                        RETRY_MILLIS);
        task.start();
        task.wake();

        awaitRound(3);
    }

    @Test
    void wake_whileFailing_doesNotMultiplyRetries() {
        begin(
                () -> {
                    rounds.incrementAndGet();
                    throw new IOException("no luck");
                },
                200);
        for (int i = 1; i <= 100; i++) {
            task.wake();
            awaitRound(i);
        }

        int before = rounds.get();
        awaitRound(before + 2); // Two retries, one after the other: no herd of a hundred.
        assertThat(rounds.get()).isLessThan(before + 20);
    }

    @Test
    void failureFromNow_olderFailure_doesNotCount() {
        AtomicBoolean fails = new AtomicBoolean(true);
        begin(
                () -> {
                    rounds.incrementAndGet();
                    if (fails.get()) {
                        throw new IOException("no luck");
                    }
                },
                100_000);
        task.wake();
        Eventually.holds(() -> task.failure() != null, () -> "no failure");

        Supplier<StorageException> failure = task.failureFromNow();
        assertThat(failure.get()).isNull();
        task.wake();
        Eventually.holds(() -> failure.get() != null, () -> "no failure");

        fails.set(false);
        Supplier<StorageException> next = task.failureFromNow();
        task.wake();
        awaitRound(3);
        assertThat(next.get()).isNull();
    }

    @Test
    void call_returnsResult_orThrowsWhatFailed() {
        begin(() -> {});

        assertThat(task.call(() -> "result")).isEqualTo("result");
        assertThatThrownBy(
                        () ->
                                task.call(
                                        () -> {
                                            throw new IOException("no luck");
                                        }))
                .isInstanceOf(StorageException.class)
                .hasMessage("task failed: no luck");
    }

    @Test
    void call_afterClose_isRefused() {
        begin(() -> {});
        task.close();

        assertThatThrownBy(() -> task.call(() -> null))
                .isInstanceOf(StorageUnavailableException.class);
    }

    @Test
    void call_givenUp_isRefused() {
        begin(() -> {});

        assertThatThrownBy(
                        () ->
                                task.call(
                                        () -> {
                                            throw new CancellationException("closing");
                                        }))
                .isInstanceOf(StorageUnavailableException.class);
    }

    @Test
    void call_closedBeforeItsTurn_isStillDone() throws InterruptedException {
        begin(
                () -> {
                    rounds.incrementAndGet();
                    mayRun.acquireUninterruptibly();
                });
        task.wake();
        awaitRound(1);
        AtomicReference<String> result = new AtomicReference<>();
        Thread caller = Thread.ofPlatform().start(() -> result.set(task.call(() -> "result")));
        Eventually.holds(() -> caller.getState() == Thread.State.WAITING, caller::getState);
        Thread closer = Thread.ofPlatform().start(task::close);
        Eventually.holds(() -> closer.getState() == Thread.State.WAITING, closer::getState);
        mayRun.release();
        caller.join();
        closer.join();

        assertThat(result).hasValue("result");
    }

    @Test
    void call_interruptedCaller_waitsAndStaysInterrupted() {
        begin(() -> {});
        Thread.currentThread().interrupt();

        String result = task.call(() -> "result");

        assertThat(Thread.interrupted()).isTrue();
        assertThat(result).isEqualTo("result");
    }

    @Test
    void callInterruptibly_returnsResult_orThrowsWhatFailed() {
        begin(() -> {});

        assertThat(task.<String>callInterruptibly(() -> "result")).isEqualTo("result");
        assertThatThrownBy(
                        () ->
                                task.callInterruptibly(
                                        () -> {
                                            throw new IOException("no luck");
                                        }))
                .isInstanceOf(StorageException.class)
                .hasMessage("task failed: no luck");
    }

    /** Runs an interruptible call on a thread of its own. */
    private final class InterruptibleCall {
        private final AtomicReference<StorageException> outcome = new AtomicReference<>();
        private final AtomicBoolean isStillInterrupted = new AtomicBoolean();
        private final Thread caller;

        InterruptibleCall(Callable<String> action) {
            caller =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            task.callInterruptibly(action);
                                        } catch (StorageException e) {
                                            outcome.set(e);
                                            isStillInterrupted.set(Thread.interrupted());
                                        }
                                    });
            Eventually.holds(() -> caller.getState() == Thread.State.WAITING, caller::getState);
        }

        void expectEndWhenInterrupted() throws InterruptedException {
            caller.interrupt();
            caller.join();
            assertThat(outcome.get()).hasMessage("interrupted while waiting for task");
            assertThat(isStillInterrupted).isTrue();
        }
    }

    @Test
    void callInterruptibly_interruptedBeforeItsTurn_isNotDone() throws InterruptedException {
        AtomicBoolean isDone = new AtomicBoolean();
        begin(
                () -> {
                    rounds.incrementAndGet();
                    mayRun.acquireUninterruptibly();
                });
        task.wake();
        awaitRound(1);
        var call =
                new InterruptibleCall(
                        () -> {
                            isDone.set(true);
                            return "result";
                        });
        call.expectEndWhenInterrupted();
        mayRun.release();

        assertThat(task.<String>call(() -> "next")).isEqualTo("next");
        assertThat(isDone).isFalse();
    }

    @Test
    void callInterruptibly_interruptedDuringTheAction_isDone() throws InterruptedException {
        AtomicBoolean isDone = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(1);
        begin(() -> {});
        var call =
                new InterruptibleCall(
                        () -> {
                            begun.countDown();
                            mayRun.acquire(); // Would throw if this thread were interrupted, too.
                            isDone.set(true);
                            return "result";
                        });
        begun.await();
        call.expectEndWhenInterrupted();
        mayRun.release();

        assertThat(task.<String>call(() -> "next")).isEqualTo("next");
        assertThat(isDone).isTrue();
    }

    @Test
    void close_interruptedCaller_doesNotInterruptTheWork() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        begin(
                () -> {
                    begun.countDown();
                    try {
                        mayRun.acquire();
                    } catch (InterruptedException e) {
                        interrupted.set(true);
                    }
                });
        task.wake();
        begun.await();
        AtomicBoolean closerInterrupted = new AtomicBoolean();
        Thread closer =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    Thread.currentThread().interrupt();
                                    task.close();
                                    closerInterrupted.set(Thread.interrupted());
                                });
        Eventually.holds(
                () -> interrupted.get() || closer.getState() == Thread.State.WAITING,
                closer::getState);
        mayRun.release();
        closer.join();

        assertThat(interrupted).isFalse();
        assertThat(closerInterrupted).isTrue();
    }
}
