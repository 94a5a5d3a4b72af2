package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.Deadline;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.Contract;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Promise;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/**
 * More requests than a server can handle, from stage 2 on. A server that has options for small
 * limits is started with them. Any other server gets as many requests as a test can send, and must
 * keep the promises of every server.
 */
public interface OverloadContract extends Contract {
    @Test
    @Verifies(Promise.OVERLOAD_IS_503)
    default void overload_ofWritesAndReads_answersOrRefusesEach() {
        var burst = ClientBurst.done(freshLimitedServer());
        burst.expectWritten();
    }

    @Test
    @Verifies(Promise.WAITING_IS_BOUNDED)
    default void overload_ofALimitedServer_refusesSome() {
        if (servers().limited().isEmpty()) {
            throw new TestAbortedException(
                    "the server has no option that limits the number of waiting requests");
        }
        var server = freshLimitedServer();
        var deadline = Deadline.in(server.patience());
        var enough = new AtomicBoolean();
        var burst = new ClientBurst(server, enough::get);
        try (var clients = burst.start()) {
            var isRefusing = deadline.reached(() -> burst.refusedCount() > 0);
            enough.set(true);
            clients.join(server.longPatience());
            if (!isRefusing) {
                throw new Mismatch(
                        "some of %,d requests refused".formatted(burst.askedCount()), "none was");
            }
        }
    }

    @Test
    @Verifies(Promise.STATUS_IS_NEVER_QUEUED)
    default void status_whileOverloaded_returns200() {
        var server = freshLimitedServer();
        var enough = new AtomicBoolean();
        try (var clients = new ClientBurst(server, enough::get).start()) {
            for (var i = 0; i < 50; i++) {
                server.connect().send(Request.get(Target.STATUS)).receive().expectStatus(200);
            }
            enough.set(true);
            clients.join(server.longPatience());
        }
    }

    @Test
    @Verifies(Promise.OVERLOAD_ENDS)
    default void overload_over_servesEverybodyAgain() {
        var server = freshLimitedServer();
        ClientBurst.done(server);
        Bystanders.areServed(server);
    }

    /** Clients that do not send or read must not use up the server's capacity. */
    @Test
    @Verifies(Promise.CLIENTS_ARE_APART)
    default void clients_thatStall_takeNobodysPlace() {
        var server = freshLimitedServer();
        var large = KeySpace.filled(server, 32, Values.ofSize(StalledClients.UNREAD_BYTES / 32));
        StalledClients.readersOfRange(server, 4, large);
        StalledClients.readersOfValue(server, 4, StalledClients.unreadValue());
        StalledClients.uploads(
                server, Collections.nCopies(8, Keys.unique()), Values.ofSize(100_000));
        areServed(server);
    }

    private static void areServed(ServerUnderTest server) {
        for (var i = 0; i < 5; i++) {
            Bystanders.areServed(server);
        }
    }
}
