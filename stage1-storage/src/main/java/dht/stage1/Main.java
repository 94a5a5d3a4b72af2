package dht.stage1;

import dht.command.CommonFlags;
import dht.command.ListenFlags;
import dht.command.ResourceStack;
import dht.command.ServerProcess;
import dht.command.StageCommand;
import dht.command.StorageFlags;
import dht.storage.Dao;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * The command line of the stage 1 server: one node, whose requests are served on the threads that
 * read them. Used by one thread.
 */
@Command(name = "stage1-storage", description = "A durable key-value store over HTTP.")
public final class Main implements Callable<Integer> {
    @Mixin private ListenFlags listen;
    @Mixin private StorageFlags storage;
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
        Dao dao = resources.open(storage::openDao);
        return Stage1Server.start(resources, address, listen.httpOptions(), dao);
    }
}
