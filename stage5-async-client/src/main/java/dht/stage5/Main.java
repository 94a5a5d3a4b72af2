package dht.stage5;

import dht.cluster.ClusterFlags;
import dht.cluster.Topology;
import dht.command.InspectCommand;
import dht.command.ListenFlags;
import dht.command.ServerProcess;
import dht.command.StageCommand;
import dht.command.StorageFlags;
import dht.execution.CountedExecutor;
import dht.execution.ExecutionFlags;
import dht.execution.ExecutorKind;
import dht.http.HttpOptions;
import dht.http.ListenAddress;
import dht.peer.Credentials;
import dht.peer.PeerFlags;
import dht.replication.HybridLogicalClock;
import dht.replication.ReplicationFlags;
import dht.replication.async.FanOutFlags;
import dht.replication.async.ReplicaAccess;
import dht.sharding.Placement;
import dht.storage.lsm.LsmDao;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs the stage 5 server: a node of a cluster that asks all replicas at once. */
@Command(
        name = "stage5-async-client",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description =
                "A durable key-value store over HTTP, with copies of each key on several nodes.",
        subcommands = InspectCommand.class)
public final class Main implements Callable<Integer> {
    @Spec private CommandSpec line;

    @Mixin private ListenFlags listen;

    @Mixin private ClusterFlags cluster;

    @Mixin private PeerFlags peers;

    @Mixin private FanOutFlags fanOut;

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
    Stage5Server start() throws IOException {
        refuseInPlace();
        ListenAddress address = listen.address();
        HttpOptions options = listen.httpOptions(execution.selectorCount());
        Topology topology = cluster.topology(address.url());
        Placement placement = cluster.placement(topology);
        Credentials credentials =
                new Credentials(
                        topology.selfAddress(), cluster.fingerprint(topology), cluster.secret());
        ReplicaAccess others =
                fanOut.open(peers, topology, credentials, options.bodyMemoryBytesMax());
        CountedExecutor executor = null;
        LsmDao dao = null;
        try {
            executor = execution.openExecutor();
            dao = storage.openDao(replication.gcGrace());
            HybridLogicalClock clock = replication.clock(dao.greatestTimestampMicros());
            return Stage5Server.start(address, options, placement, others, clock, executor, dao);
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

    /** A write that is stamped anew goes on where the answers of other nodes come in. */
    private void refuseInPlace() {
        ExecutorKind executor = line.findOption("--executor").getValue();
        if (executor == ExecutorKind.INLINE) {
            throw new IllegalArgumentException(
                    "--executor=inline would have the client of other nodes wait for this node's storage: use"
                            + " --executor=fifo, lifo or virtual");
        }
    }
}
