package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.Values;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Promise;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The parameters {@code replicas}, {@code ack} and {@code from}: how many replicas a key has, and
 * how many of them must answer.
 */
public interface ReplicaParameterContract extends ClusterContract {
    @Test
    @Verifies(Promise.REPLICAS_ARE_CHECKED)
    default void replicas_malformed_returns400() {
        expectRefused(
                "replicas=",
                "replicas",
                "replicas=/",
                "replicas=1",
                "replicas=1/",
                "replicas=/1",
                "replicas=1/1/1",
                "replicas=1-1",
                "replicas=1%201",
                "replicas=%201/1",
                "replicas=1/1x",
                "replicas=1.0/1");
    }

    @Test
    @Verifies(Promise.REPLICAS_ARE_CHECKED)
    default void replicas_notNumbers_returns400() {
        expectRefused(
                "replicas=one/one",
                "replicas=a/1",
                "replicas=1/b",
                "replicas=0x1/0x1",
                "replicas=1e0/1",
                "replicas=%D9%A1/1",
                "ack=one&from=1",
                "ack=1&from=one",
                "ack=&from=1",
                "ack=1&from=");
    }

    @Test
    @Verifies(Promise.REPLICAS_ARE_CHECKED)
    default void replicas_outOfBounds_returns400() {
        var nodes = cluster().size();
        expectRefused(
                "replicas=0/1",
                "replicas=0/0",
                "replicas=-1/1",
                "replicas=1/-1",
                "replicas=2/1",
                "replicas=1/%d".formatted(nodes + 1),
                "replicas=%d/%d".formatted(nodes + 1, nodes + 1),
                "replicas=1/99999999999999999999",
                "replicas=1/4294967297",
                "ack=0&from=1",
                "ack=-1&from=1",
                "ack=2&from=1",
                "ack=1&from=%d".formatted(nodes + 1),
                "ack=4294967297&from=1");
    }

    @Test
    @Verifies(Promise.REPLICAS_ARE_CHECKED)
    default void replicas_givenTwice_returns400() {
        expectRefused(
                "replicas=1/1&replicas=1/1",
                "ack=1&ack=1&from=1",
                "ack=1&from=1&from=1",
                "replicas=1/1&ack=1&from=1");
    }

    /** Checks that each method answers 400 to the parameters, and that nothing is stored. */
    private void expectRefused(String... parameters) {
        var cluster = cluster();
        for (var parameter : parameters) {
            var key = Keys.unique();
            var target = Target.entity(key, parameter);
            var node = cluster.node(0);
            node.ask(Request.get(target)).expectError(400);
            node.ask(Request.put(target, Values.small())).expectError(400);
            node.ask(Request.delete(target)).expectError(400);
            Replicas.expectHolders(cluster, key, 0);
        }
    }

    @Test
    @Verifies(Promise.REPLICAS_ARE_CHECKED)
    default void replicas_wellFormed_areServedInBothStyles() {
        var cluster = cluster();
        for (var parameter : wellFormed(cluster.size())) {
            var key = Keys.unique();
            var value = Values.small();
            var target = Target.entity(key, parameter);
            var node = cluster.node(0);
            node.ask(Request.get(target)).expectStatus(404);
            node.ask(Request.put(target, value)).expectStatus(201);
            Replicas.get(node, key, cluster.size(), cluster.size()).expectValue(value);
            node.ask(Request.delete(target)).expectStatus(202);
            Replicas.get(node, key, cluster.size(), cluster.size()).expectStatus(404);
        }
    }

    private static List<String> wellFormed(int nodes) {
        var all = new ArrayList<String>();
        for (var from = 1; from <= nodes; from++) {
            for (var ack = 1; ack <= from; ack++) {
                all.add(Replicas.of(ack, from));
                all.add("ack=%d&from=%d".formatted(ack, from));
            }
        }
        all.add("replicas=1%2F1");
        all.add("from=1&ack=1");
        return all;
    }
}
