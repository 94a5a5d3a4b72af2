package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.Verifies;
import dht.testkit.node.NodeFactory;
import dht.testkit.transcript.Promise;
import org.junit.jupiter.api.Test;

/**
 * A cluster of three nodes, of which one has a clock an hour behind. No acknowledged write may be
 * lost because of that.
 */
public interface ClockBehindContract extends QuorumReadContract, QuorumHistoryContract {
    /** Nodes whose clocks are right. */
    NodeFactory right();

    /** Nodes whose clocks are an hour behind. */
    NodeFactory behind();

    @Override
    default NodeFactory servers() {
        return node -> (node.name().endsWith("-3") ? behind() : right()).create(node);
    }

    /** The node has not seen any stamp of the key before it coordinates the overwrite. */
    @Test
    @Verifies(Promise.READS_MEET_WRITES)
    default void write_throughTheNodeBehindThatMissedAll_winsNevertheless() {
        var cluster = freshCluster();
        var behind = cluster.node(2);
        var key = Keys.unique();
        behind.stop();
        cluster.node(0).put(key, Values.small()).expectStatus(201);
        behind.start();
        var value = Values.small();
        behind.put(key, value).expectStatus(201);
        for (ServerUnderTest node : cluster.nodes()) {
            node.get(key).expectValue(value);
        }
    }

    @Test
    @Verifies(Promise.DELETED_STAYS_DELETED)
    default void delete_throughTheNodeBehindThatMissedAll_winsNevertheless() {
        var cluster = freshCluster();
        var behind = cluster.node(2);
        var key = Keys.unique();
        behind.stop();
        cluster.node(0).put(key, Values.small()).expectStatus(201);
        behind.start();
        behind.ask(Request.delete(Target.entity(key, "ack=2&from=3"))).expectStatus(202);
        for (ServerUnderTest node : cluster.nodes()) {
            node.get(key).expectStatus(404);
        }
    }
}
