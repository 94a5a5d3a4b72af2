package dht.peer;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import dht.peer.PeerAnswer.Silent;
import dht.peer.PeerAnswer.Unreachable;
import java.io.IOException;
import java.net.SocketTimeoutException;
import one.nio.net.ConnectionString;
import one.nio.net.Socket;
import one.nio.pool.PoolException;
import one.nio.pool.SocketPool;

/**
 * Asks another node, over one-nio's pooled connections. The calling thread waits for the answer.
 *
 * <p>Requests and answers are written and read by {@link PeerExchange}, not by one-nio's {@code
 * HttpClient}: that makes several copies of a value on the heap, however large, and has no deadline
 * for an answer that comes byte by byte.
 *
 * <p>Thread-safe: so many threads may ask at the same time as there are connections.
 */
final class PeerClient implements BlockingClient {
    private final SocketPool connections;
    private final ThreadLocal<PeerExchange> exchanges;

    PeerClient(
            NodeAddress node,
            Credentials credentials,
            PeerOptions options,
            MemoryBudget answerMemory) {
        this.connections = new SocketPool(connectionString(node, options));
        long timeoutNanos = options.requestTimeout().toNanos();
        this.exchanges =
                ThreadLocal.withInitial(
                        () -> new PeerExchange(node, credentials, timeoutNanos, answerMemory));
    }

    private static ConnectionString connectionString(NodeAddress node, PeerOptions options) {
        long timeoutMillis = options.requestTimeout().toMillis();
        return new ConnectionString(
                "%s?clientMaxPoolSize=%d&connectTimeout=%d&readTimeout=%d&timeout=%d"
                        .formatted(
                                node.url(),
                                options.connectionCount(),
                                options.connectTimeout().toMillis(),
                                timeoutMillis,
                                timeoutMillis));
    }

    @Override
    public PeerAnswer ask(EntityRequest request, String parameters) {
        try {
            return askOver(connections.borrowObject(), request, parameters);
        } catch (PoolException e) {
            return new Unreachable(rootMessage(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Unreachable("interrupted");
        }
    }

    private PeerAnswer askOver(Socket connection, EntityRequest request, String parameters)
            throws PoolException {
        PeerExchange exchange = exchanges.get();
        Socket used = connection;
        try {
            try {
                exchange.run(used, request, parameters);
            } catch (SocketTimeoutException e) {
                throw e;
            } catch (IOException e) {
                if (exchange.hasAnswerBegun()) {
                    throw e;
                }
                // The node may have closed it while nobody looked. To write twice does no harm.
                connections.destroyObject(used);
                used = connections.createObject();
                exchange.run(used, request, parameters);
            }
        } catch (SocketTimeoutException e) {
            return new Silent();
        } catch (IOException e) {
            return new Unreachable(rootMessage(e));
        } finally {
            if (exchange.isInStep()) {
                connections.returnObject(used);
            } else {
                connections.invalidateObject(used);
            }
        }
        return exchange.answer();
    }

    private static String rootMessage(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
    }

    @Override
    public void close() {
        connections.close();
    }
}
