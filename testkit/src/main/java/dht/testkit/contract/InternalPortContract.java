package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.node.InternalPorts;
import dht.testkit.transcript.Promise;
import org.junit.jupiter.api.Test;

/** Nodes with two ports: one for clients, and one for the other nodes. */
public interface InternalPortContract extends ClusterContract {
    /** The ports for requests of other nodes. */
    InternalPorts internalPorts();

    private int internalPort(ServerUnderTest node) {
        var spec = node.node().spec();
        return spec.port() + internalPorts().distance(spec);
    }

    @Test
    @Verifies(Promise.ANY_NODE_ANSWERS)
    default void put_throughAnyNode_isReadThroughEveryNode() {
        for (var writer : cluster().nodes()) {
            for (var i = 0; i < 10; i++) {
                var key = Keys.unique();
                var value = Values.small();
                writer.put(key, value).expectStatus(201);
                cluster().nodes().forEach(reader -> reader.get(key).expectValue(value));
            }
        }
    }

    @Test
    @Verifies(Promise.INTERNAL_IS_LOCAL)
    default void internalRequest_onThePortOfClients_is403() {
        for (var node : cluster().nodes()) {
            node.ask(Request.get(Target.internalEntity("k"))).expectError(403);
            node.ask(Request.put(Target.internalEntity("k"), Values.small())).expectError(403);
            node.ask(Request.delete(Target.internalEntity("k"))).expectError(403);
            node.ask(Request.get("/internal/")).expectError(403);
        }
    }

    @Test
    @Verifies(Promise.INTERNAL_IS_LOCAL)
    default void internalRequest_onTheInternalPort_isServed() {
        for (var node : cluster().nodes()) {
            var unknown = Request.get(Target.internalEntity(Keys.unique()));
            node.askAt(internalPort(node), unknown).expectStatus(404);
        }
    }

    @Test
    @Verifies(Promise.INTERNAL_IS_LOCAL)
    default void requestOfAClient_onTheInternalPort_is403() {
        for (var node : cluster().nodes()) {
            var port = internalPort(node);
            node.askAt(port, Request.get(Target.entity("k"))).expectError(403);
            node.askAt(port, Request.put(Target.entity("k"), Values.small())).expectError(403);
            node.askAt(port, Request.get(Target.STATUS)).expectError(403);
        }
    }
}
