package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.node.NodeFactory;
import dht.testkit.transcript.Promise;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A cluster of three nodes, of which one has a clock two days ahead. The other nodes reject its
 * stamps.
 */
public interface ClockAheadContract extends ClusterContract {
    /** Nodes whose clocks are right. */
    NodeFactory right();

    /** Nodes whose clocks are two days ahead. */
    NodeFactory ahead();

    @Override
    default NodeFactory servers() {
        return node -> (node.name().endsWith("-3") ? ahead() : right()).create(node);
    }

    @Test
    @Verifies(Promise.ONE_FAULT_IS_SURVIVED)
    default void write_throughTheNodeAhead_failsAndLeavesNothingThere() {
        var ahead = freshCluster().node(2);
        var key = Keys.unique();
        ahead.put(key, Values.small()).expectStatus(504);
        ahead.ask(Request.get(Target.entity(key, "ack=1&from=3"))).expectStatus(404);
    }

    @Test
    @Verifies(Promise.ONE_FAULT_IS_SURVIVED)
    default void writes_throughTheOtherNodes_succeedWhateverTheNodeAheadWasAsked() {
        var cluster = freshCluster();
        List<String> keys = Stream.generate(Keys::unique).limit(20).toList();
        for (String key : keys) {
            cluster.node(2).put(key, Values.small()).expectStatus(504);
        }
        for (ServerUnderTest healthy : cluster.nodes().subList(0, 2)) {
            for (String key : keys) {
                var value = Values.small();
                healthy.put(key, value).expectStatus(201);
                cluster.node(0).get(key).expectValue(value);
                cluster.node(1).get(key).expectValue(value);
            }
        }
    }

    /**
     * A node alone may acknowledge a write with its own wrong stamp; later writes must not fail
     * because of that.
     */
    @Test
    @Verifies(Promise.ONE_FAULT_IS_SURVIVED)
    default void writes_ofAKeyThatOnlyTheNodeAheadHolds_succeedThroughTheOtherNodes() {
        var cluster = freshCluster();
        var key = Keys.unique();
        cluster.node(0).stop();
        cluster.node(1).stop();
        cluster.node(2)
                .ask(Request.put(Target.entity(key, "ack=1&from=3"), Values.small()))
                .expectStatus(201);
        cluster.node(0).start();
        cluster.node(1).start();
        for (ServerUnderTest healthy : cluster.nodes().subList(0, 2)) {
            var value = Values.small();
            healthy.put(key, value).expectStatus(201);
            cluster.node(0).get(key).expectValue(value);
            cluster.node(1).get(key).expectValue(value);
        }
    }
}
