package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.http.Request;
import dht.testkit.http.Target;

/** Ordinary clients that a server must serve while other clients trouble it. Stateless. */
final class Bystanders {
    private Bystanders() {}

    /**
     * Checks that the server answers their requests. Each request uses a new connection: so each
     * thread of a server that assigns connections to threads gets some of them.
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
