package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.http.Request;
import dht.testkit.http.Response;
import dht.testkit.http.Target;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Promise;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Reads with {@code reads=atomic}, with three nodes: after a read has returned a version, no later
 * read returns an older one.
 *
 * <p>The tests need a version that only one node has, as if a write had been interrupted. A write
 * with {@code from=1} makes such a version without a fault. Then come two reads. Each of them can
 * ask only two nodes, because the third one is down.
 */
public interface AtomicReadContract extends ClusterContract {
    int ACK = 2;
    int FROM = 3;
    String ATOMIC = "reads=atomic";

    @Test
    @Verifies(Promise.READS_IS_CHECKED)
    default void reads_neitherRegularNorAtomic_returns400() {
        var cluster = cluster();
        var node = cluster.node(0);
        for (var parameter : List.of("reads=", "reads", "reads=Atomic", "reads=linear")) {
            var target = Target.entity(Keys.unique(), parameter);
            node.ask(Request.get(target)).expectError(400);
            node.ask(Request.put(target, Values.small())).expectError(400);
            node.ask(Request.delete(target)).expectError(400);
        }
    }

    @Test
    @Verifies(Promise.READS_IS_CHECKED)
    default void reads_wellFormed_isServedByEachRequest() {
        var cluster = cluster();
        for (var parameter : List.of(ATOMIC, "reads=regular")) {
            var target = Target.entity(Keys.unique(), parameter);
            var value = Values.small();
            for (var node : cluster.nodes()) {
                node.ask(Request.get(target)).expectStatus(404);
                node.ask(Request.put(target, value)).expectStatus(201);
                node.ask(Request.get(target)).expectValue(value);
                node.ask(Request.delete(target)).expectStatus(202);
            }
        }
    }

    @Test
    @Verifies(Promise.ATOMIC_NEVER_GOES_BACK)
    default void get_atomicAfterAnother_returnsNoOlderValue() {
        var value = Values.small();
        var reads =
                Inversion.of(
                        freshCluster(),
                        Values.small(),
                        ATOMIC,
                        target -> Request.put(target, value));
        reads.first().expectValue(value);
        reads.second().expectValue(value);
    }

    @Test
    @Verifies(Promise.ATOMIC_NEVER_GOES_BACK)
    default void get_atomicAfterOneThatFoundNothing_findsNothing() {
        var reads = Inversion.of(freshCluster(), Values.small(), ATOMIC, Request::delete);
        reads.first().expectStatus(404);
        reads.second().expectStatus(404);
    }

    /** The read copies an older version to another node, where it must not replace a newer one. */
    @Test
    @Verifies(Promise.ATOMIC_NEVER_GOES_BACK)
    default void get_atomicOfOlderVersion_leavesTheNewestAsItIs() {
        var cluster = freshCluster();
        var newest = Values.small();
        var older = Values.small();
        var unlike = cluster.node(FROM - 1);
        var key = Inversion.keyNotHeldBy(cluster, unlike, older);
        cluster.others(unlike).forEach(ServerUnderTest::stop);
        Replicas.put(unlike, key, newest, 1, FROM).expectStatus(201);
        unlike.stop();
        cluster.others(unlike).forEach(ServerUnderTest::start);
        Inversion.awaitServing(cluster.others(unlike));
        atomic(cluster.node(0), key, ACK).expectValue(older);
        unlike.start();
        Replicas.awaitServing(cluster);
        for (var node : cluster.nodes()) {
            atomic(node, key, FROM).expectValue(newest);
        }
    }

    private static Response atomic(ServerUnderTest node, String key, int ack) {
        var parameters = Replicas.of(ack, FROM) + "&" + ATOMIC;
        return node.ask(Request.get(Target.entity(key, parameters)));
    }
}
