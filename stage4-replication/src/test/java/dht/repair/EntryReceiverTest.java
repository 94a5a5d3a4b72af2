package dht.repair;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dht.cluster.Fingerprint;
import dht.cluster.NodeAddress;
import dht.cluster.Topology;
import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import dht.peer.Credentials;
import dht.peer.Peer;
import dht.peer.PeerOptions;
import dht.peer.Peers;
import dht.range.EntryPage;
import dht.replication.Healing;
import dht.replication.Holders;
import dht.replication.HybridLogicalClock;
import dht.replication.LocalReplica;
import dht.sharding.Placement;
import dht.storage.EntryView;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
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

    private static final PeerOptions OPTIONS =
            new PeerOptions(1, 1, PATIENCE, PATIENCE, 1, PATIENCE, PATIENCE);
    private static final NodeAddress SELF = new NodeAddress("self", 1);
    private static final Credentials CREDENTIALS =
            new Credentials(SELF, new Fingerprint("topology"), Optional.empty());

    private final MapDao dao = new MapDao();
    private final HybridLogicalClock clock =
            new HybridLogicalClock(InstantSource.system(), Duration.ofDays(1), 0);
    private final LocalReplica local = new LocalReplica(dao, clock, "self", () -> {});
    private final AtomicInteger pages = new AtomicInteger();
    private final AtomicInteger overloaded = new AtomicInteger(); // Pages that are refused next.
    private final AtomicInteger changes = new AtomicInteger(); // Values with a newer stamp.
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
                    long micros = STAMP_MICROS + (isValue && changes.getAndDecrement() > 0 ? 1 : 0);
                    exchange.getResponseHeaders().set("Timestamp-Micros", "" + micros);
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
        return page(0, isEnd, keys);
    }

    /**
     * @param from how many nodes hold the entries; 0: all
     */
    private static byte[] page(int from, boolean isEnd, int... keys) {
        EntryPage.Writer page = new EntryPage.Writer(EntryPage.BYTES_MAX);
        EntryView entry = new EntryView();
        MapDao.Stored large = new MapDao.Stored(new byte[VALUE_BYTES], STAMP_MICROS);
        for (int key : keys) {
            large.wrap(("key" + key).getBytes(UTF_8), entry);
            page.add(entry, from);
        }
        return page.finish(isEnd);
    }

    private void receiveAll() throws IOException, InterruptedException {
        receiver().receiveAll(address());
    }

    private NodeAddress address() {
        return NodeAddress.parse("http://127.0.0.1:" + node.getAddress().getPort());
    }

    private EntryReceiver receiver() {
        return new EntryReceiver(
                new NodeClient(CREDENTIALS, OPTIONS),
                local,
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

    /** A newer version has replaced it since the page was made, and only a page tells of it. */
    @Test
    void largeValue_thatHasChanged_isListedAgain() throws Exception {
        changes.set(2);
        receiveAll();
        assertThat(dao.size()).isEqualTo(VALUES);
        assertThat(pages).hasValue(3);
    }

    @Test
    void largeValue_thatChangesAgainAndAgain_endsTheTransfer() {
        changes.set(Integer.MAX_VALUE);
        page = page(false, 0);
        assertThatThrownBy(this::receiveAll)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("changes again and again");
    }

    /** The other node is the only one that should have the entry. This node may have it, too. */
    @Test
    void entry_ofWhichThisNodeIsNoReplica_isNotStored_butIsKnownToBeThere() throws Exception {
        page = page(1, true, 0);
        List<String> received = new ArrayList<>();
        EntryReceiver.Known known =
                new EntryReceiver.Known() {
                    @Override
                    public void received(byte[] key) {
                        received.add(new String(key, UTF_8));
                    }

                    @Override
                    public boolean includes(EntityRequest header, long timestampMicros) {
                        throw new AssertionError(header);
                    }
                };
        var topology = new Topology(List.of(SELF, address()), 0);
        try (Peers peers = new Peers(topology, CREDENTIALS, EntryReceiverTest::peer)) {
            Holders holders = new Holders(new OnOther(), peers, local, clock, Healing.NONE);
            new EntryReceiver(
                            new NodeClient(CREDENTIALS, OPTIONS),
                            local,
                            holders,
                            BYTES_PER_SECOND,
                            new RepairCounts())
                    .receive(address(), KeyRange.ALL, known);
        }

        assertThat(received).containsExactly("key0");
        assertThat(dao.size()).isZero();
    }

    private static Peer peer(NodeAddress address) {
        return new Peer(address, CREDENTIALS, OPTIONS, new MemoryBudget(VALUE_BYTES));
    }

    /** Has the first copy of each key on the other node. */
    private static final class OnOther implements Placement {
        @Override
        public int nodeCount() {
            return 2;
        }

        @Override
        public int owner(byte[] key) {
            return 1;
        }

        @Override
        public int[] preferenceList(byte[] key, int count) {
            return count == 1 ? new int[] {1} : new int[] {1, 0};
        }
    }
}
