package dht.storage.file;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dht.storage.memory.MappedMemory;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * A directory of the local file system. While it is open, it is locked against all other processes,
 * unless it was opened for reading only. As thread-safe as {@link StorageDirectory} says.
 */
public final class LocalDirectory implements StorageDirectory {
    /** Contains the id of the process that has the directory open. */
    static final String LOCK_FILE = "LOCK";

    /**
     * An empty file that is locked together with {@link #LOCK_FILE}. So another process notices
     * that the directory is in use, even if that file was deleted.
     */
    static final String SPARE_LOCK_FILE = "LOCK.spare";

    private static final Set<String> LOCK_FILES = Set.of(LOCK_FILE, SPARE_LOCK_FILE);

    /**
     * The real paths of all directories that this process has open and locked. A file lock is not
     * enough: it belongs to the process, and ends when the process closes any channel of the file,
     * even one that did not get the lock.
     */
    private static final Set<Path> OPEN_HERE = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final FileChannel lockChannel; // Null if opened for reading only.
    private final FileChannel spareLockChannel; // Null if opened for reading only.
    // Identifies the lock file, even if another file gets its name. Null if opened for reading
    // only, or if the file system has no such keys.
    private final Object lockKey;

    private LocalDirectory(
            Path path, FileChannel lockChannel, FileChannel spareLockChannel, Object lockKey) {
        this.path = path;
        this.lockChannel = lockChannel;
        this.spareLockChannel = spareLockChannel;
        this.lockKey = lockKey;
    }

    /**
     * Creates the directory if it does not exist, so that it is still there after a power failure.
     * Then locks it.
     *
     * @throws DirectoryLockedException if another process, or another engine of this one, has it
     *     open
     * @throws IOException if it cannot be created, or cannot be written to
     */
    public static LocalDirectory open(Path path) throws IOException {
        try {
            return makeAndLock(path);
        } catch (FileAlreadyExistsException e) {
            throw unusable(path, "there is a file in its place: file=" + e.getFile(), e);
        } catch (AccessDeniedException e) {
            throw unusable(path, "permission denied: file=" + e.getFile(), e);
        } catch (FileSystemException e) {
            throw unusable(path, e.getMessage(), e);
        }
    }

    private static IOException unusable(Path path, String reason, IOException cause) {
        return new IOException(
                "cannot use data directory: path="
                        + path
                        + ": "
                        + reason
                        + ": it must be a directory that user="
                        + System.getProperty("user.name")
                        + " can write to",
                cause);
    }

    private static LocalDirectory makeAndLock(Path path) throws IOException {
        make(path.toAbsolutePath(), LocalDirectory::syncNames);
        Path realPath = path.toRealPath();
        if (!OPEN_HERE.add(realPath)) {
            throw new DirectoryLockedException(realPath, ownPid());
        }
        boolean isOpen = false;
        try {
            LocalDirectory directory = lock(realPath);
            isOpen = true;
            return directory;
        } finally {
            if (!isOpen) {
                OPEN_HERE.remove(realPath);
            }
        }
    }

    /** Makes the names in a directory durable. */
    @FunctionalInterface
    interface NameSync {
        void sync(Path directory) throws IOException;
    }

