package dht.testkit.node;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * One server, of whatever kind, from its first start to its end. Verifies port and data directory
 * over restarts.
 *
 * <p>Any thread may ask; starts, stops and kills come from one thread at a time.
 */
public interface Node extends AutoCloseable {
    /** What a server has, when it stops, for finishing what is in flight. */
    int STOP_SECONDS_MAX = 10;

    /** So much is slow to send over a slow network. */
    int SLOW_BYTES = 32 << 10;

    /** How long that takes at least. */
    int SLOW_MILLIS_MIN = 15;

    NodeSpec spec();

    /** How the other nodes call it. Clients reach it at {@code spec().self()}, which may differ. */
    default URI clusterUrl() {
        return spec().self();
    }

    /**
     * Starts, and returns when requests are accepted.
     *
     * @throws StartFailure with what the server printed
     */
    void start();

    /** Asks for an orderly stop and returns at once. Harmless when asked again. */
    void requestStop();

    /**
     * Waits for the end of a stop that was asked for.
     *
     * @throws dht.testkit.transcript.Mismatch where it takes longer than {@link #STOP_SECONDS_MAX}
     */
    void awaitStop();

    /** Stops in order. */
    default void stop() {
        requestStop();
        awaitStop();
    }

    /** Ends at once, with nothing finished. Needs {@link Ability#KILL}. */
    void kill();

    /** Stands still when this returns. Needs {@link Ability#PAUSE}. */
    void pause();

    /** Goes on after a pause. */
    void resume();

    /**
     * No other node reaches it, and it reaches none; clients do. Needs {@link Ability#NETWORK_CUT}.
     */
    default void cutOff() {
        throw new UnsupportedOperationException(whyNot(Ability.NETWORK_CUT).orElseThrow());
    }

    /**
     * What it sends to other nodes takes its time: {@link #SLOW_BYTES} at least {@link
     * #SLOW_MILLIS_MIN}. Needs {@link Ability#SLOW_NETWORK}.
     */
    default void slowDown() {
        throw new UnsupportedOperationException(whyNot(Ability.SLOW_NETWORK).orElseThrow());
    }

    /** The network is as ever after {@link #cutOff} or {@link #slowDown}. */
    default void reconnect() {
        throw new UnsupportedOperationException(whyNot(Ability.NETWORK_CUT).orElseThrow());
    }

    /** Whether it was started and has not ended since, by itself or otherwise. */
    boolean isRunning();

    /** With what a process ended last. */
    OptionalInt exitCode();

    /** How much memory the server may use for objects, where that is known. */
    OptionalLong memoryBytesMax();

    /** Threads or processes of the server which outlived it, by name; empty while it runs. */
    List<String> leftBehind();

    /** Why this node can't do something, or empty where it can. */
    Optional<String> whyNot(Ability ability);

    /** The end of what it printed, or empty. */
    String logTail();

    /** Ends it by whatever means; never throws. */
    @Override
    void close();
}
