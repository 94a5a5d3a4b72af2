package dht.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.NodeAddress;
import dht.http.OwnedBytes;
import dht.http.Status;
import dht.peer.CircuitBreaker.State;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.NoMemory;
import dht.peer.PeerAnswer.TimedOut;
import dht.peer.PeerAnswer.Unreachable;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PeerHealthTest {
    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final int FAILURES_MAX = 3;
    private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(2);
    private static final PeerAnswer ANSWER =
            new Answered(Status.OK.code(), 0, OwnedBytes.EMPTY, () -> {});

    private final AtomicLong nowNanos = new AtomicLong();
    private final PeerHealth health =
            new PeerHealth(
                    new NodeAddress("node", 1),
                    new PeerOptions(
                            1,
                            1,
                            Duration.ofSeconds(1),
                            Duration.ofSeconds(1),
                            FAILURES_MAX,
                            PAUSE,
                            Duration.ZERO),
                    nowNanos::get);
    private final long beganNanos = System.nanoTime();

    private void judge(PeerAnswer answer, long sentNanos) {
        health.updateBreaker(answer, beganNanos + sentNanos);
    }

    @Test
    void messages_thatFailWithoutAnAnswerSince_shutIt() {
        judge(ANSWER, 5);
        judge(new TimedOut(), 6);
        judge(new TimedOut(), 5); // At the same time as the one that was answered.
        assertThat(health.breakerState()).isEqualTo(State.CLOSED);
        judge(new TimedOut(), 7);
        assertThat(health.breakerState()).isEqualTo(State.OPEN);
    }

    /** For example, failures of requests that were in flight when the node restarted. */
    @Test
    void messages_thatWereSentBeforeAnAnsweredOne_areNotHeldAgainstTheNode() {
        judge(ANSWER, 10);
        for (int i = 0; i < 10; i++) {
            judge(new TimedOut(), i);
        }
        assertThat(health.breakerState()).isEqualTo(State.CLOSED);
        assertThat(health.isFailing()).isFalse();
        judge(ANSWER, 3); // Overtaken by a later one, which still counts.
        for (int i = 0; i < FAILURES_MAX; i++) {
            judge(new TimedOut(), 9);
        }
        assertThat(health.breakerState()).isEqualTo(State.CLOSED);
    }

    /** Only this node lacks memory: the other one may still be down. */
    @Test
    void probe_forWhichThisNodeHasNoMemory_leavesItShut() {
        for (int i = 0; i < FAILURES_MAX; i++) {
            judge(new TimedOut(), i);
        }
        nowNanos.addAndGet(PAUSE.toNanos());
        assertThat(health.tryEnter()).isTrue();

        judge(NoMemory.INSTANCE, 20);

        assertThat(health.breakerState()).isEqualTo(State.HALF_OPEN);
        assertThat(health.isRejecting()).isTrue();
        nowNanos.addAndGet(PROBE_TIMEOUT.plus(PAUSE).toNanos());
        assertThat(health.tryEnter()).as("the next probe").isTrue();
    }

    @Test
    void request_forWhichThisNodeHasNoMemory_isNotHeldAgainstTheNode() {
        for (int i = 0; i < FAILURES_MAX; i++) {
            judge(NoMemory.INSTANCE, i);
        }
        assertThat(health.breakerState()).isEqualTo(State.CLOSED);
        assertThat(health.isFailing()).isFalse();
    }

    @Test
    void request_thatIsRejected_saysHowTheNodeHasFailed() {
        for (int i = 0; i < FAILURES_MAX; i++) {
            judge(new Unreachable("Connection refused"), i);
        }
        assertThat(health.rejectCircuitOpen().description())
                .isEqualTo("was not asked, because it is unreachable: Connection refused");
    }

    @Test
    void probe_thatFails_isHeldAgainstTheNode_thoughOthersWereAnsweredBefore() {
        judge(ANSWER, 10);
        for (int i = 0; i < FAILURES_MAX; i++) {
            judge(new TimedOut(), 11);
        }
        nowNanos.addAndGet(PAUSE.toNanos());
        assertThat(health.tryEnter()).isTrue();
        judge(new TimedOut(), 12);
        assertThat(health.isRejecting()).isTrue();
        nowNanos.addAndGet(PAUSE.toNanos());
        assertThat(health.tryEnter()).isTrue();
        judge(ANSWER, 13);
        assertThat(health.breakerState()).isEqualTo(State.CLOSED);
    }
}
