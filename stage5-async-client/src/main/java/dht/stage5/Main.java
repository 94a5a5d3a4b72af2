package dht.stage5;

import dht.cluster.ClusterFlags;
import dht.command.CommonFlags;
import dht.command.ListenFlags;
import dht.command.ResourceStack;
import dht.command.ServerProcess;
import dht.command.StageCommand;
import dht.command.StorageFlags;
import dht.execution.CountedExecutor;
import dht.execution.ExecutionFlags;
import dht.peer.Credentials;
import dht.peer.NameCache;
import dht.peer.PeerFlags;
import dht.repair.RepairCommand;
import dht.repair.RepairFlags;
import dht.replication.ReplicationFlags;
import dht.replication.async.FanOutFlags;
import dht.storage.lsm.LsmDao;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command line of the stage 5 server, which asks all replicas of a key at once. */
@Command(
        name = "stage5-async-client",
        description =
                "A durable key-value store over HTTP, with copies of each key on several nodes.",
        subcommands = RepairCommand.class)
public final class Main implements Callable<Integer> {
    @Mixin private ListenFlags listen;
    @Mixin private ClusterFlags cluster;
    @Mixin private PeerFlags peers;
    @Mixin private FanOutFlags fanOut;
    @Mixin private StorageFlags storage;
    @Mixin private ExecutionFlags execution;
    @Mixin private ReplicationFlags replication;
    @Mixin private RepairFlags repair;
    @Mixin private CommonFlags common;

    public static void main(String[] args) {
        NameCache.keepBriefly();
        StageCommand.main(new Main(), args);
    }

    @Override
    public Integer call() throws Exception {
        return ServerProcess.run(this::start);
    }

    /** Starts a server with these options, and returns its URL. */
    String start(ResourceStack resources) throws IOException {
        execution.refuseInline(); // Inline tasks would block the thread that reads answers.
        var address = cluster.withInternalPort(listen.address());
        var options = listen.httpOptions(execution.selectorCount());
        var topology = cluster.topology(address);
        var placement = cluster.placement(topology);
        var credentials = Credentials.of(topology, cluster);
        var rebuild =
                resources.open(
                        () -> repair.open(topology, credentials, peers, replication, storage));
        LsmDao dao = resources.open(() -> storage.openDao(replication.gcGrace()));
        var clock = replication.clock(dao.greatestTimestampMicros());
        CountedExecutor executor = resources.open(execution::openExecutor);
        var others = resources.open(() -> fanOut.open(peers, topology, credentials, options));
        var reads = replication.reads();
        return Stage5Server.start(
                resources, address, options, placement, others, clock, reads, rebuild, executor,
                dao);
    }
}
