package dht.stage2;

import dht.command.ListenFlags;
import dht.command.StageCommand;
import dht.http.HttpOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The options of an empty command line. */
@Command(name = "defaults")
final class DefaultOptions implements Callable<Integer> {
    @Mixin private ListenFlags listen;

    private DefaultOptions() {}

    static HttpOptions http() {
        DefaultOptions defaults = new DefaultOptions();
        StageCommand.lineOf(defaults).parseArgs();
        return defaults.listen.httpOptions();
    }

    @Override
    public Integer call() {
        return 0;
    }
}
