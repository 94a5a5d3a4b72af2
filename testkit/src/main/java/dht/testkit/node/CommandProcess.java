package dht.testkit.node;

import java.util.Map;
import java.util.OptionalLong;

/**
 * A factory of servers that are started by a command line, in any language. <code>{port}</code>,
 * <code>{data}
 * </code>, <code>{self}
 * </code> and <code>{cluster}</code> are replaced; a process is ready when {@code GET /v0/status}
 * answers 200. Immutable.
 */
public final class CommandProcess implements NodeFactory {
    private final CommandLine command;
    private final OptionalLong memoryBytesMax;

    private CommandProcess(CommandLine command, OptionalLong memoryBytesMax) {
        this.command = command;
        this.memoryBytesMax = memoryBytesMax;
    }

    /** A factory of servers that this command starts. */
    public static CommandProcess of(CommandLine command) {
        return new CommandProcess(command, OptionalLong.empty());
    }

    /** The same factory with a known memory limit. The command itself must enforce this limit. */
    public CommandProcess memoryBytesMax(long bytes) {
        return new CommandProcess(command, OptionalLong.of(bytes));
    }

    @Override
    public Node create(NodeSpec spec) {
        var values =
                Map.of(
                        "port", String.valueOf(spec.port()),
                        "data", spec.dataDir().toString(),
                        "self", spec.self().toString(),
                        "cluster", spec.clusterList());
        return new ProcessNode(
                spec,
                command.words(values),
                (node, _) -> Readiness.answersStatus(node),
                memoryBytesMax);
    }
}
