package dht.stage4;

import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.ClusterUnderTest;
import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.Deadline;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.junit.Verifies;
import dht.testkit.node.NodeFactory;
import dht.testkit.transcript.Promise;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Three processes with a slow rebuild, so that a test can kill them in the middle of it. */
@LongByNature
class RebuildProcessIT implements ClusterContract {
    private static final int KEYS = 1000;
    private static final int VALUE_BYTES = 1000;

    /** One key of so many is read before each kill: meanwhile the rebuild goes on. */
    private static final int KEYS_PER_READ = 20;

    @Override
    public NodeFactory servers() {
        return Stage4Nodes.processes("--rebuild-rate=128k");
    }

    @Test
    @Verifies(Promise.EMPTIED_IS_NO_VOTER)
    void rebuild_killedInTheMiddle_goesOnAndNeverAnswers404() {
        ClusterUnderTest cluster = freshCluster();
        ServerUnderTest emptied = cluster.node(1);
        byte[] value = Values.ofSize(VALUE_BYTES);
        String prefix = Keys.unique();
        List<String> keys = IntStream.range(0, KEYS).mapToObj(i -> prefix + "-" + i).toList();
        keys.forEach(key -> cluster.node(0).put(key, value).expectStatus(201));
        int allBytes = bytes(cluster.node(0), prefix);
        emptied.stop();
        emptied.emptyDataDirectory();
        for (int i = 1; i <= 3; i++) {
            int min = allBytes * i / 5;
            emptied.start();
            Deadline.in(emptied.longPatience())
                    .await("a part of the entries", () -> bytes(emptied, prefix) > min);
            assertThat(bytes(emptied, prefix)).as("in the middle").isLessThan(allBytes);
            for (int key = 0; key < KEYS; key += KEYS_PER_READ) {
                expectFound(emptied, keys.get(key));
            }
            emptied.kill();
        }
        emptied.start();
        Deadline.in(emptied.longPatience())
                .await("all entries", () -> bytes(emptied, prefix) == allBytes);
        keys.forEach(key -> expectFound(emptied, key));
    }

    private static int bytes(ServerUnderTest node, String prefix) {
        return node.range(prefix, prefix + '~').body().length;
    }

    private static void expectFound(ServerUnderTest node, String key) {
        node.ask(Request.get(Target.entity(key, "replicas=1/3"))).expectStatus(200);
    }
}
