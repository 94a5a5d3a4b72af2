package dht.testkit.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class HeldCallsTest {
    private interface Disk {
        File open();

        String name();
    }

    private interface File {
        String sync() throws IOException;
    }

    private final HeldCalls syncs = new HeldCalls("sync");
    private final Disk disk = diskOf(() -> "synced");

    private Disk diskOf(File file) {
        var unheld =
                new Disk() {
                    @Override
                    public File open() {
                        return file;
                    }

                    @Override
                    public String name() {
                        return "disk";
                    }
                };
        return syncs.of(Disk.class, unheld, File.class);
    }

    @Test
    void call_atFirst_isNotHeldBack() throws IOException {
        assertThat(disk.open().sync()).isEqualTo("synced");
    }

    @Test
    void call_ofTheMethod_waitsUntilItIsReleased() throws Exception {
        syncs.hold();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var sync = CompletableFuture.supplyAsync(this::sync, threads);
            assertThat(disk.name()).isEqualTo("disk"); // Other methods are not held back.
            assertThatThrownBy(() -> sync.get(50, TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
            syncs.release();
            assertThat(sync.get()).isEqualTo("synced");
        }
    }

    private String sync() {
        try {
            return disk.open().sync();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void call_thatFails_throwsWhatTheObjectThrows() {
        File broken =
                () -> {
                    throw new IOException("injected");
                };
        assertThatThrownBy(() -> diskOf(broken).open().sync())
                .isInstanceOf(IOException.class)
                .hasMessage("injected");
    }
}
