package dht.storage.simulation;

import dht.storage.file.FileWriter;
import dht.storage.file.MappedFile;
import dht.storage.file.StorageDirectory;
import dht.storage.file.WritableMapping;
import dht.storage.simulation.Operation.Kind;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.UUID;

/** Wraps a directory, and calls a hook before and after each operation. */
public class HookedDirectory implements StorageDirectory {
    private final StorageDirectory directory;
    private final Hook hook;

    /**
     * @param directory is closed together with this one
     */
    public HookedDirectory(StorageDirectory directory, Hook hook) {
        this.directory = directory;
        this.hook = hook;
    }

    private interface Action<T> {
        T run() throws IOException;
    }

    private <T> T hooked(Kind kind, String name, Action<T> action) throws IOException {
        Operation operation = new Operation(kind, name);
        hook.before(operation);
        T result = action.run();
        hook.after(operation);
        return result;
    }

    private interface Step {
        void run() throws IOException;
    }

    private void hookedStep(Kind kind, String name, Step step) throws IOException {
        Operation operation = new Operation(kind, name);
        hook.before(operation);
        step.run();
        hook.after(operation);
    }

    @Override
    public List<String> list() throws IOException {
        return hooked(Kind.LIST, "", directory::list);
    }

    @Override
    public FileWriter create(String name) throws IOException {
        FileWriter writer = hooked(Kind.CREATE, name, () -> directory.create(name));
        return new FileWriter() {
            @Override
            public void write(MemorySegment bytes) throws IOException {
                hookedStep(Kind.WRITE, name, () -> writer.write(bytes));
            }

            @Override
            public void sync() throws IOException {
                hookedStep(Kind.SYNC_FILE, name, writer::sync);
            }

            @Override
            public void close() throws IOException {
                writer.close();
            }
        };
    }

    @Override
    public MappedFile map(String name) throws IOException {
        return hooked(Kind.MAP, name, () -> directory.map(name));
    }

    @Override
    public WritableMapping createMapped(String name, long capacityBytes) throws IOException {
        WritableMapping mapping =
                hooked(Kind.CREATE_MAPPED, name, () -> directory.createMapped(name, capacityBytes));
        return new WritableMapping() {
            @Override
            public MemorySegment memory() {
                return mapping.memory();
            }

            @Override
            public void reserve(long upToBytes) throws IOException {
                hookedStep(Kind.RESERVE, name, () -> mapping.reserve(upToBytes));
            }

            @Override
            public void force(long lengthBytes) throws IOException {
                hookedStep(Kind.FORCE, name, () -> mapping.force(lengthBytes));
            }

            @Override
            public void close() {
                mapping.close();
            }
        };
    }

    @Override
    public WritableMapping createUnnamed(long capacityBytes) {
        return directory.createUnnamed(capacityBytes);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        hookedStep(Kind.RENAME, to, () -> directory.rename(from, to));
    }

    @Override
    public void delete(String name) throws IOException {
        hookedStep(Kind.DELETE, name, () -> directory.delete(name));
    }

    @Override
    public void sync(String name) throws IOException {
        hookedStep(Kind.SYNC_FILE, name, () -> directory.sync(name));
    }

    @Override
    public void sync() throws IOException {
        hookedStep(Kind.SYNC_NAMES, "", directory::sync);
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
