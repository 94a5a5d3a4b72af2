package dht.testkit.tiny;

import dht.testkit.node.NodeSpec;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The small server as a process: {@code --port P --data DIR}, and {@code --self URL --cluster
 * URL,URL,...} for a node of a cluster.
 */
final class TinyMain {
    /** System property: the exit code after SIGTERM; default 0. */
    static final String EXIT_CODE = "tiny.exitCode";

    /** System property: the fault of a node of a cluster; default none. */
    static final String FAULT = "tiny.fault";

    private TinyMain() {}

    public static void main(String[] args) throws Exception {
        var data = Path.of(args[3]);
        var cluster =
                args.length < 8
                        ? List.<URI>of()
                        : Arrays.stream(args[7].split(",", -1)).map(URI::create).toList();
        var spec = new NodeSpec("tiny", Integer.parseInt(args[1]), data, data, cluster);
        var server = server(spec).start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server)));
        System.out.println("ready " + spec.self());
        Thread.currentThread().join();
    }

    private static TinyServer server(NodeSpec spec) {
        if (spec.cluster().isEmpty()) {
            return new TinyServer(spec);
        }
        return switch (System.getProperty(FAULT, "")) {
            case "one-by-one" -> new WrongClusters.OneByOne(spec);
            case "assuming" -> new WrongClusters.Assuming(spec);
            case "unforgiving" -> new WrongClusters.Unforgiving(spec);
            default -> new TinyNode(spec);
        };
    }

    private static void stop(TinyServer server) {
        try {
            server.close();
            Runtime.getRuntime().halt(Integer.getInteger(EXIT_CODE, 0));
        } catch (IOException failed) {
            System.err.println(failed);
            Runtime.getRuntime().halt(1);
        }
    }
}
