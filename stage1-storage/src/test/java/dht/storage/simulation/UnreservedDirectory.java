package dht.storage.simulation;

import dht.storage.file.FileWriter;
import dht.storage.file.MappedFile;
import dht.storage.file.StorageDirectory;
import dht.storage.file.WritableMapping;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.UUID;
import java.util.function.LongPredicate;

/**
 * Wraps a directory. From time to time, its mappings say that they have reserved disk space
 * although they have not.
 *
 * @param lies is told up to which byte a mapping must reserve space; if it answers true, nothing is
 *     reserved. Thread-safe
 */
public record UnreservedDirectory(StorageDirectory directory, LongPredicate lies)
        implements StorageDirectory {
    @Override
    public WritableMapping createMapped(String name, long capacityBytes) throws IOException {
        return new Mapping(directory.createMapped(name, capacityBytes), lies);
    }

    private record Mapping(WritableMapping mapping, LongPredicate lies) implements WritableMapping {
        @Override
        public void reserve(long upToBytes) throws IOException {
            if (!lies.test(upToBytes)) {
                mapping.reserve(upToBytes);
            }
        }

        @Override
        public MemorySegment memory() {
            return mapping.memory();
        }

        @Override
        public void force(long lengthBytes) throws IOException {
            mapping.force(lengthBytes);
        }

        @Override
        public void close() {
            mapping.close();
        }
    }

    @Override
    public List<String> list() throws IOException {
        return directory.list();
    }

    @Override
    public FileWriter create(String name) throws IOException {
        return directory.create(name);
    }

    @Override
    public MappedFile map(String name) throws IOException {
        return directory.map(name);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        directory.rename(from, to);
    }

    @Override
    public void delete(String name) throws IOException {
        directory.delete(name);
    }

    @Override
    public void sync(String name) throws IOException {
        directory.sync(name);
    }

    @Override
    public void sync() throws IOException {
        directory.sync();
    }

    @Override
    public UUID bootId() {
        return directory.bootId();
    }

    @Override
    public long usableBytes() throws IOException {
        return directory.usableBytes();
    }

    @Override
    public String toString() {
        return directory.toString();
    }

    @Override
    public void close() {
        directory.close();
    }
}
