package dht.benchmarks.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;

/**
 * H2's MVStore, a log-structured B-tree in pure Java, with a cache that holds all of the data. It
 * keeps no log of single writes: what was written in the last second is lost when the process is
 * killed.
 */
final class MvStoreEngine implements Engine {
    private static final int CACHE_MEGABYTES = 1024;

    private final MVStore store;
    private final MVMap<byte[], byte[]> map;

    MvStoreEngine(Path directory) throws IOException {
        Files.createDirectories(directory);
        this.store =
                new MVStore.Builder()
                        .fileName(directory.resolve("store.mv").toString())
                        .cacheSize(CACHE_MEGABYTES)
                        .open();
        this.map =
                store.openMap(
                        "entries",
                        new MVMap.Builder<byte[], byte[]>()
                                .keyType(new Bytes())
                                .valueType(new Bytes()));
    }

    @Override
    public void put(byte[] key, byte[] value) {
        map.put(key, value);
    }

    @Override
    public byte[] get(byte[] key) {
        return map.get(key);
    }

    @Override
    public long range(byte[] from, int countMax) {
        long bytes = 0;
        int count = 0;
        Cursor<byte[], byte[]> entries = map.cursor(from);
        while (count < countMax && entries.hasNext()) {
            entries.next();
            bytes += entries.getValue().length;
            count++;
        }
        return bytes;
    }

    @Override
    public void settle() {
        store.commit();
        store.compactFile(10_000);
    }

    @Override
    public void close() {
        store.close();
    }

    /** Byte strings in the order of unsigned bytes. */
    private static final class Bytes extends BasicDataType<byte[]> {
        @Override
        public int compare(byte[] a, byte[] b) {
            return Arrays.compareUnsigned(a, b);
        }

        @Override
        public int getMemory(byte[] bytes) {
            return bytes.length + 24;
        }

        @Override
        public void write(WriteBuffer target, byte[] bytes) {
            target.putVarInt(bytes.length).put(bytes);
        }

        @Override
        public byte[] read(ByteBuffer source) {
            byte[] bytes = new byte[DataUtils.readVarInt(source)];
            source.get(bytes);
            return bytes;
        }

        @Override
        public byte[][] createStorage(int size) {
            return new byte[size][];
        }
    }
}
