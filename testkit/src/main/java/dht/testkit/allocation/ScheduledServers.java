package dht.testkit.allocation;

import dht.testkit.node.NodeSpec;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The servers that a {@link ServerSchedule} starts, and what it must know of them. Immutable.
 *
 * <p>No deadline of theirs may end a request within a minute: a request that only a deadline ends
 * is a stuck one.
 *
 * @param starter starts a server
 * @param arguments one of these is passed to a server at each start, such as {@code
 *     --durability=fsync}
 * @param count how many of them are one cluster
 * @param parameters one of these is added to each request, such as {@code ack=1}; may be empty
 * @param strictParameter a read and a write with it meet, and a read with it meets all writes that
 *     were acknowledged with any of the parameters; may be empty
 * @param idleGauges metrics that are 0 while there is nothing to do; none for servers without
 *     metrics
 * @param held what all servers together hold for requests, such as bytes of a budget, by a name in
 *     words; 0 while there are no requests
 */
public record ScheduledServers(
        Starter starter,
        List<String> arguments,
        int count,
        List<String> parameters,
        String strictParameter,
        List<String> idleGauges,
        Map<String, LongSupplier> held) {

    /** Starts a server in this JVM. */
    @FunctionalInterface
    public interface Starter {
        /**
         * Starts a server as {@link dht.testkit.node.InProcess.Starter} does.
         *
         * @param argument one of the {@link #arguments}
         */
        AutoCloseable start(NodeSpec node, String argument) throws Exception;
    }
}
