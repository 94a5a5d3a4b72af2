package dht.stage4;

import static org.assertj.core.api.Assertions.assertThat;

import dht.repair.RepairCommand;
import dht.testkit.ClusterUnderTest;
import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.node.NodeFactory;
import dht.testkit.transcript.Promise;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Nodes that compare themselves only on demand. */
class RepairCommandTest implements ClusterContract {
    private static final int MISSED = 20;

    @Override
    public NodeFactory servers() {
        return Stage4Nodes.inProcess(
                "--hint-window=0s", "--read-repair=off", "--repair-interval=0s");
    }

    private record Ran(int exitCode, String output) {}

    private static Ran repair(ServerUnderTest node) {
        StringWriter output = new StringWriter();
        CommandLine line = new CommandLine(new RepairCommand());
        line.setOut(new PrintWriter(output));
        line.setErr(new PrintWriter(output));
        int exitCode = line.execute("--node", node.node().clusterUrl().toString());
        return new Ran(exitCode, output.toString());
    }

    @Test
    @Verifies(Promise.MISSED_ARRIVES)
    void repair_ofANodeThatMissedWrites_bringsThem_andSaysHowMany() {
        ClusterUnderTest cluster = freshCluster();
        ServerUnderTest absent = cluster.node(2);
        String prefix = Keys.unique();
        List<String> keys = IntStream.range(0, MISSED).mapToObj(i -> prefix + "-" + i).toList();
        absent.stop();
        keys.forEach(
                key ->
                        cluster.node(0)
                                .ask(
                                        Request.put(
                                                Target.entity(key, "replicas=2/3"), Values.small()))
                                .expectStatus(201));
        absent.start();
        assertThat(absent.range(prefix, prefix + '~').body()).isEmpty();
        Ran first = repair(absent);
        assertThat(first.output()).contains("repaired=" + MISSED + " ").contains("repaired=0 ");
        assertThat(first.exitCode()).isZero();
        assertThat(absent.range(prefix, prefix + '~').body())
                .isEqualTo(cluster.node(0).range(prefix, prefix + '~').body());
        assertThat(repair(cluster.node(0)).output()).doesNotContain("repaired=" + MISSED);
    }

    @Test
    @Verifies(Promise.MISSED_ARRIVES)
    void repair_whileANodeIsDown_namesItAndFails() {
        ClusterUnderTest cluster = freshCluster();
        ServerUnderTest down = cluster.node(1);
        down.stop();
        Ran ran = repair(cluster.node(0));
        assertThat(ran.exitCode()).isEqualTo(1);
        assertThat(ran.output())
                .contains("node=" + down.node().clusterUrl() + " state=failed reason=")
                .contains("node=" + cluster.node(2).node().clusterUrl() + " state=done");
    }
}
