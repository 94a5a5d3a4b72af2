package dht.peer.async;

import dht.cluster.Fingerprint;
import dht.cluster.NodeAddress;
import dht.http.HttpOptions;
import dht.peer.Credentials;
import dht.storage.Dao;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Optional;

/** What the tests of peers have in common. */
public final class TestPeers {
    /** The credentials of a node in a cluster without a secret. */
    public static final Credentials CREDENTIALS =
            new Credentials(
                    new NodeAddress("self", 1),
                    new Fingerprint("0123456789abcdef"),
                    Optional.empty());

    private TestPeers() {}

    /** A transport with this client. */
    public static PeerTransport transport(HttpClient client) {
        return new PeerTransport(PeerExecutorKind.DIRECT, Duration.ofSeconds(5), client);
    }

    /**
     * Options of a server with one selector.
     *
     * @param patience for each timeout except that of the stop
     * @param drainTimeout how long the server waits for its requests when it stops
     */
    public static HttpOptions serverOptions(Duration patience, Duration drainTimeout) {
        return new HttpOptions(
                1,
                100,
                16 << 10,
                100,
                Dao.MAX_VALUE_BYTES,
                64 << 20,
                4,
                patience,
                patience,
                1,
                patience,
                drainTimeout);
    }
}
