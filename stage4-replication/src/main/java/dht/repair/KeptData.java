package dht.repair;

import dht.storage.file.LocalDirectory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.stream.Stream;

/**
 * Moves data that is too old into a directory of its own, so that the node begins with empty
 * storage. The old data is not deleted, because it may contain acknowledged writes that no other
 * node has. Stateless; must be called by one thread at a time.
 */
final class KeptData {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    private KeptData() {}

    /** The name of the directory, which contains the time. */
    static String name(Instant now) {
        return "kept-" + TIME.format(now);
    }

    /**
     * Moves all files of the storage. If it is interrupted, it must be called again with the same
     * name, before the storage is opened.
     *
     * @param data the data directory, which no storage has open
     * @return the directory with the old data
     */
    static Path move(Path data, String name) throws IOException {
        Path kept = data.resolve(name);
        try (LocalDirectory locked = LocalDirectory.open(data)) {
            Files.createDirectories(kept);
            for (Path file : files(data)) {
                Files.move(file, kept.resolve(file.getFileName()), StandardCopyOption.ATOMIC_MOVE);
            }
            sync(kept);
            locked.sync();
        }
        return kept;
    }

    private static List<Path> files(Path data) throws IOException {
        try (Stream<Path> files = Files.list(data)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> !file.getFileName().toString().startsWith("LOCK"))
                    .toList();
        }
    }

    private static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
