package dht.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.peer.PeerAnswer;
import dht.peer.PeerHealth;
import dht.peer.PeerOptions;
import dht.peer.RemoteNode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Tests when a comparison is due. */
class ComparisonTurnTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    private final OtherNode peer = new OtherNode();
    private final AtomicLong lostHere = new AtomicLong();

    private ComparisonTurn turn(long intervalNanos, boolean isLeader) {
        return new ComparisonTurn(peer, intervalNanos, isLeader, lostHere::get, 0);
    }

    private static ComparisonTurn compared(ComparisonTurn turn, long nowNanos) {
        turn.begin(nowNanos);
        turn.done("", nowNanos);
        return turn;
    }

    @Test
    void start_ofEitherNode_isDueAtOnce() {
        assertThat(turn(HOUR, true).isDue(0)).isTrue();
        assertThat(turn(HOUR, false).isDue(0)).isTrue();
        assertThat(turn(0, true).isDue(0)).isFalse();
    }

    @Test
    void interval_isDueOnOneNodeOfThePair() {
        ComparisonTurn leader = compared(turn(HOUR, true), 0);
        assertThat(leader.isDue(HOUR - 1)).isFalse();
        assertThat(leader.isDue(HOUR)).isTrue();
        assertThat(compared(turn(HOUR, false), 0).isDue(2 * HOUR)).isFalse();
    }

    @Test
    void failure_isRetriedSoon_onEitherNode() {
        ComparisonTurn turn = turn(HOUR, false);
        turn.begin(0);
        turn.failed("reason=down", true, 0);
        assertThat(turn.isDue(SECOND - 1)).isFalse();
        assertThat(turn.isDue(SECOND)).isTrue();
        assertThat(turn.describe()).contains("state=failed reason=down");
    }

    @Test
    void failure_ofANodeThatDoesNotKnowTheRequest_isRetriedAfterTheInterval() {
        ComparisonTurn turn = turn(HOUR, false);
        turn.begin(0);
        turn.failed("", false, 0);
        assertThat(turn.isDue(HOUR - 1)).isFalse();
        assertThat(turn.isDue(HOUR)).isTrue();
    }

    @Test
    void unansweredRequest_makesItDue_butNotAllTheTime() {
        ComparisonTurn turn = compared(turn(HOUR, false), 0);
        peer.health.countOutcome(new PeerAnswer.Unreachable("down"));
        assertThat(turn.isDue(SECOND)).isFalse();
        assertThat(turn.isDue(5 * SECOND)).isTrue();
        compared(turn, 5 * SECOND);
        assertThat(turn.isDue(20 * SECOND)).isFalse();
    }

    /** The node may have missed a write that the comparison did not see. */
    @Test
    void writeOrHintThatThisNodeHasLost_makesItDue_untilAComparisonIsDone() {
        ComparisonTurn turn = compared(turn(HOUR, false), 0);
        lostHere.incrementAndGet();
        assertThat(turn.isDue(5 * SECOND)).isTrue();
        turn.begin(5 * SECOND);
        turn.failed("unrepaired=1", false, 5 * SECOND);
        lostHere.incrementAndGet(); // The disk is still full, so the repair was lost as well.
        assertThat(turn.isDue(10 * SECOND)).isTrue();
        compared(turn, 10 * SECOND);
        assertThat(turn.isDue(20 * SECOND)).isFalse();
    }

    @Test
    void unansweredRequest_duringAComparison_makesTheNextOneDue() {
        ComparisonTurn turn = turn(HOUR, false);
        turn.begin(0);
        peer.health.countOutcome(new PeerAnswer.Unreachable("down"));
        turn.done("", SECOND);
        assertThat(turn.isDue(10 * SECOND)).isTrue();
    }

    @Test
    void demand_isDueAtOnce_evenIfComparisonsAreOff() {
        ComparisonTurn turn = turn(0, false);
        turn.ask();
        assertThat(turn.isDue(0)).isTrue();
        assertThat(turn.isWaiting()).isTrue();
        compared(turn, 0);
        assertThat(turn.isDue(2 * HOUR)).isFalse();
        assertThat(turn.isWaiting()).isFalse();
    }

    @Test
    void demand_duringAComparison_startsAnother() {
        ComparisonTurn turn = turn(0, false);
        turn.begin(0);
        turn.ask();
        turn.done("", SECOND);
        assertThat(turn.isWaiting()).isTrue();
        assertThat(turn.isDue(SECOND)).isTrue();
    }

    @Test
    void queue_ofANodeThatKeepsFailing_takesTheOthersToo() throws InterruptedException {
        ComparisonTurn failing = turn(HOUR, true);
        ComparisonTurn healthy = turn(HOUR, true);
        ComparisonQueue queue = new ComparisonQueue(List.of(failing, healthy), () -> 2 * HOUR);
        assertThat(queue.take()).isSameAs(failing);
        queue.failed(failing, "", true);
        queue.askAll();
        assertThat(queue.take()).isSameAs(healthy);
        assertThat(queue.waitingCount()).isEqualTo(2);
    }

    private static final class OtherNode implements RemoteNode {
        private final NodeAddress address = new NodeAddress("b", 2);
        private final PeerHealth health =
                new PeerHealth(
                        address,
                        new PeerOptions(
                                1,
                                1,
                                Duration.ofSeconds(1),
                                Duration.ofSeconds(1),
                                3,
                                Duration.ofSeconds(1),
                                Duration.ofSeconds(1)));

        @Override
        public NodeAddress address() {
            return address;
        }

        @Override
        public void ask(EntityRequest request, long stamp, Consumer<PeerAnswer> receiver) {
            throw new UnsupportedOperationException();
        }

        @Override
        public PeerHealth health() {
            return health;
        }

        @Override
        public int queuedCount() {
            return 0;
        }

        @Override
        public boolean isBehind() {
            return false;
        }

        @Override
        public void close() {}
    }
}
