package dht.benchmarks.storage;

import java.io.IOException;
import java.nio.file.Path;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * RocksDB with its log on, no sync on a write, and what makes it comparable: the same memtable and
 * block sizes and filter, no compression, and a block cache that holds all of the data, as the page
 * cache does for the other engines.
 */
final class RocksEngine implements Engine {
    private static final long CACHE_BYTES = 1 << 30;

    static {
        RocksDB.loadLibrary();
    }

    private final LRUCache cache = new LRUCache(CACHE_BYTES);
    private final BloomFilter filter = new BloomFilter(10);
    private final Options options;
    private final RocksDB db;

    RocksEngine(Path directory) throws IOException {
        BlockBasedTableConfig tables =
                new BlockBasedTableConfig()
                        .setBlockSize(4096)
                        .setBlockCache(cache)
                        .setFilterPolicy(filter);
        this.options =
                new Options()
                        .setCreateIfMissing(true)
                        .setWriteBufferSize(64 << 20)
                        .setCompressionType(CompressionType.NO_COMPRESSION)
                        .setTableFormatConfig(tables);
        try {
            this.db = RocksDB.open(options, directory.toString());
        } catch (RocksDBException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void put(byte[] key, byte[] value) throws IOException {
        try {
            db.put(key, value);
        } catch (RocksDBException e) {
            throw new IOException(e);
        }
    }

    @Override
    public byte[] get(byte[] key) throws IOException {
        try {
            return db.get(key);
        } catch (RocksDBException e) {
            throw new IOException(e);
        }
    }

    @Override
    public long range(byte[] from, int countMax) {
        long bytes = 0;
        try (RocksIterator entries = db.newIterator()) {
            int count = 0;
            for (entries.seek(from); count < countMax && entries.isValid(); entries.next()) {
                bytes += entries.value().length;
                count++;
            }
        }
        return bytes;
    }

    @Override
    public void settle() throws IOException {
        try (FlushOptions flush = new FlushOptions()) {
            db.flush(flush);
            db.compactRange();
        } catch (RocksDBException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void close() {
        db.close();
        options.close();
        filter.close();
        cache.close();
    }
}
