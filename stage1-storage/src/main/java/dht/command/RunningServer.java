package dht.command;

import dht.http.JavaSockets;
import java.io.IOException;

/**
 * A server that accepts requests, with all the resources that it uses.
 *
 * <p>Thread-safe, except for {@link #close}, which one thread may call at a time.
 */
public final class RunningServer implements AutoCloseable {
    /** The wiring of a server. */
    @FunctionalInterface
    public interface Wiring {
        /**
         * Opens the server's resources and starts it. If this fails, what it has opened is closed.
         *
         * @param resources takes everything that must be closed, in the order of opening
         * @return the server's URL
         */
        String start(ResourceStack resources) throws IOException;
    }

    private final String url;
    private final ResourceStack resources;

    private RunningServer(String url, ResourceStack resources) {
        this.url = url;
        this.resources = resources;
    }

    /**
     * Starts a server. If that fails, everything that was opened for it is closed.
     *
     * @throws IOException if the server cannot start
     */
    public static RunningServer start(Wiring wiring) throws IOException {
        JavaSockets.choose(); // Before a socket is opened, for clients or for other nodes.
        ResourceStack resources = new ResourceStack();
        try {
            return new RunningServer(wiring.start(resources), resources);
        } catch (Throwable e) { // Also errors: the lock and the threads must not remain.
            resources.closeAfter(e);
            throw e;
        }
    }

    public String url() {
        return url;
    }

    /** Finishes the requests in progress, and stops the server. */
    @Override
    public void close() {
        resources.close();
    }
}
