package dht.testkit.tiny;

import dht.testkit.node.NodeSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The small server as a process: {@code --port P --data DIR}. */
final class TinyMain {
    /** With what it exits on SIGTERM, by itself 0. */
    static final String EXIT_CODE = "tiny.exitCode";

    private TinyMain() {}

    public static void main(String[] args) throws Exception {
        var data = Path.of(args[3]);
        var spec = new NodeSpec("tiny", Integer.parseInt(args[1]), data, data, List.of());
        var server = new TinyServer(spec).start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server)));
        System.out.println("ready " + spec.self());
        Thread.currentThread().join();
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
