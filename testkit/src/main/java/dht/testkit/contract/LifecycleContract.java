package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.Values;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.concurrent.Deadline;
import dht.testkit.http.Connection;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.Contract;
import dht.testkit.junit.Needs;
import dht.testkit.junit.Verifies;
import dht.testkit.node.Ability;
import dht.testkit.node.Node;
import dht.testkit.node.StartFailure;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Promise;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The start and the stop of a server, and which data it has after a restart. */
public interface LifecycleContract extends Contract {
    @Test
    @Verifies(Promise.RESTART_KEEPS_DATA)
    default void restart_onSameDirectory_keepsAll() {
        var server = freshServer();
        var space = new KeySpace(server);
        for (var round = 0; round < 2; round++) {
            for (var i = 0; i < 30; i++) {
                space.put(KeySpace.numbered(i), Values.ofSize(i == 7 ? 1 << 20 : i * 10));
            }
            IntStream.of(3, 4, 5).mapToObj(KeySpace::numbered).forEach(space::delete);
            server.restart();
            space.range().expectChunks(space.chunks());
            server.get(space.key(KeySpace.numbered(0))).expectValue(new byte[0]);
            server.get(space.key(KeySpace.numbered(3))).expectStatus(404);
        }
    }

    @Test
    @Verifies(Promise.RESTART_KEEPS_DATA)
    default void start_onEmptiedDirectory_isEmpty() {
        var server = freshServer();
        var key = Keys.unique();
        server.put(key, Values.small()).expectStatus(201);
        server.stop();
        server.emptyDataDirectory();
        server.start();
        server.get(key).expectStatus(404);
        server.ask(Request.get(Target.entities("\0"))).expectValue(new byte[0]);
    }

    @Test
    @Verifies(Promise.DIRECTORY_HAS_ONE_SERVER)
    default void start_onDirectoryInUse_isRefused() {
        var server = freshServer();
        var key = Keys.unique();
        var value = Values.small();
        server.put(key, value).expectStatus(201);
        expectRefused(server.rival());
        server.get(key).expectValue(value);
        server.restart();
        server.get(key).expectValue(value);
    }

    private static void expectRefused(Node rival) {
        try {
            rival.start();
        } catch (StartFailure failure) {
            if (failure.kind() != StartFailure.Kind.REFUSED) {
                throw new Mismatch(
                        "a second server gives up with a clear error", failure.getMessage());
            }
            if (rival.whyNot(Ability.EXIT_CODE).isEmpty() && rival.logTail().isBlank()) {
                throw new Mismatch("a second server says why it gives up", "it printed nothing");
            }
            return;
        }
        throw new Mismatch("a second server on the same data directory is refused", "it started");
    }

    @Test
    @Verifies(Promise.STOP_IS_FINAL)
    default void stop_askedTwice_isHarmless() {
        var server = freshServer();
        var key = Keys.unique();
        var value = Values.small();
        server.put(key, value).expectStatus(201);
        server.requestStop();
        server.stop();
        server.start();
        server.get(key).expectValue(value);
    }

    @Test
    @Verifies(Promise.STOP_IS_FINAL)
    default void stop_thenAnyRequest_isNotAnswered() {
        var server = freshServer();
        var kept = server.connect();
        kept.send(Request.get(Target.STATUS)).receive().expectStatus(200);
        var neverUsed = server.connect();
        server.stop();
        for (var connection : List.of(kept, neverUsed)) {
            connection.send(Request.get(Target.STATUS));
            connection.expectClosed();
        }
        server.expectNoAccepting();
    }

    @Test
    @Verifies(Promise.STOP_IS_FINAL)
    default void stop_always_leavesNothingBehind() {
        var server = freshServer();
        var space = KeySpace.filled(server, 50, Values.ofSize(10_000));
        ClientThreads.run(
                8, server.longPatience(), _ -> space.range().expectChunks(space.chunks()));
        server.stop();
        var node = server.node();
        if (!Deadline.in(server.patience()).reached(() -> node.leftBehind().isEmpty())) {
            throw new Mismatch(
                    "nothing is left behind by a stop", String.join(", ", node.leftBehind()));
        }
    }

    @Test
    @Verifies(Promise.STOP_IS_ORDERLY)
    default void stop_whileAnswersAreSent_finishesThem() {
        var server = freshServer();
        var value = StalledClients.unreadValue();
        var space = KeySpace.filled(server, 1, value);
        var ofValue = StalledClients.readersOfValue(server, 1, value).getFirst();
        var ofRange = StalledClients.readersOfRange(server, 1, space).getFirst();
        server.requestStop();
        server.awaitNoAccepting(); // Now the server is stopping.
        try (var other = ClientThreads.start(1, _ -> ofValue.receive().expectValue(value))) {
            ofRange.receive().expectChunks(space.chunks());
            other.join(server.longPatience());
        }
        server.awaitStop();
    }

    @Test
    @Verifies(Promise.STOP_IS_ORDERLY)
    default void stop_whileClientsStall_endsInTime() {
        var server = freshServer();
        var idle = IntStream.range(0, 20).mapToObj(_ -> server.connect()).toList();
        var sameKey = Collections.nCopies(4, Keys.unique());
        StalledClients.uploads(server, sameKey, Values.ofSize(10_000));
        StalledClients.readersOfValue(server, 2, StalledClients.unreadValue());
        server.stop();
        idle.forEach(Connection::expectClosed);
    }

    @Test
    @Verifies(Promise.STOP_IS_ORDERLY)
    default void stop_whileManyWrite_keepsWhatWasAcknowledged() {
        var server = freshServer();
        var writers = Ledger.writers(4, server, random());
        Ledger.writeUntil(100, writers, server::stop, server.longPatience());
        server.start();
        writers.forEach(Ledger::settle);
    }

    @Test
    @Verifies(Promise.STOP_IS_ORDERLY)
    @Needs(Ability.EXIT_CODE)
    default void process_onSigterm_exitsWith0() {
        var server = freshServer();
        server.put(Keys.unique(), Values.small()).expectStatus(201);
        server.stop();
        var exitCode = server.node().exitCode();
        if (!exitCode.equals(OptionalInt.of(0))) {
            throw new Mismatch("exit code 0 after SIGTERM", "exit code " + exitCode.orElse(-1));
        }
    }

    @Test
    @Verifies(Promise.WRITTEN_IS_READ)
    @Needs(Ability.PAUSE)
    default void request_duringAPause_isAnsweredAfterIt() {
        var server = freshServer();
        var key = Keys.unique();
        var value = Values.small();
        var connection = server.connect();
        server.pause();
        connection.send(Request.put(Target.entity(key), value));
        server.resume();
        connection.receive().expectStatus(201);
        server.get(key).expectValue(value);
    }
}
