package dht.stage3;

import dht.cluster.ClusterFlags;
import dht.cluster.Topology;
import dht.command.InspectCommand;
import dht.command.ListenFlags;
import dht.command.ServerProcess;
import dht.command.StageCommand;
import dht.command.StorageFlags;
import dht.execution.CountedExecutor;
import dht.execution.ExecutionFlags;
import dht.http.HttpOptions;
import dht.http.ListenAddress;
import dht.peer.Credentials;
import dht.peer.PeerFlags;
import dht.peer.Peers;
import dht.sharding.Placement;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the stage 3 server: a node of a cluster that shares the keys out among its nodes. */
@Command(
        name = "stage3-sharding",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description =
                "A durable key-value store over HTTP, shared out among the nodes of a cluster.",
        subcommands = InspectCommand.class)
public final class Main implements Callable<Integer> {
    @Mixin private ListenFlags listen;

    @Mixin private ClusterFlags cluster;

    @Mixin private PeerFlags peers;

    @Mixin private StorageFlags storage;

    @Mixin private ExecutionFlags execution;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Properties file with any of these options.")
    private Path config;

    public static void main(String[] args) {
        StageCommand.main(new Main(), args);
    }

    @Override
    public Integer call() throws Exception {
        return ServerProcess.run(this::start);
    }

    /** Starts the server that the options ask for. */
    Stage3Server start() throws IOException {
        ListenAddress address = listen.address();
        HttpOptions options = listen.httpOptions(execution.selectorCount());
        Topology topology = cluster.topology(address.url());
        Placement placement = cluster.placement(topology);
        Credentials credentials =
                new Credentials(
                        topology.selfAddress(), cluster.fingerprint(topology), cluster.secret());
        Peers others = peers.open(topology, credentials, options.bodyMemoryBytesMax());
        CountedExecutor executor = null;
        try {
            executor = execution.openExecutor();
            return Stage3Server.start(
                    address, options, placement, others, executor, storage.openDao());
        } catch (IOException | RuntimeException e) {
            others.close();
            if (executor != null) {
                executor.close();
            }
            throw e;
        }
    }
}