    /**
     * Creates a directory, and the directories above it, if they do not exist. If a name cannot be
     * made durable, its directory is deleted again: otherwise the next start would take it for
     * durable.
     *
     * @param path absolute
     */
    static void make(Path path, NameSync names) throws IOException {
        if (Files.isDirectory(path)) {
            return;
        }
        Path parent = path.getParent();
        if (parent == null) {
            throw new NoSuchFileException(path.toString());
        }
        make(parent, names);
        try {
            Files.createDirectory(path);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(path)) {
                throw e;
            }
            names.sync(parent); // Another process has just created the directory.
            return;
        }
        boolean isDurable = false;
        try {
            names.sync(parent);
            isDurable = true;
        } finally {
            if (!isDurable) {
                Files.delete(path);
            }
        }
    }

    private static void syncNames(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, READ)) {
            channel.force(true);
        }
    }

    /**
     * Opens a directory for reading only. It is not locked, so another process may have it open and
     * change it.
     *
     * @throws IOException if there is no such directory
     */
    public static LocalDirectory openForReading(Path path) throws IOException {
        Path realPath = path.toRealPath();
        if (!Files.isDirectory(realPath)) {
            throw new IOException("not a data directory: path=" + realPath + ": it is a file");
        }
        return new LocalDirectory(realPath, null, null, null);
    }

    private static LocalDirectory lock(Path path) throws IOException {
        Path lockFile = path.resolve(LOCK_FILE);
        FileChannel channel = FileChannel.open(lockFile, CREATE, READ, WRITE);
        FileChannel spare = null;
        boolean isLocked = false;
        try {
            if (channel.tryLock() == null) {
                throw new DirectoryLockedException(path, readOwner(channel));
            }
            checkNoneIsLocked(path);
            spare = FileChannel.open(path.resolve(SPARE_LOCK_FILE), CREATE, WRITE);
            if (spare.tryLock() == null) {
                throw new DirectoryLockedException(path, path.resolve(SPARE_LOCK_FILE));
            }
            writeOwner(channel);
            LocalDirectory directory = new LocalDirectory(path, channel, spare, key(lockFile));
            isLocked = true;
            return directory;
        } finally {
            if (!isLocked) {
                close(channel, spare);
            }
        }
    }

    private static void close(FileChannel channel, FileChannel spare) throws IOException {
        try (channel;
                spare) {
            // The spare channel is closed even if this one cannot be.
        }
    }

    /**
     * Checks that no file except the lock file is locked. An engine locks each log that it writes,
     * too. So another process notices that the directory is in use, even if both lock files were
     * deleted.
     */
    private static void checkNoneIsLocked(Path path) throws IOException {
        try (Stream<Path> files = Files.list(path)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                boolean isOther = !file.getFileName().toString().equals(LOCK_FILE);
                if (isOther && Files.isRegularFile(file) && Files.isReadable(file)) {
                    checkNotLocked(path, file);
                }
            }
        }
    }

    private static void checkNotLocked(Path path, Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, READ);
                FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
            if (lock == null) {
                throw new DirectoryLockedException(path, file);
            }
        }
    }

    /**
     * Identifies a file, even if another file gets its name. Returns null if there is no such file,
     * or if the file system has no such keys.
     */
    private static Object key(Path file) throws IOException {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /**
     * Called before each creation, renaming or deletion of a file.
     *
     * @throws IOException if the lock file was deleted or replaced: then another process may use
     *     the directory
     */
    private void checkStillLocked() throws IOException {
        Path lockFile = path.resolve(LOCK_FILE);
        if (lockKey != null && !lockKey.equals(key(lockFile))) {
            throw new IOException(
                    "lock file was deleted or replaced: file="
                            + lockFile
                            + ": another process may use this data directory: stop all that do, then"
                            + " start one");
        }
    }

    /**
     * Overwrites the file without truncating it first: truncating could free its block, and on a
     * full disk another file could take it.
     */
    private static void writeOwner(FileChannel channel) throws IOException {
        byte[] pid = ownPid().getBytes(StandardCharsets.US_ASCII);
        channel.write(ByteBuffer.wrap(pid), 0);
        channel.truncate(pid.length);
    }

    private static String readOwner(FileChannel channel) throws IOException {
        ByteBuffer owner = ByteBuffer.allocate(Long.BYTES * 3);
        channel.read(owner, 0);
        return new String(owner.array(), 0, owner.position(), StandardCharsets.US_ASCII);
    }

    private static String ownPid() {
        return Long.toString(ProcessHandle.current().pid());
    }

    @Override
    public List<String> list() throws IOException {
        try (Stream<Path> files = Files.list(path)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !LOCK_FILES.contains(name))
                    .toList();
        }
    }

    @Override
    public FileWriter create(String name) throws IOException {
        checkStillLocked();
        return new ChannelWriter(
                FileChannel.open(path.resolve(name), CREATE_NEW, WRITE),
                ChannelWriter.PIECE_BYTES_MAX);
    }

    @Override
    public MappedFile map(String name) throws IOException {
        Arena arena = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(path.resolve(name), READ)) {
            MemorySegment memory = channel.map(MapMode.READ_ONLY, 0, channel.size(), arena);
            MappedMemory.register(memory, name);
            return new Mapping(arena, memory);
        } catch (IOException | RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    @Override
    public WritableMapping createMapped(String name, long capacityBytes) throws IOException {
        checkStillLocked();
        Path file = Files.createFile(path.resolve(name));
        boolean isMade = false;
        try {
            WritableMapping mapping = mapped(file, capacityBytes);
            isMade = true;
            return mapping;
        } finally {
            if (!isMade) {
                Files.delete(file);
            }
        }
    }

    /**
     * Maps more bytes than the file has. The file grows when blocks are reserved, so it never has a
     * hole: on a full disk, even reading a hole would end in SIGBUS.
     */
    private static WritableMapping mapped(Path file, long capacityBytes) throws IOException {
        Arena arena = Arena.ofShared(); // First: it may stay open while it holds no memory.
        RandomAccessFile writer = new RandomAccessFile(file.toFile(), "rw");
        boolean isMapped = false;
        try {
            var _ = writer.getChannel().lock(); // The lock ends when the file is closed.
            MemorySegment memory =
                    writer.getChannel().map(MapMode.READ_WRITE, 0, capacityBytes, arena);
            writer.setLength(0);
            WritableMapping mapping =
                    new ReservingMapping(arena, memory, writer, file.getFileName().toString());
            isMapped = true;
            return mapping;
        } finally {
            if (!isMapped) {
                arena.close();
                writer.close();
            }
        }
    }

    @Override
    public void rename(String from, String to) throws IOException {
        checkStillLocked();
        Files.move(path.resolve(from), path.resolve(to), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void delete(String name) throws IOException {
        checkStillLocked();
        Files.deleteIfExists(path.resolve(name));
    }

    @Override
    public void sync(String name) throws IOException {
        try (FileChannel file = FileChannel.open(path.resolve(name), READ, WRITE)) {
            file.force(true);
        }
    }

    @Override
    public void sync() throws IOException {
        syncNames(path);
    }

    @Override
    public UUID bootId() {
        return BootId.CURRENT;
    }

    @Override
    public long usableBytes() throws IOException {
        return Files.getFileStore(path).getUsableSpace();
    }

    @Override
    public String toString() {
        return path.toString();
    }

    @Override
    public void close() {
        if (lockChannel == null) {
            return;
        }
        try {
            close(lockChannel, spareLockChannel);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot unlock " + path, e);
        } finally {
            OPEN_HERE.remove(path);
        }
    }

    /**
     * @param pieceBytesMax how many bytes to put into one buffer
     */
    record ChannelWriter(FileChannel channel, long pieceBytesMax) implements FileWriter {
        /** A buffer has less than 2 GiB. */
        private static final long PIECE_BYTES_MAX = 1 << 30;

        @Override
        public void write(MemorySegment bytes) throws IOException {
            for (long done = 0; done < bytes.byteSize(); done += pieceBytesMax) {
                long pieceBytes = Math.min(pieceBytesMax, bytes.byteSize() - done);
                ByteBuffer buffer = bytes.asSlice(done, pieceBytes).asByteBuffer();
                while (buffer.hasRemaining()) {
                    channel.write(buffer);
                }
            }
        }

        @Override
        public void sync() throws IOException {
            channel.force(true);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    private record Mapping(Arena arena, MemorySegment memory) implements MappedFile {
        @Override
        public void close() {
            MappedMemory.forget(memory);
            arena.close();
        }
    }

    /**
     * A mapping that reserves blocks by writing zeros. That works on every file system; faster ways
     * do not. It does not use a channel, because an interrupt of the writing thread would close the
     * channel.
     */
    private static final class ReservingMapping implements WritableMapping {
        private static final byte[] ZEROS = new byte[64 << 10];

        private final Arena arena;
        private final MemorySegment memory;
        private final RandomAccessFile writer;
        private final String name;
        private long reservedBytes;

        ReservingMapping(Arena arena, MemorySegment memory, RandomAccessFile writer, String name) {
            this.arena = arena;
            this.memory = memory;
            this.writer = writer;
            this.name = name;
        }

        @Override
        public MemorySegment memory() {
            return memory;
        }

        @Override
        public void reserve(long upToBytes) throws IOException {
            while (reservedBytes < upToBytes) {
                int step = (int) Math.min(ZEROS.length, upToBytes - reservedBytes);
                writer.seek(reservedBytes);
                writer.write(ZEROS, 0, step);
                reservedBytes += step;
            }
        }

        @Override
        public void force(long lengthBytes) throws IOException {
            try {
                first(lengthBytes).force();
            } catch (UncheckedIOException e) {
                throw new IOException("cannot sync " + name, e.getCause());
            }
        }

        /**
         * The first bytes. If there is no memory for the object that stands for them, returns all
         * bytes: to sync all of them is slower, but after a failed sync the engine would accept no
         * writes until a restart.
         */
        private MemorySegment first(long bytes) {
            try {
                return memory.asSlice(0, bytes);
            } catch (OutOfMemoryError _) {
                return memory;
            }
        }

        @Override
        public void close() {
            MappedMemory.forget(memory);
            try (writer) {
                arena.close();
            } catch (IOException e) {
                throw new UncheckedIOException("cannot close " + name, e);
            }
        }
    }
}
