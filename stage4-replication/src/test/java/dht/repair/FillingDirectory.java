package dht.repair;

import dht.storage.file.FileWriter;
import dht.storage.file.MappedFile;
import dht.storage.file.StorageDirectory;
import dht.storage.file.WritableMapping;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.UUID;

/** A directory on a disk that a test fills. */
final class FillingDirectory implements StorageDirectory {
    private final StorageDirectory directory;
    private boolean isFull;
    private boolean isFixed;
    private boolean isUnsyncable;

    FillingDirectory(StorageDirectory directory) {
        this.directory = directory;
    }

    void full(boolean full) {
        isFull = full;
    }

    /** Has no file renamed or deleted. */
    void fixed(boolean fixed) {
        isFixed = fixed;
    }

    /** Has no mapped file synced. */
    void unsyncable(boolean unsyncable) {
        isUnsyncable = unsyncable;
    }

    private void checkNotFixed() throws IOException {
        if (isFixed) {
            throw new IOException("Input/output error");
        }
    }

    @Override
    public WritableMapping createMapped(String name, long capacityBytes) throws IOException {
        if (isFull) {
            throw new IOException("No space left on device");
        }
        WritableMapping mapping = directory.createMapped(name, capacityBytes);
        return isUnsyncable ? new Unsyncable(mapping) : mapping;
    }

    private record Unsyncable(WritableMapping mapping) implements WritableMapping {
        @Override
        public MemorySegment memory() {
            return mapping.memory();
        }

        @Override
        public void reserve(long upToBytes) throws IOException {
            mapping.reserve(upToBytes);
        }

        @Override
        public void force(long lengthBytes) throws IOException {
            throw new IOException("Input/output error");
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
        if (isFull) {
            throw new IOException("No space left on device");
        }
        return directory.create(name);
    }

    @Override
    public MappedFile map(String name) throws IOException {
        return directory.map(name);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        checkNotFixed();
        directory.rename(from, to);
    }

    @Override
    public void delete(String name) throws IOException {
        checkNotFixed();
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
