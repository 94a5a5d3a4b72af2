package dht.testkit.contract;

import dht.testkit.ClusterUnderTest;
import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.Deadline;
import dht.testkit.http.Request;
import dht.testkit.http.Response;
import dht.testkit.http.Target;
import java.util.List;
import java.util.function.Function;

/**
 * Two reads of one key, one after the other, in a cluster of three nodes. The second read can ask
 * only nodes that did not have the newest version when the first read began. Immutable.
 *
 * @param first the answer of the first read, which asked the node with the newest version
 * @param second the answer of the second read
 */
record Inversion(Response first, Response second) {
    private static final int ACK = 2;
    private static final int FROM = 3;

    /**
     * All nodes have a value, and one of them, P, gets a newer version. The first read asks P and
     * Q, because R is down. The second one asks Q and R, because P is down.
     *
     * @param older the value that all nodes have before
     * @param parameter a query parameter of both reads, which follows their quorum
     * @param write writes the newer version; it gets the target of the request
     */
    static Inversion of(
            ClusterUnderTest cluster,
            byte[] older,
            String parameter,
            Function<String, Request> write) {
        var r = cluster.node(FROM - 1);
        var key = keyNotHeldBy(cluster, r, Values.small());
        var p = cluster.owner(key);
        var q = cluster.others(r).stream().filter(node -> node != p).findFirst().orElseThrow();
        Replicas.put(q, key, older, FROM, FROM).expectStatus(201);
        r.stop();
        p.ask(write.apply(Target.entity(key, Replicas.of(1, 1))));
        var read = Request.get(Target.entity(key, Replicas.of(ACK, FROM) + "&" + parameter));
        var first = q.ask(read);
        p.stop();
        r.start();
        awaitServing(List.of(q, r));
        return new Inversion(first, q.ask(read));
    }

    /** Writes a key with one copy, which is not on the given node, and returns the key. */
    static String keyNotHeldBy(ClusterUnderTest cluster, ServerUnderTest node, byte[] value) {
        while (true) {
            var key = Keys.unique();
            Replicas.put(cluster.node(0), key, value, 1, 1).expectStatus(201);
            if (!cluster.holders(key).contains(node)) {
                return key;
            }
        }
    }

    /** Waits until each of these nodes can reach another one. Together they are a quorum. */
    static void awaitServing(List<ServerUnderTest> nodes) {
        for (var node : nodes) {
            Deadline.in(node.patience())
                    .await(
                            node.name() + " to reach another node",
                            () ->
                                    Replicas.put(node, Keys.unique(), new byte[0], ACK, FROM)
                                                    .status()
                                            == 201);
        }
    }
}
