package dht.repair;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Receives from a node that has large values only, or that answers what it must not. */
@Timeout(60)
class EntryReceiverTest {
    private static final int BYTES_PER_SECOND = 1 << 20;
    private static final int VALUE_BYTES = 64 << 10;
    private static final int VALUES = 8;
    private static final int PAGES_MAX = 10; // Then the last page comes, so that no test hangs.
    private static final long STAMP_MICROS = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final MapDao dao = new MapDao();
    private final AtomicInteger pages = new AtomicInteger();
    private final AtomicInteger overloaded = new AtomicInteger(); // Pages that are refused next.
    private byte[] page = page(true, 0, 1, 2, 3, 4, 5, 6, 7);
    private HttpServer node;

    @BeforeEach
    void start() throws IOException {
        node = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        node.createContext(
                "/",
                exchange -> {
                    boolean isValue = exchange.getRequestURI().getPath().equals(Peer.ENTITY_PATH);
                    boolean isEnd = !isValue && pages.incrementAndGet() > PAGES_MAX;
                    byte[] body = isValue ? new byte[VALUE_BYTES] : isEnd ? page(true) : page;
                    exchange.getResponseHeaders().set("Timestamp-Micros", "" + STAMP_MICROS);
                    boolean isRefused = !isValue && overloaded.getAndDecrement() > 0;
                    exchange.sendResponseHeaders(isRefused ? 503 : 200, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        node.start();
    }

    @AfterEach
    void stop() {
        node.stop(0);
    }

    private static byte[] page(boolean isEnd, int... keys) {
        EntryPage.Writer page = new EntryPage.Writer(EntryPage.BYTES_MAX);
        EntryView entry = new EntryView();
        MapDao.Stored large = new MapDao.Stored(new byte[VALUE_BYTES], STAMP_MICROS);
        for (int key : keys) {
            large.wrap(("key" + key).getBytes(UTF_8), entry);
            page.add(entry, 0);
        }
        return page.finish(isEnd);
    }

    private void receiveAll() throws IOException, InterruptedException {
        receiver().receiveAll(NodeAddress.parse("http://127.0.0.1:" + node.getAddress().getPort()));
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
        receiveAll();
        long tookMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);

        assertThat(dao.size()).isEqualTo(VALUES);
        // The last value is not waited for, and the first ones may come in one burst.
        long leastMillis = 1000L * (VALUES - 2) * VALUE_BYTES / BYTES_PER_SECOND;
        assertThat(tookMillis).isGreaterThanOrEqualTo(leastMillis);
    }

    @Test
    void page_thatAnOverloadedNodeRefuses_isRequestedAgain() throws Exception {
        overloaded.set(3);
        receiveAll();
        assertThat(dao.size()).isEqualTo(VALUES);
    }

    @Test
    void page_thatIsRefusedAgainAndAgain_endsTheTransfer() {
        overloaded.set(4);
        assertThatThrownBy(this::receiveAll).isInstanceOf(NodeClient.Refused.class);
    }

    /** The node would be asked for the same page without end. */
    @Test
    void page_withoutEntriesBeforeTheEnd_isInvalid() {
        page = page(false);
        assertThatThrownBy(this::receiveAll)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has sent a page without entries");
    }

    @Test
    void page_whoseKeysGoBackwards_isInvalid() {
        page = page(false, 2, 1);
        assertThatThrownBy(this::receiveAll)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has sent a page that is not in order");
    }
}
