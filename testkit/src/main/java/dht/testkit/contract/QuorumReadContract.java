package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.Values;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Promise;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reads that must see the writes before them, with all nodes up. */
public interface QuorumReadContract extends ClusterContract {
    @Test
    @Verifies(Promise.READS_MEET_WRITES)
    default void get_withAcksThatMeet_seesTheWriteAtOnce() {
        var cluster = cluster();
        for (var from = 1; from <= cluster.size(); from++) {
            for (var ack = 1; ack <= from; ack++) {
                var key = Keys.unique();
                var value = Values.small();
                var reader = cluster.node((from + ack) % cluster.size());
                Replicas.put(cluster.node(0), key, value, ack, from).expectStatus(201);
                Replicas.get(reader, key, from - ack + 1, from).expectValue(value);
                Replicas.delete(reader, key, ack, from).expectStatus(202);
                Replicas.get(cluster.node(0), key, from - ack + 1, from).expectStatus(404);
            }
        }
    }

    @Test
    @Verifies(Promise.READS_MEET_WRITES)
    default void put_throughOtherNodesWithoutPause_replacesTheValue() {
        var cluster = cluster();
        var key = Keys.unique();
        for (var i = 0; i < 60; i++) {
            var value = Values.ofSize(16);
            cluster.node(i % cluster.size()).put(key, value).expectStatus(201);
            cluster.node((i + 1) % cluster.size()).get(key).expectValue(value);
        }
    }

    @Test
    @Verifies(Promise.READS_MEET_WRITES)
    default void delete_throughOtherNodesWithoutPause_wins() {
        var cluster = cluster();
        var key = Keys.unique();
        for (var i = 0; i < 40; i++) {
            var value = Values.small();
            cluster.node(i % cluster.size()).put(key, value).expectStatus(201);
            cluster.node((i + 1) % cluster.size()).delete(key).expectStatus(202);
            cluster.node((i + 2) % cluster.size()).get(key).expectStatus(404);
            cluster.node((i + 1) % cluster.size()).put(key, value).expectStatus(201);
            cluster.node(i % cluster.size()).get(key).expectValue(value);
        }
    }

    @Test
    @Verifies(Promise.VALUES_ARE_ANY_BYTES)
    default void put_ofAnyBytes_isReadThroughEveryNode() {
        var cluster = cluster();
        for (var value :
                List.of(
                        new byte[0],
                        new byte[1],
                        Values.text("\r\n\r\n"),
                        Values.ofSize(3000),
                        Values.ofSize(1 << 20))) {
            var key = Keys.unique() + " ключ/?&=%+🔑\n";
            cluster.node(0).put(key, value).expectStatus(201);
            for (var node : cluster.nodes()) {
                node.get(key).expectValue(value);
            }
        }
    }

    @Test
    @Verifies(Promise.VALUES_ARE_ANY_BYTES)
    default void put_ofLargestValue_isReadThroughAnotherNode() {
        var cluster = cluster();
        var key = Keys.ofLength(Keys.BYTES_MAX);
        var value = Values.ofSize(Values.BYTES_MAX);
        cluster.node(0).put(key, value).expectStatus(201);
        cluster.node(cluster.size() - 1).get(key).expectValue(value);
    }
}
