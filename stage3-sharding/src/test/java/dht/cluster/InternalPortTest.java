package dht.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InternalPortTest {
    private static final NodeAddress NODE = new NodeAddress("a", 8080);

    @ParameterizedTest
    @CsvSource({"9090, 9090", "+1000, 9080", "1, 1", "+57455, 65535", "65535, 65535"})
    void port_ofANode_isThatOrSoFarAbove(String text, int port) {
        assertThat(InternalPort.parse(text).of(NODE)).isEqualTo(new NodeAddress("a", port));
    }

    @Test
    void port_thatIsShared_isTheOneOfTheUrl() {
        assertThat(InternalPort.SHARED.of(NODE)).isEqualTo(NODE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "+", "0", "+0", "-1", "+-1", "65536", "+65536", "many", "90.5"})
    void parse_ofWhatIsNoPort_saysSo(String text) {
        assertThatThrownBy(() -> InternalPort.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--internal-port=" + text + ": must be a port");
    }

    @Test
    void port_ofClients_isRefused() {
        assertThatThrownBy(() -> InternalPort.parse("8080").of(NODE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("clients use this port");
    }

    @Test
    void distance_beyondAllPorts_isRefused() {
        assertThatThrownBy(() -> InternalPort.parse("+57456").of(NODE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("port=8080 plus this is more than 65535");
    }
}
