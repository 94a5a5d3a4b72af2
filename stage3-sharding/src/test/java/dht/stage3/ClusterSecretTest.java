package dht.stage3;

import dht.cluster.Fingerprint;
import dht.cluster.Topology;
import dht.testkit.Values;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.node.NodeFactory;
import dht.testkit.transcript.Promise;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A cluster with a secret: requests of nodes have it, and internal requests without it are
 * rejected.
 */
class ClusterSecretTest implements ClusterContract {
    @Override
    public NodeFactory servers() {
        return Stage3Nodes.inProcess("--cluster-secret=open-sesame");
    }

    @Test
    @Verifies(Promise.ANY_NODE_ANSWERS)
    void nodes_thatKnowTheSecret_serveEachOther() {
        for (var owner : cluster().nodes()) {
            byte[] value = Values.small();
            String key = cluster().keyOwnedBy(owner, value);
            cluster().nodes().forEach(node -> node.get(key).expectValue(value));
        }
    }

    @Test
    @Verifies(Promise.INTERNAL_IS_LOCAL)
    void internalRequest_withTheSecretAlone_isServed() {
        byte[] value = Values.small();
        String key = cluster().keyOwnedBy(server(), value);

        server().ask(internal(key).header("Cluster-Secret: open-sesame")).expectValue(value);
    }

    @Test
    @Verifies(Promise.INTERNAL_IS_LOCAL)
    void internalRequest_withoutTheSecret_is403() {
        server().ask(internal("k")).expectError(403);
        server().ask(internal("k").header("Cluster-Secret: open-sesam")).expectError(403);
        server().ask(internal("k").header("Cluster-Secret: open-sesame!")).expectError(403);
        server().ask(Request.put(Target.internalEntity("k"), Values.small())).expectError(403);
        server().ask(Request.delete(Target.internalEntity("k"))).expectError(403);
    }

    /** A sender without the secret must not learn which keys exist. */
    @Test
    @Verifies(Promise.INTERNAL_IS_LOCAL)
    void internalRequest_ofAnyPathOrMethodWithoutTheSecret_is403() {
        server().ask(Request.get("/internal/v0/unknown")).expectError(403);
        server().ask(Request.get("/internal/")).expectError(403);
        server().ask(Request.of("POST", Target.internalEntity("k"))).expectError(403);
        server().ask(Request.get("/internal/v0/unknown").header("Cluster-Secret: open-sesame"))
                .expectError(400);
        server().ask(Request.get("/internals")).expectError(400);
    }

    @Test
    @Verifies(Promise.LISTS_MUST_AGREE)
    void internalRequest_ofAnotherCluster_isRefused() {
        server().ask(
                        internal("k")
                                .header("Cluster-Secret: open-sesame")
                                .header("Cluster-Topology: 0000000000000000 http://other:1"))
                .expectError(421);
    }

    /** If a name or a port leads to the wrong node, that node must not answer for two nodes. */
    @Test
    @Verifies(Promise.LISTS_MUST_AGREE)
    void internalRequest_thatMeansAnotherNode_isRefused() {
        String[] urls =
                cluster().nodes().stream()
                        .map(node -> node.node().spec().self().toString())
                        .toArray(String[]::new);
        String fingerprint =
                Fingerprint.of(Topology.of(urls[0], List.of(urls)), "rendezvous").text();
        Request request = internal("k").header("Cluster-Secret: open-sesame");
        String sent = "Cluster-Topology: " + fingerprint + ' ' + urls[1] + ' ';

        cluster().node(0).ask(request.header(sent + urls[0])).expectStatus(404);
        cluster().node(0).ask(request.header(sent + urls[2])).expectError(421);
        cluster().node(0).ask(request.header(sent.strip())).expectError(421);
    }

    private static Request internal(String key) {
        return Request.get(Target.internalEntity(key));
    }
}
