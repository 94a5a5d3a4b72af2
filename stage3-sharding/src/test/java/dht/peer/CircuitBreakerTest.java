package dht.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dht.peer.CircuitBreaker.State;
import dht.testkit.concurrent.Deadline;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CircuitBreakerTest {
    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(2);

    private final AtomicLong nowNanos = new AtomicLong(Long.MAX_VALUE - 100); // It overflows.
    private final CircuitBreaker breaker =
            new CircuitBreaker(3, PAUSE, PROBE_TIMEOUT, nowNanos::get);

    private void open() {
        for (int i = 0; i < 3; i++) {
            assertThat(breaker.tryEnter()).isTrue();
            breaker.failed();
        }
    }

    private void passTime(Duration time) {
        nowNanos.addAndGet(time.toNanos());
    }

    @Test
    void failures_inARow_openItOnce() {
        assertThat(breaker.failed()).isFalse();
        assertThat(breaker.failed()).isFalse();
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
        assertThat(breaker.failed()).isTrue();
        assertThat(breaker.state()).isEqualTo(State.OPEN);
        assertThat(breaker.isRejecting()).isTrue();
        assertThat(breaker.tryEnter()).isFalse();
        assertThat(breaker.failed()).as("a request that was under way").isFalse();
    }

    @Test
    void failures_notInARow_leaveItClosed() {
        for (int i = 0; i < 10; i++) {
            breaker.failed();
            breaker.failed();
            assertThat(breaker.succeeded()).isFalse();
        }
        assertThat(breaker.tryEnter()).isTrue();
    }

    @Test
    void pause_beforeItsEnd_letsNobodyIn() {
        open();
        passTime(PAUSE.minusNanos(1));
        assertThat(breaker.isRejecting()).isTrue();
        assertThat(breaker.tryEnter()).isFalse();
    }

    @Test
    void pause_thatIsOver_letsOneIn() {
        open();
        passTime(PAUSE);
        assertThat(breaker.isRejecting()).isFalse();
        assertThat(breaker.tryEnter()).isTrue();
        assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
        assertThat(breaker.isRejecting()).isTrue();
        assertThat(breaker.tryEnter()).isFalse();
    }

    @Test
    void probe_thatSucceeds_closesIt() {
        open();
        passTime(PAUSE);
        breaker.tryEnter();
        assertThat(breaker.succeeded()).isTrue();
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
        assertThat(breaker.failed()).as("it counts from the start").isFalse();
    }

    @Test
    void probe_thatFails_beginsThePauseAnew() {
        open();
        passTime(PAUSE);
        breaker.tryEnter();
        assertThat(breaker.failed()).as("it was open before").isFalse();
        assertThat(breaker.tryEnter()).isFalse();
        passTime(PAUSE);
        assertThat(breaker.tryEnter()).isTrue();
    }

    @Test
    void probe_withoutAnOutcomeInItsTime_countsAsFailed() {
        open();
        passTime(PAUSE);
        assertThat(breaker.tryEnter()).isTrue();
        passTime(PROBE_TIMEOUT.plus(PAUSE).minusNanos(1));
        assertThat(breaker.tryEnter()).as("the pause after the lost probe").isFalse();
        passTime(Duration.ofNanos(1));
        assertThat(breaker.isRejecting()).isFalse();
        assertThat(breaker.tryEnter()).as("the next probe").isTrue();
        assertThat(breaker.tryEnter()).as("one at a time").isFalse();
    }

    @Test
    void probe_whoseAnswerComesTooLate_closesItAllTheSame() {
        open();
        passTime(PAUSE);
        breaker.tryEnter();
        passTime(PROBE_TIMEOUT);
        assertThat(breaker.succeeded()).isTrue();
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void answer_ofARequestUnderWay_closesIt() {
        open();
        assertThat(breaker.succeeded()).isTrue();
        assertThat(breaker.tryEnter()).isTrue();
    }

    @Test
    void failure_ofARequestUnderWay_doesNotLengthenThePause() {
        open();
        passTime(PAUSE.minusNanos(1));
        breaker.failed();
        passTime(Duration.ofNanos(1));
        assertThat(breaker.tryEnter()).isTrue();
    }

    /** The second call comes while the first one reads the clock for the n-th time. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void pause_thatIsOver_letsOneOfTwoInThatComeAtOnce(int look) throws InterruptedException {
        AtomicInteger looksLeft = new AtomicInteger();
        AtomicInteger enteredCount = new AtomicInteger();
        AtomicReference<CircuitBreaker> shared = new AtomicReference<>();
        Runnable enter = () -> enteredCount.addAndGet(shared.get().tryEnter() ? 1 : 0);
        Thread second = Thread.ofPlatform().unstarted(enter);
        LongSupplier clock =
                () -> {
                    if (looksLeft.getAndDecrement() == 1) {
                        second.start();
                        Deadline.in(Duration.ofSeconds(10))
                                .await("the second waits or is done", () -> isHeldUp(second));
                    }
                    return nowNanos.get();
                };
        shared.set(new CircuitBreaker(1, PAUSE, PROBE_TIMEOUT, clock));
        shared.get().failed();
        passTime(PAUSE);
        looksLeft.set(look);

        enter.run();
        second.join();

        assertThat(enteredCount).hasValue(1);
    }

    /** Another thread has seen that the breaker is open, and comes too late to be the probe. */
    @Test
    void answer_whileAProbeIsAboutToEnter_leavesItClosed() throws Exception {
        open();
        passTime(PAUSE);
        FutureTask<Boolean> enter = new FutureTask<>(breaker::tryEnter);
        Thread second = Thread.ofPlatform().unstarted(enter);
        synchronized (breaker) {
            second.start();
            Deadline.in(Duration.ofSeconds(10))
                    .await("the second waits for the lock, or is done", () -> isHeldUp(second));
            assertThat(breaker.succeeded()).isTrue();
        }

        assertThat(enter.get()).isTrue();
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
        assertThat(breaker.tryEnter()).isTrue();
    }

    private static boolean isHeldUp(Thread thread) {
        return switch (thread.getState()) {
            case BLOCKED, WAITING, TERMINATED -> true;
            default -> false;
        };
    }
}
