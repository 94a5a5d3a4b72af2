package dht.replication.async;

import static org.assertj.core.api.Assertions.assertThat;

import dht.http.EntityRequest;
import dht.peer.TimeoutQueue;
import dht.peer.TimeoutThread;
import dht.replication.ReadAnswer;
import dht.replication.Replica;
import dht.replication.WriteAnswer;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HedgesTest {
    private final TimeoutThread thread = new TimeoutThread("hedges");
    private final Hedges hedges = new Hedges(95, thread);
    private final Replica first = new Unasked();
    private final Replica second = new Unasked();

    /** Known by its identity only. */
    private static final class Unasked implements Replica {
        @Override
        public void read(EntityRequest.Get request, Consumer<ReadAnswer> receiver) {
            throw new AssertionError("nobody asks");
        }

        @Override
        public void write(EntityRequest request, long stamp, Consumer<WriteAnswer> receiver) {
            throw new AssertionError("nobody asks");
        }

        @Override
        public void noteMissed(EntityRequest write, long stamp) {
            throw new AssertionError("nothing is missed");
        }

        @Override
        public void findNewer(byte[] key, long stamp, Consumer<WriteAnswer> receiver) {
            throw new AssertionError("nobody asks");
        }
    }

    @AfterEach
    void end() {
        thread.close();
    }

    private int hedgesAllowed(int tries) {
        int allowed = 0;
        for (int i = 0; i < tries; i++) {
            allowed += hedges.tryHedge() ? 1 : 0;
        }
        return allowed;
    }

    @Test
    void hedges_whenAllReadsAreLate_areOneInTen() {
        hedgesAllowed(10_000); // What was saved.
        int allowed = 0;
        for (int i = 0; i < 1_000; i++) {
            hedges.begin();
            allowed += hedgesAllowed(1);
        }
        assertThat(allowed).isEqualTo(100);
        assertThat(hedges.deniedCount()).isPositive();
    }

    @Test
    void hedges_savedByReadsOfBefore_areBounded() {
        for (int i = 0; i < 100_000; i++) {
            hedges.begin();
        }
        assertThat(hedgesAllowed(1_000)).isEqualTo(64);
        assertThat(hedges.hedgedCount()).isEqualTo(64);
        for (int i = 0; i < 9; i++) {
            hedges.begin();
        }
        assertThat(hedgesAllowed(1)).as("nine reads earn none").isZero();
        hedges.begin();
        assertThat(hedgesAllowed(2)).isOne();
    }

    @Test
    void replica_slowThreeTimesInARow_isAskedLast() {
        List<Replica> both = List.of(first, second);
        hedges.overdue(first);
        hedges.overdue(first);
        assertThat(hedges.inOrder(both)).containsExactly(first, second);
        hedges.answered(first, true, 1);
        hedges.overdue(first);
        hedges.overdue(first);
        assertThat(hedges.inOrder(both)).containsExactly(first, second);
        hedges.overdue(first);
        assertThat(hedges.inOrder(both)).containsExactly(second, first);
        hedges.answered(first, true, 1);
        assertThat(hedges.inOrder(both)).containsExactly(first, second);
    }

    @Test
    void replicas_allLate_areStillAllThere() {
        for (int i = 0; i < 3; i++) {
            hedges.overdue(first);
            hedges.overdue(second);
        }
        assertThat(hedges.inOrder(List.of(first, second))).containsExactly(first, second);
    }

    @Test
    void read_thatIsNotOver_isToldAtLastAfterTheLongestDelay() throws InterruptedException {
        CountDownLatch told = new CountDownLatch(1);
        assertThat(hedges.delaySeconds()).isEqualTo(0.1);
        hedges.watch(
                new TimeoutQueue.Timeout() {
                    @Override
                    protected boolean isOver() {
                        return false;
                    }

                    @Override
                    protected void expire() {
                        told.countDown();
                    }
                });
        assertThat(told.await(20, TimeUnit.SECONDS)).isTrue();
    }
}
