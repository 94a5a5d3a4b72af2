package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.junit.Contract;
import dht.testkit.junit.Needs;
import dht.testkit.junit.Verifies;
import dht.testkit.node.Ability;
import dht.testkit.transcript.Promise;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which writes a server must still have after kill -9. */
public interface DurabilityContract extends Contract {
    int KILLS = 3;
    int KILLED_WRITERS = 8;
    int ACKNOWLEDGEMENTS_BEFORE_KILL_MAX = 2000;

    @Test
    @Verifies(Promise.ACKNOWLEDGED_SURVIVES)
    @Needs(Ability.KILL)
    default void kill_whileManyWrite_losesNothingAcknowledged() {
        var random = random();
        var server = freshServer();
        var writers = Ledger.writers(KILLED_WRITERS, server, random);
        for (var i = 0; i < KILLS; i++) {
            var count = random.nextInt(1, ACKNOWLEDGEMENTS_BEFORE_KILL_MAX);
            Ledger.writeUntil(count, writers, server::kill, server.longPatience());
            server.start();
            writers.forEach(Ledger::settle);
        }
    }

    @Test
    @Verifies(Promise.ACKNOWLEDGED_SURVIVES)
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
    @Verifies(Promise.ACKNOWLEDGED_SURVIVES)
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
    @Verifies(Promise.ACKNOWLEDGED_SURVIVES)
    @Needs(Ability.KILL)
    default void kill_againAndAgain_changesNothing() {
        var server = freshServer();
        var space = KeySpace.filled(server, 100, Values.ofSize(1000));
        for (var i = 0; i < 100; i += 3) {
            space.delete(KeySpace.numbered(i));
        }
        for (var i = 0; i < 2; i++) {
            killAndStart(server);
        }
        space.range().expectChunks(space.chunks());
    }

    private static void killAndStart(ServerUnderTest server) {
        server.kill();
        server.start();
    }
}
