package dht.repair;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dht.cluster.Fingerprint;
import dht.cluster.NodeAddress;
import dht.peer.Credentials;
import dht.peer.Peer;
import dht.peer.PeerOptions;
import dht.range.EntryPage;
import dht.replication.HybridLogicalClock;
import dht.replication.LocalReplica;
import dht.storage.EntryView;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Receives from a node that has large values only: a page contains their keys. */
@Timeout(60)
class EntryReceiverTest {
    private static final int BYTES_PER_SECOND = 1 << 20;
    private static final int VALUE_BYTES = 64 << 10;
    private static final int VALUES = 8;
    private static final long STAMP_MICROS = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final MapDao dao = new MapDao();
    private HttpServer node;

    @BeforeEach
    void start() throws IOException {
        node = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        byte[] page = page();
        node.createContext(
                "/",
                exchange -> {
                    boolean isValue = exchange.getRequestURI().getPath().equals(Peer.ENTITY_PATH);
                    byte[] body = isValue ? new byte[VALUE_BYTES] : page;
                    exchange.getResponseHeaders().set("Timestamp-Micros", "" + STAMP_MICROS);
                    exchange.sendResponseHeaders(200, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        node.start();
    }

    @AfterEach
    void stop() {
        node.stop(0);
    }

    private static byte[] page() {
        EntryPage.Writer page = new EntryPage.Writer(EntryPage.BYTES_MAX);
        EntryView entry = new EntryView();
        MapDao.Stored large = new MapDao.Stored(new byte[VALUE_BYTES], STAMP_MICROS);
        for (int i = 0; i < VALUES; i++) {
            large.wrap(("key" + i).getBytes(UTF_8), entry);
            page.add(entry, 0);
        }
        return page.finish(true);
    }

    private EntryReceiver receiver() {
        PeerOptions options = new PeerOptions(1, 1, PATIENCE, PATIENCE, 1, PATIENCE, PATIENCE);
        var self = new NodeAddress("self", 1);
        var credentials = new Credentials(self, new Fingerprint("topology"), Optional.empty());
        var clock = new HybridLogicalClock(InstantSource.system(), Duration.ofDays(1), 0);
        return new EntryReceiver(
                new NodeClient(credentials, options),
                new LocalReplica(dao, clock, "self", () -> {}),
                null, // The page does not say how many replicas the keys have.
                BYTES_PER_SECOND,
                new RepairCounts());
    }

    @Test
    void receiveAll_ofLargeValues_keepsTheRate() throws IOException, InterruptedException {
        long startNanos = System.nanoTime();
        receiver().receiveAll(NodeAddress.parse("http://127.0.0.1:" + node.getAddress().getPort()));
        long tookMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);

        assertThat(dao.size()).isEqualTo(VALUES);
        // The last value is not waited for, and the first ones may come in one burst.
        long leastMillis = 1000L * (VALUES - 2) * VALUE_BYTES / BYTES_PER_SECOND;
        assertThat(tookMillis).isGreaterThanOrEqualTo(leastMillis);
    }
}
