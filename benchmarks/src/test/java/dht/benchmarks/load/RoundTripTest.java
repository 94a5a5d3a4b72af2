package dht.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RoundTripTest {
    private static final int DELAY_MILLIS = 20;

    @Test
    void roundTrip_ofASlowServer_isItsDelay() throws Exception {
        StubServer.Answer slow =
                (_, _) -> {
                    Thread.sleep(DELAY_MILLIS);
                    return StubServer.OK;
                };
        try (StubServer server = new StubServer(slow)) {
            assertThat(RoundTrip.medianMicros(server.url())).isGreaterThanOrEqualTo(20_000);
            assertThat(server.received())
                    .hasSizeGreaterThanOrEqualTo(7)
                    .hasSizeLessThan(30)
                    .allMatch(each -> each.connection() == 0)
                    .allMatch(each -> each.line().equals("GET /v0/status"));
        }
    }

    @Test
    void roundTrip_ofWhatIsNoServerOfOurs_isAnError() throws Exception {
        try (StubServer other =
                new StubServer((_, _) -> "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")) {
            assertThatThrownBy(() -> RoundTrip.medianMicros(other.url()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("404");
        }
        try (StubServer silent = new StubServer((_, _) -> null)) {
            assertThatThrownBy(() -> RoundTrip.medianMicros(silent.url()))
                    .isInstanceOf(EOFException.class);
        }
    }

    /** It is sent alone: a nested class would be missing there. */
    @Test
    void roundTrip_hasNoOtherClass() {
        assertThat(Stream.of(RoundTrip.class.getDeclaredClasses())).isEmpty();
    }
}
