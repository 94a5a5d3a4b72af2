package dht.stage4;

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
import dht.replication.HybridLogicalClock;
import dht.replication.ReplicationFlags;
import dht.sharding.Placement;
import dht.storage.lsm.LsmDao;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the stage 4 server: a node of a cluster that keeps copies of each key on several nodes. */
@Command(
        name = "stage4-replication",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description =
                "A durable key-value store over HTTP, with copies of each key on several nodes.",
        subcommands = InspectCommand.class)
public final class Main implements Callable<Integer> {
    @Mixin private ListenFlags listen;

    @Mixin private ClusterFlags cluster;

    @Mixin private PeerFlags peers;

    @Mixin private StorageFlags storage;

    @Mixin private ExecutionFlags execution;

    @Mixin private ReplicationFlags replication;

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
    Stage4Server start() throws IOException {
        ListenAddress address = listen.address();
        HttpOptions options = listen.httpOptions(execution.selectorCount());
        Topology topology = cluster.topology(address.url());
        Placement placement = cluster.placement(topology);
        Credentials credentials =
                new Credentials(
                        topology.selfAddress(), cluster.fingerprint(topology), cluster.secret());
        Peers others = peers.open(topology, credentials, options.bodyMemoryBytesMax());
        CountedExecutor executor = null;
        LsmDao dao = null;
        try {
            executor = execution.openExecutor();
            dao = storage.openDao(replication.gcGrace());
            HybridLogicalClock clock = replication.clock(dao.greatestTimestampMicros());
            return Stage4Server.start(address, options, placement, others, clock, executor, dao);
        } catch (IOException | RuntimeException e) {
            others.close();
            if (executor != null) {
                executor.close();
            }
            if (dao != null) {
                dao.close();
            }
            throw e;
        }
    }
}
