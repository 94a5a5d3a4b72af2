package dht.testkit.node;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * One server of any kind, from its first start to its end. It keeps its port and its data directory
 * over restarts.
 *
 * <p>Threads may share it, but only one thread at a time may start, stop or kill it.
 */
public interface Node extends AutoCloseable {
    /** How many seconds a stop may take. */
    int STOP_SECONDS_MAX = 10;

    /** A message of this size is slow over a slow network. */
    int SLOW_BYTES = 32 << 10;

    /** The minimum time that it takes to send {@link #SLOW_BYTES} over a slow network. */
    int SLOW_MILLIS_MIN = 15;

    NodeSpec spec();

    /** The URL that other nodes use. Clients use {@code spec().self()}, which may be different. */
    default URI clusterUrl() {
        return spec().self();
    }

    /**
     * Starts the server, and returns when it accepts requests.
     *
     * @throws StartFailure if it does not start; the message contains what the server printed
     */
    void start();

    /** Asks the server to stop in order, and returns at once. A second call has no effect. */
    void requestStop();

    /**
     * Waits until a requested stop has ended.
     *
     * @throws dht.testkit.transcript.Mismatch if the stop takes longer than {@link
     *     #STOP_SECONDS_MAX} seconds
     */
    void awaitStop();

    /** Stops the server in order, and waits for its end. */
    default void stop() {
        requestStop();
        awaitStop();
    }

    /** Ends the server at once, without finishing anything. Needs {@link Ability#KILL}. */
    void kill();

    /**
     * Pauses the server. It does nothing more when this method returns. Needs {@link
     * Ability#PAUSE}.
     */
    void pause();

    /** Lets the server continue after a pause. */
    void resume();

    /**
     * Cuts its network to all other nodes, in both directions. Clients still reach it. Needs {@link
     * Ability#NETWORK_CUT}.
     */
    default void cutOff() {
        throw new UnsupportedOperationException(whyNot(Ability.NETWORK_CUT).orElseThrow());
    }

    /**
     * Slows down what it sends to other nodes: {@link #SLOW_BYTES} take at least {@link
     * #SLOW_MILLIS_MIN} ms. Needs {@link Ability#SLOW_NETWORK}.
     */
    default void slowDown() {
        throw new UnsupportedOperationException(whyNot(Ability.SLOW_NETWORK).orElseThrow());
    }

    /** Ends {@link #cutOff} or {@link #slowDown}: the network is normal again. */
    default void reconnect() {
        throw new UnsupportedOperationException(whyNot(Ability.NETWORK_CUT).orElseThrow());
    }

    /** Whether it was started and has not ended since. */
    boolean isRunning();

    /** The exit code of the last process; empty if none has ended or it is not a process. */
    OptionalInt exitCode();

    /** The limit of memory for objects, in bytes; empty if it is not known. */
    OptionalLong memoryBytesMax();

    /**
     * The greatest number of bytes of physical memory that its process has used at a time; empty if
     * it is not a running process, or not on Linux.
     */
    default OptionalLong residentBytesPeak() {
        return OptionalLong.empty();
    }

    /** The number of sockets that its process has open; empty as {@link #residentBytesPeak} is. */
    default OptionalLong socketCount() {
        return OptionalLong.empty();
    }

    /**
     * The names of threads or processes that still run after the server has ended; empty while it
     * runs.
     */
    List<String> leftBehind();

    /** Why this node does not have an ability; empty if it has it. */
    Optional<String> whyNot(Ability ability);

    /** The last lines that the server printed; may be empty. */
    String logTail();

    /** Ends the server, by force if necessary. Never throws. */
    @Override
    void close();
}
