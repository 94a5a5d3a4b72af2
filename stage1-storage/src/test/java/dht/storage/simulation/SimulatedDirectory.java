package dht.storage.simulation;

import dht.storage.file.FileWriter;
import dht.storage.file.MappedFile;
import dht.storage.file.StorageDirectory;
import dht.storage.file.WritableMapping;
import dht.storage.simulation.Operation.Kind;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.UUID;

/** The directory of a simulated disk. */
final class SimulatedDirectory implements StorageDirectory {
    private static final long FIRST_CAPACITY_BYTES = 1 << 16;

    private final SimulatedDisk disk;

    SimulatedDirectory(SimulatedDisk disk) {
        this.disk = disk;
    }

    @Override
    public List<String> list() throws IOException {
        return disk.perform(Kind.LIST, "", disk::names);
    }

    @Override
    public FileWriter create(String name) throws IOException {
        SimulatedFile file =
                disk.perform(Kind.CREATE, name, () -> disk.newFile(name, FIRST_CAPACITY_BYTES));
        return new Writer(name, file);
    }

    @Override
    public MappedFile map(String name) throws IOException {
        MemorySegment content = disk.perform(Kind.MAP, name, () -> disk.file(name).content());
        return new Mapping(content.asReadOnly());
    }

    @Override
    public WritableMapping createMapped(String name, long capacityBytes) throws IOException {
        SimulatedFile file =
                disk.perform(Kind.CREATE_MAPPED, name, () -> disk.newFile(name, capacityBytes));
        return new WritableFile(name, file);
    }

    @Override
    public WritableMapping createUnnamed(long capacityBytes) {
        return new UnnamedMemory(disk.newMemory(capacityBytes));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        disk.perform(
                Kind.RENAME,
                to,
                () -> {
                    disk.change(new NameChange<>(from, to, disk.file(from)));
                    return null;
                });
    }

    @Override
    public void delete(String name) throws IOException {
        disk.perform(
                Kind.DELETE,
                name,
                () -> {
                    disk.change(new NameChange<>(name, null, null));
                    return null;
                });
    }

    @Override
    public void sync(String name) throws IOException {
        disk.perform(
                Kind.SYNC_FILE,
                name,
                () -> {
                    disk.file(name).syncAll();
                    return null;
                });
    }

    @Override
    public void sync() throws IOException {
        disk.perform(
                Kind.SYNC_NAMES,
                "",
                () -> {
                    disk.syncNames();
                    return null;
                });
    }

    @Override
    public UUID bootId() {
        return disk.bootId();
    }

    @Override
    public long usableBytes() {
        return disk.freeBytes();
    }

    @Override
    public String toString() {
        return "simulated disk";
    }

    @Override
    public void close() {}

    private final class Writer implements FileWriter {
        private final String name;
        private final SimulatedFile file;
        private boolean closed;

        Writer(String name, SimulatedFile file) {
            this.name = name;
            this.file = file;
            disk.opened();
        }

        @Override
        public void write(MemorySegment bytes) throws IOException {
            disk.perform(
                    Kind.WRITE,
                    name,
                    () -> {
                        file.append(bytes, disk.freeBytes());
                        return null;
                    });
        }

        @Override
        public void sync() throws IOException {
            disk.perform(
                    Kind.SYNC_FILE,
                    name,
                    () -> {
                        file.syncAll();
                        return null;
                    });
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                disk.closed();
            }
        }
    }

    /** A view with a life of its own, so that use after close is found out. */
    private class Mapping implements MappedFile {
        private final Arena arena = Arena.ofShared();
        private final MemorySegment view;

        Mapping(MemorySegment content) {
            this.view = content.reinterpret(arena, null);
            disk.opened();
        }

        @Override
        public MemorySegment memory() {
            return view;
        }

        @Override
        public void close() {
            arena.close();
            disk.closed();
        }
    }

    private final class UnnamedMemory extends Mapping implements WritableMapping {
        UnnamedMemory(MemorySegment memory) {
            super(memory);
        }

        @Override
        public void reserve(long upToBytes) {}

        @Override
        public void force(long lengthBytes) {}
    }

    private final class WritableFile extends Mapping implements WritableMapping {
        private final String name;
        private final SimulatedFile file;

        WritableFile(String name, SimulatedFile file) {
            super(file.capacity());
            this.name = name;
            this.file = file;
        }

        @Override
        public void reserve(long upToBytes) throws IOException {
            disk.perform(
                    Kind.RESERVE,
                    name,
                    () -> {
                        file.reserve(upToBytes, disk.freeBytes());
                        return null;
                    });
        }

        @Override
        public void force(long lengthBytes) throws IOException {
            disk.perform(
                    Kind.FORCE,
                    name,
                    () -> {
                        file.syncUpTo(lengthBytes);
                        return null;
                    });
        }
    }
}
