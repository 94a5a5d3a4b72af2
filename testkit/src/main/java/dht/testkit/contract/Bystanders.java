package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.http.Request;
import dht.testkit.http.Target;

/** Ordinary clients. They must not notice what other clients do to the server. */
final class Bystanders {
    private Bystanders() {}

    /**
     * Each request has a new connection, so that every thread of a server that distributes
     * connections gets one.
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
