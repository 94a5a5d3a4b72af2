package dht.testkit.node;

/**
 * A factory of servers that run in the JVM of the test: they start fast and are easy to debug.
 * Stateless.
 *
 * <pre>{@code
 * InProcess.of(node -> Server.start(node.port(), node.dataDir())::stop)
 * }</pre>
 */
public final class InProcess {
    private InProcess() {}

    /** Starts a server. It accepts requests when the method returns. */
    @FunctionalInterface
    public interface Starter {
        /**
         * Starts on {@code spec.port()} and {@code spec.dataDir()}.
         *
         * @return an object whose {@code close} stops the server in order; it may be called more
         *     than once
         * @throws Exception if the start fails; if its message says "address already in use",
         *     another port is tried
         */
        AutoCloseable start(NodeSpec spec) throws Exception;
    }

    /**
     * A server that can also be ended as by kill -9: what it has not passed to the operating system
     * is lost.
     */
    public interface Killable extends AutoCloseable {
        void kill() throws Exception;
    }

    /** A server that can be paused. */
    public interface Pausable extends AutoCloseable {
        /** Pauses it, and returns when it does nothing more. */
        void pause();

        void resume();
    }

    /** A server whose network to other servers can be cut and slowed down. */
    public interface Severable extends AutoCloseable {
        void cutOff();

        void slowDown();

        void reconnect();
    }

    /** A factory of nodes that the starter starts. */
    public static NodeFactory of(Starter starter) {
        return spec -> new InProcessNode(spec, starter);
    }
}
