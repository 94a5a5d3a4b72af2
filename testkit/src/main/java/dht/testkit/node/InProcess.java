package dht.testkit.node;

/**
 * Servers in the test's own JVM: quick to start, easy to debug.
 *
 * <pre>{@code
 * InProcess.of(node -> Server.start(node.port(), node.dataDir())::stop)
 * }</pre>
 */
public final class InProcess {
    private InProcess() {}

    /** Starts a server which accepts requests when this returns. */
    @FunctionalInterface
    public interface Starter {
        /**
         * Starts on {@code spec.port()} and {@code spec.dataDir()}.
         *
         * @return stops the server in order when closed; it may be closed more than once
         * @throws Exception where it can't; one that says "address already in use" has another port
         *     tried
         */
        AutoCloseable start(NodeSpec spec) throws Exception;
    }

    /**
     * A server that can also be made to end as by kill -9: what it has not handed to the operating
     * system is lost.
     */
    public interface Killable extends AutoCloseable {
        void kill() throws Exception;
    }

    /** A server that can be made to stand still. */
    public interface Pausable extends AutoCloseable {
        /** Returns when it stands still. */
        void pause();

        void resume();
    }

    /** A server whose network to other servers can be cut and slowed down. */
    public interface Severable extends AutoCloseable {
        void cutOff();

        void slowDown();

        void reconnect();
    }

    public static NodeFactory of(Starter starter) {
        return spec -> new InProcessNode(spec, starter);
    }
}
