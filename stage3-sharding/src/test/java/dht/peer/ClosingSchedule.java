package dht.peer;

import static dht.peer.StubNode.readHead;
import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.Fingerprint;
import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import dht.peer.PeerAnswer.QueueFull;
import dht.testkit.allocation.Allocations;
import dht.testkit.concurrent.Deadline;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongConsumer;

/**
 * The connections to a silent node are closed while one call is in flight and another one waits.
 * One allocation fails meanwhile: another one for each of {@link #ALLOCATIONS_MAX} consecutive
 * seeds. The call that waits must be refused. Closing once more ends all threads.
 */
final class ClosingSchedule implements LongConsumer {
    /** Closing allocates less often. */
    static final int ALLOCATIONS_MAX = 40;

    private static final Duration NEVER = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofMillis(20);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Override
    public void accept(long seed) {
        Allocations.heal();
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        try (StubNode node =
                new StubNode(
                        (in, _, _) -> {
                            readHead(in);
                            asked.countDown();
                            over.await();
                        })) {
            PeerOptions options = new PeerOptions(1, 1, SHORT, NEVER, 1, NEVER, SHORT);
            PeerConnections connections =
                    new PeerConnections(
                            node.address(), credentials(), options, new MemoryBudget(1));
            PeerHealth health = new PeerHealth(node.address(), options);
            connections.ask(call(health, new CompletableFuture<>()));
            asked.await();
            CompletableFuture<PeerAnswer> waits = new CompletableFuture<>();
            connections.ask(call(health, waits));
            assertThat(connections.waitingCount()).isEqualTo(1);

            close(connections, Math.floorMod(seed, ALLOCATIONS_MAX));

            assertThat(waits).isCompletedWithValueMatching(QueueFull.class::isInstance);
            connections.close();
            Deadline.in(PATIENCE).await("all threads have ended", connections::hasEnded);
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            Allocations.heal();
            over.countDown();
        }
    }

    private static Credentials credentials() {
        return new Credentials(
                new NodeAddress("self", 1), new Fingerprint("0123456789abcdef"), Optional.empty());
    }

    private static PeerCall call(PeerHealth health, CompletableFuture<PeerAnswer> answer) {
        var request = new EntityRequest.Get(new byte[] {'k'}, null);
        return new PeerCall(health, request, 0, answer::complete);
    }

    private static void close(PeerConnections connections, long skip) {
        Allocations.fail(skip, 1);
        try {
            connections.close();
        } catch (OutOfMemoryError _) {
            // It may fail, but not before the call is refused.
        } finally {
            Allocations.heal();
        }
    }
}
