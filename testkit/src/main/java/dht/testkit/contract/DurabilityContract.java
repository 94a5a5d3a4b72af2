package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.Crew;
import dht.testkit.concurrent.Deadline;
import dht.testkit.junit.Contract;
import dht.testkit.junit.Keeps;
import dht.testkit.junit.Needs;
import dht.testkit.node.Ability;
import dht.testkit.transcript.Promise;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is left after kill -9. */
public interface DurabilityContract extends Contract {
    int KILLS = 5;
    int KILLED_WRITERS = 8;
    int ACKNOWLEDGEMENTS_BEFORE_KILL_MAX = 2000;

    @Test
    @Keeps(Promise.ACKNOWLEDGED_SURVIVES)
    @Needs(Ability.KILL)
    default void kill_whileManyWrite_losesNothingAcknowledged() {
        var random = random();
        var server = freshServer();
        var writers =
                IntStream.range(0, KILLED_WRITERS)
                        .mapToObj(_ -> new Ledger(server, random.nextLong()))
                        .toList();
        for (var i = 0; i < KILLS; i++) {
            killAfter(random.nextInt(1, ACKNOWLEDGEMENTS_BEFORE_KILL_MAX), server, writers);
            server.start();
            writers.forEach(Ledger::settle);
        }
    }

    /** Kills at an acknowledgement, when the other writers are anywhere between two of theirs. */
    private static void killAfter(
            int acknowledgements, ServerUnderTest server, List<Ledger> writers) {
        var counted = new AtomicInteger();
        var reached = new CountDownLatch(1);
        try (var crew =
                Crew.start(
                        writers.size(),
                        i ->
                                writers.get(i)
                                        .writeUntilGone(
                                                _ -> {
                                                    if (counted.incrementAndGet()
                                                            == acknowledgements) {
                                                        reached.countDown();
                                                    }
                                                }))) {
            Deadline.in(server.longPatience())
                    .await(
                            "%,d acknowledged writes".formatted(acknowledgements),
                            () -> await(reached));
            server.kill();
            crew.join(server.longPatience());
        }
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(10, TimeUnit.MILLISECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Test
    @Keeps(Promise.ACKNOWLEDGED_SURVIVES)
    @Needs(Ability.KILL)
    default void kill_rightAfterAnAcknowledgement_keepsTheWrite() {
        var server = freshServer();
        var key = Keys.unique();
        for (var value : List.of(Values.small(), Values.ofSize(100_000), new byte[0])) {
            server.put(key, value).expectStatus(201);
            killAndStart(server);
            server.get(key).expectValue(value);
        }
        server.delete(key).expectStatus(202);
        killAndStart(server);
        server.get(key).expectStatus(404);
    }

    @Test
    @Keeps(Promise.ACKNOWLEDGED_SURVIVES)
    @Needs(Ability.KILL)
    default void kill_rightAfterTheLargestValue_keepsIt() {
        var server = freshServer();
        var key = Keys.unique();
        var value = Values.ofSize(Values.BYTES_MAX);
        server.put(key, value).expectStatus(201);
        killAndStart(server);
        server.get(key).expectValue(value);
    }

    @Test
    @Keeps(Promise.ACKNOWLEDGED_SURVIVES)
    @Needs(Ability.KILL)
    default void kill_againAndAgain_changesNothing() {
        var server = freshServer();
        var space = KeySpace.filled(server, 100, Values.ofSize(1000));
        for (var i = 0; i < 100; i += 3) {
            space.delete(KeySpace.numbered(i));
        }
        for (var i = 0; i < 3; i++) {
            killAndStart(server);
        }
        space.range().expectChunks(space.chunks());
    }

    private static void killAndStart(ServerUnderTest server) {
        server.kill();
        server.start();
    }
}
