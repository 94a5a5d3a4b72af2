package dht.testkit.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.testkit.concurrent.ClientThreads;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.Test;

class PortsTest {
    @Test
    void lease_whileOthersLease_isNeverTheSame() {
        var ports = new ConcurrentSkipListSet<Integer>();
        ClientThreads.run(
                8,
                Duration.ofSeconds(30),
                _ -> {
                    for (var i = 0; i < 20; i++) {
                        // Not closed here, so no port is leased twice.
                        assertThat(ports.add(Ports.lease().port())).isTrue();
                    }
                });
        assertThat(ports).hasSize(160).allMatch(port -> port >= Ports.FIRST && port < Ports.LAST);
    }

    @Test
    void lease_whileItLasts_leavesThePortFreeAndItsGuardBound() throws Exception {
        try (var lease = Ports.lease()) {
            bind(lease.port()).close();
            assertThatThrownBy(() -> bind(lease.port() + 1)).isInstanceOf(BindException.class);
        }
    }

    @Test
    void lease_afterItsEnd_frees() throws Exception {
        var lease = Ports.lease();
        lease.close();
        bind(lease.port()).close();
        bind(lease.port() + 1).close();
    }

    @Test
    void lease_wherePortOrGuardIsTaken_skipsThePair() throws Exception {
        var isChecked = false;
        // Other tests lease ports, too, and may have one of these two.
        for (var i = 0; i < 100 && !isChecked; i++) {
            try (var first = Ports.lease();
                    var port = bind(first.port() + 2);
                    var guard = bind(first.port() + 5);
                    var next = Ports.lease()) {
                assertThat(next.port()).isNotIn(port.getLocalPort(), guard.getLocalPort() - 1);
                isChecked = true;
            } catch (BindException _) {
                continue;
            }
        }
        assertThat(isChecked).isTrue();
    }

    private static ServerSocket bind(int port) throws Exception {
        return new ServerSocket(port, 1, InetAddress.ofLiteral(NodeSpec.HOST));
    }
}
