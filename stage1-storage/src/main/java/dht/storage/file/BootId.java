package dht.storage.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** The id of the current boot of the machine, which the operating system provides. Stateless. */
final class BootId {
    private static final Path LINUX = Path.of("/proc/sys/kernel/random/boot_id");

    /**
     * The id. If the system provides none, each process has its own id. Then a restart expects only
     * the synced part of a log to be complete, and treats damage after it as a torn tail.
     */
    static final UUID CURRENT = read();

    private BootId() {}

    private static UUID read() {
        try {
            return Files.exists(LINUX)
                    ? UUID.fromString(Files.readString(LINUX).strip())
                    : readFromMacOs();
        } catch (IOException | IllegalArgumentException e) {
            return UUID.randomUUID();
        }
    }

    private static UUID readFromMacOs() throws IOException {
        Process sysctl = new ProcessBuilder("sysctl", "-n", "kern.bootsessionuuid").start();
        try (var output = sysctl.getInputStream()) {
            return UUID.fromString(
                    new String(output.readAllBytes(), StandardCharsets.US_ASCII).strip());
        }
    }
}
