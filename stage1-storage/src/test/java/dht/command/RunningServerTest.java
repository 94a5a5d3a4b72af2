package dht.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import one.nio.net.SelectableJavaSocket;
import one.nio.net.Socket;
import org.junit.jupiter.api.Test;

class RunningServerTest {
    /** Where one-nio's native library can be loaded, only the property keeps it from being used. */
    @Test
    void socketsOfAServer_areThoseOfJava() throws IOException {
        AtomicReference<String> property = new AtomicReference<>();
        RunningServer.Wiring wiring =
                resources -> {
                    property.set(System.getProperty("one.nio.net.force.java.socket"));
                    return "http://127.0.0.1:1";
                };
        try (RunningServer server = RunningServer.start(wiring);
                Socket socket = Socket.create()) {
            assertThat(server.url()).isNotEmpty();
            assertThat(property).hasValue("true");
            assertThat(socket).isInstanceOf(SelectableJavaSocket.class);
        }
    }
}
