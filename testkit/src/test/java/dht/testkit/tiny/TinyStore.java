package dht.testkit.tiny;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Keeps all entries in memory, and logs every write. At the start, it reads the entries from the
 * log. Thread-safe.
 */
class TinyStore {
    private static final int DELETED = -1;
    static final Comparator<String> BY_BYTES =
            Comparator.comparing(
                    key -> key.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    // Guarded by this.
    private final NavigableMap<String, byte[]> entries = new TreeMap<>(BY_BYTES);
    private final FileChannel lock;
    private final FileChannel log;

    TinyStore(Path directory) throws IOException {
        Files.createDirectories(directory);
        lock =
                FileChannel.open(
                        directory.resolve("lock"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
        claim(lock, directory);
        var file = directory.resolve("log");
        if (Files.exists(file)) {
            replay(file);
        }
        log = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Fails if another server uses the directory. */
    void claim(FileChannel lock, Path directory) throws IOException {
        try {
            if (lock.tryLock() != null) {
                return;
            }
        } catch (OverlappingFileLockException _) {
            // A server in this JVM has locked it.
        }
        lock.close();
        throw new IOException("dataDir=%s is in use".formatted(directory));
    }

    private void replay(Path file) throws IOException {
        try (var in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            while (in.available() > 0) {
                var key = new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
                var size = in.readInt();
                if (size == DELETED) {
                    entries.remove(key);
                } else {
                    entries.put(key, in.readNBytes(size));
                }
            }
        }
    }

    synchronized Optional<byte[]> get(String key) {
        return Optional.ofNullable(entries.get(key));
    }

    synchronized void put(String key, byte[] value) throws IOException {
        append(record(key, value)); // First: where there is no room, nothing has happened.
        entries.put(key, value);
    }

    void delete(String key) throws IOException {
        delete(key, true);
    }

    final synchronized void delete(String key, boolean logged) throws IOException {
        entries.remove(key);
        if (logged) {
            append(record(key, null));
        }
    }

    /** The entries as they are now. */
    synchronized NavigableMap<String, byte[]> range(String start, Optional<String> end) {
        if (end.isPresent() && BY_BYTES.compare(start, end.get()) >= 0) {
            return new TreeMap<>(BY_BYTES);
        }
        return new TreeMap<>(
                end.isPresent() ? entries.subMap(start, end.get()) : entries.tailMap(start));
    }

    void append(byte[] record) throws IOException {
        var bytes = ByteBuffer.wrap(record);
        var end = log.size();
        try {
            while (bytes.hasRemaining()) {
                log.write(bytes);
            }
        } catch (IOException full) {
            log.truncate(end);
            throw full;
        }
    }

    private static byte[] record(String key, byte[] value) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        var keyBytes = key.getBytes(StandardCharsets.UTF_8);
        out.writeInt(keyBytes.length);
        out.write(keyBytes);
        out.writeInt(value == null ? DELETED : value.length);
        if (value != null) {
            out.write(value);
        }
        return bytes.toByteArray();
    }

    synchronized void close() throws IOException {
        log.close();
        lock.close();
    }

    /** Ends without writing anything more, as a killed process does. */
    void kill() throws IOException {
        close();
    }
}
