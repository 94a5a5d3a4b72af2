package dht.repair;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dht.cluster.Fingerprint;
import dht.cluster.NodeAddress;
import dht.peer.Credentials;
import dht.peer.PeerOptions;
import dht.range.EntryPage;
import dht.storage.EntryView;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what another node says about one of its versions. */
@Timeout(60)
class OtherEntriesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final byte[] KEY = {'k'};
    private static final long STAMP_MICROS = 1_000;
    private static final int FROM = 2;

    private final AtomicReference<String> asked = new AtomicReference<>();
    private byte[] page;
    private HttpServer server;
    private OtherEntries entries;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                EntryPage.PATH,
                exchange -> {
                    asked.set(exchange.getRequestURI().getQuery());
                    exchange.sendResponseHeaders(200, page.length);
                    exchange.getResponseBody().write(page);
                    exchange.close();
                });
        server.start();
        var node = NodeAddress.parse("http://127.0.0.1:" + server.getAddress().getPort());
        var options = new PeerOptions(1, 1, PATIENCE, PATIENCE, 1, PATIENCE, PATIENCE);
        var self = new NodeAddress("self", 1);
        var credentials = new Credentials(self, new Fingerprint("topology"), Optional.empty());
        entries = new OtherEntries(new NodeClient(credentials, options), node);
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    /** A page with a tombstone, or without any entry. */
    private static byte[] page(boolean isEmpty) {
        EntryPage.Writer page = new EntryPage.Writer(EntryPage.BYTES_MAX);
        if (!isEmpty) {
            EntryView entry = new EntryView();
            new MapDao.Stored(null, STAMP_MICROS).wrap(KEY, entry);
            page.add(entry, FROM);
        }
        return page.finish(true);
    }

    @Test
    void recorded_versionIsThere_isTheNumberOfItsNodes() throws IOException {
        page = page(false);
        assertThat(entries.recorded(KEY, STAMP_MICROS)).hasValue(FROM);
        assertThat(asked.get()).startsWith("from=6b&to=6b00&");
    }

    @Test
    void recorded_versionIsReplacedOrGone_isEmpty() throws IOException {
        page = page(false);
        assertThat(entries.recorded(KEY, STAMP_MICROS - 1)).isEmpty();
        page = page(true);
        assertThat(entries.recorded(KEY, STAMP_MICROS)).isEmpty();
    }
}
