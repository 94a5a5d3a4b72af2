package dht.storage.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** The id that the operating system gives to each boot of the machine. */
final class BootId {
    private static final Path LINUX = Path.of("/proc/sys/kernel/random/boot_id");

    /**
     * Where the system tells none, each process counts as a boot of its own. Then a restart trusts
     * of a log only what was synced to be whole, and takes what is damaged beyond for a torn tail.
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
