package dht.stage2;

import dht.command.CommonFlags;
import dht.command.ListenFlags;
import dht.command.ResourceStack;
import dht.command.ServerProcess;
import dht.command.StageCommand;
import dht.command.StorageFlags;
import dht.execution.CountedExecutor;
import dht.execution.ExecutionFlags;
import dht.storage.lsm.LsmDao;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * The command line of the stage 2 server: one node, whose requests are executed by a bounded pool.
 * Used by one thread.
 */
@Command(
        name = "stage2-async",
        description = "A durable key-value store over HTTP that survives overload.")
public final class Main implements Callable<Integer> {
    @Mixin private ListenFlags listen;
    @Mixin private StorageFlags storage;
    @Mixin private ExecutionFlags execution;
    @Mixin private CommonFlags common;

    public static void main(String[] args) {
        StageCommand.main(new Main(), args);
    }

    @Override
    public Integer call() throws Exception {
        return ServerProcess.run(this::start);
    }

    /** Starts a server with these options, and returns its URL. */
    String start(ResourceStack resources) throws IOException {
        var address = listen.address();
        var options = listen.httpOptions(execution.selectorCount());
        LsmDao dao = resources.open(storage::openDao);
        CountedExecutor executor = resources.open(execution::openExecutor);
        return Stage2Server.start(resources, address, options, executor, dao);
    }
}
