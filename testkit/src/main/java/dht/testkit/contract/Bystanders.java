package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.http.Request;
import dht.testkit.http.Target;

/** Ordinary clients, who must not notice what others do to the server. */
final class Bystanders {
    private Bystanders() {}

    /**
     * Each on a new connection, so that every thread of a server which spreads connections gets its
     * turn.
     */
    static void areServed(ServerUnderTest server) {
        for (var i = 0; i < 10; i++) {
            var target = Target.entity(Keys.unique());
            var value = Values.small();
            try (var connection = server.connect()) {
                connection.send(Request.put(target, value)).receive().expectStatus(201);
                connection.send(Request.get(target)).receive().expectValue(value);
                connection.send(Request.delete(target)).receive().expectStatus(202);
                connection.send(Request.get(Target.STATUS)).receive().expectStatus(200);
            }
        }
    }
}
