package dht.stage5;

import dht.testkit.node.NodeFactory;
import java.util.stream.Stream;

/** A way to ask the replicas: with which client, and whether one after the other or all at once. */
enum Rung {
    ONE_NIO_SEQUENTIAL("--peer-client=one-nio", "--fan-out=sequential"),
    ONE_NIO_PARALLEL("--peer-client=one-nio", "--fan-out=parallel"),
    JDK_SEQUENTIAL("--peer-client=jdk", "--fan-out=sequential"),
    JDK_PARALLEL("--peer-client=jdk", "--fan-out=parallel"),
    JDK_ASYNC_ONE_BY_ONE("--peer-batch-max=1"),
    JDK_ASYNC_IN_POOL_ONE_BY_ONE(
            "--peer-executor=pool", "--hedge-percentile=off", "--peer-batch-max=1");

    private final String[] arguments;

    Rung(String... arguments) {
        this.arguments = arguments;
    }

    /** Nodes that ask replicas in this way. */
    NodeFactory servers(String... more) {
        return Stage5Nodes.inProcess(
                Stream.of(arguments, more).flatMap(Stream::of).toArray(String[]::new));
    }
}
