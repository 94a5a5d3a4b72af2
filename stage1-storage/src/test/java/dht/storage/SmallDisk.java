package dht.storage;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** A small file system in memory that can be filled to the last byte. Closing it removes it. */
public record SmallDisk(Path path) implements AutoCloseable {
    private static final String FILLER = "filler";

    /** Mounts one on a new directory; where that is not allowed, the test is skipped. */
    public static SmallDisk mount(Path path, long bytes) throws Exception {
        Path mountPoint = Files.createDirectories(path).toRealPath();
        String failure = run("mount", "-t", "tmpfs", "-o", "size=" + bytes, "tmpfs", mountPoint);
        Assumptions.assumeTrue(failure.isEmpty(), () -> "cannot mount a small disk: " + failure);
        return new SmallDisk(mountPoint);
    }

    public void makeReadOnly() throws Exception {
        String failure = run("mount", "-o", "remount,ro", path);
        Assumptions.assumeTrue(failure.isEmpty(), () -> "cannot mount read-only: " + failure);
    }

    /** Takes a part of it. */
    public void fill(int bytes) throws IOException {
        Files.write(path.resolve(FILLER), new byte[bytes]);
    }

    /** Takes all that is left of it. */
    public void fill() throws IOException {
        try (OutputStream filler = Files.newOutputStream(path.resolve(FILLER))) {
            while (true) {
                filler.write(new byte[4096]);
            }
        } catch (IOException e) {
            if (!e.getMessage().contains("No space left")) {
                throw e;
            }
        }
    }

    /** Gives back what was taken. */
    public void makeRoom() throws IOException {
        Files.delete(path.resolve(FILLER));
    }

    /** Answers what went wrong, or nothing. */
    private static String run(Object... command) throws IOException, InterruptedException {
        String[] words = new String[command.length];
        for (int i = 0; i < words.length; i++) {
            words[i] = command[i].toString();
        }
        try {
            Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
            String printed =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? "" : "failed: " + printed.strip();
        } catch (IOException e) {
            return e.getMessage(); // There is no such command.
        }
    }

    /** Unmounts it, whoever still uses it. */
    @Override
    public void close() throws Exception {
        String failure = run("umount", "-l", path);
        if (!failure.isEmpty()) {
            throw new IOException("cannot unmount path=" + path + ": " + failure);
        }
    }
}
