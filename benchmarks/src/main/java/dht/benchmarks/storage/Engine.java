package dht.benchmarks.storage;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A storage engine, as far as it is measured: every one keeps a log and syncs nothing on a write.
 * Thread-safe.
 */
public interface Engine extends AutoCloseable {
    void put(byte[] key, byte[] value) throws IOException;

    /** A copy of the value, or null. */
    byte[] get(byte[] key) throws IOException;

    /**
     * Reads up to {@code countMax} entries from a key on, and answers how many bytes of values
     * there were.
     */
    long range(byte[] from, int countMax) throws IOException;

    /** Moves all to disk in its most compact form. */
    void settle() throws IOException;

    @Override
    void close() throws IOException;

    /** The engines, by the names that results bear. */
    enum Kind {
        workbook,
        rocksdb,
        mvstore;

        Engine open(Path directory) throws IOException {
            return switch (this) {
                case workbook -> new WorkbookEngine(directory);
                case rocksdb -> new RocksEngine(directory);
                case mvstore -> new MvStoreEngine(directory);
            };
        }
    }
}
