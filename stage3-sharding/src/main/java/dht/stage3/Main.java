package dht.stage3;

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
import dht.peer.Peers;
import dht.storage.lsm.LsmDao;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * The command line of the stage 3 server: a node of a cluster whose keys are divided among the
 * nodes. Used by one thread.
 */
@Command(
        name = "stage3-sharding",
        description =
                "A durable key-value store over HTTP, whose keys are divided among the nodes of a cluster.")
public final class Main implements Callable<Integer> {
    @Mixin private ListenFlags listen;
    @Mixin private ClusterFlags cluster;
    @Mixin private PeerFlags peers;
    @Mixin private StorageFlags storage;
    @Mixin private ExecutionFlags execution;
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
        var address = cluster.withInternalPort(listen.address());
        var options = listen.httpOptions(execution.selectorCount());
        var topology = cluster.topology(address);
        var placement = cluster.placement(topology);
        var credentials = Credentials.of(topology, cluster);
        LsmDao dao = resources.open(storage::openDao);
        CountedExecutor executor = resources.open(execution::openExecutor);
        long memory = options.connectionMemoryBytesMax();
        Peers others = resources.open(() -> peers.open(topology, credentials, memory));
        return Stage3Server.start(resources, address, options, placement, others, executor, dao);
    }
}
