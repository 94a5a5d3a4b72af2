package dht.storage.simulation;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dht.storage.file.StorageDirectory;
import dht.storage.simulation.Operation.Kind;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A disk in memory, with one directory. It tells what the system shows from what is on the
 * platters, runs full at a quota, counts operations, and crashes when it is told to: then it keeps
 * a picture of that moment and refuses everything, so that the process that used it can't do any
 * more harm.
 *
 * <p>Thread-safe: one operation at a time.
 */
public final class SimulatedDisk implements AutoCloseable {
    private static final long NEVER = Long.MAX_VALUE;

    private final SparseMemory memory = new SparseMemory();
    private final UUID bootId;

    // Guarded by this.
    private final Map<String, SimulatedFile> names = new TreeMap<>();
    private final Map<String, SimulatedFile> durableNames = new TreeMap<>();
    private final List<NameChange<SimulatedFile>> pending = new ArrayList<>();
    private final List<Operation> trace = new ArrayList<>();
    private final List<SimulatedFile> files = new ArrayList<>();
    private long crashAt = NEVER;
    private long quotaBytes = Long.MAX_VALUE;
    private int openCount;
    private DiskImage crashed;

    /** An empty disk. */
    public SimulatedDisk() {
        this.bootId = new UUID(1, 0);
    }

    SimulatedDisk(DiskImage image) {
        this.bootId = image.bootId();
        Map<FileImage, SimulatedFile> restored = new IdentityHashMap<>();
        image.names().forEach((name, file) -> names.put(name, restore(file, restored)));
        image.durableNames()
                .forEach((name, file) -> durableNames.put(name, restore(file, restored)));
        image.pending()
                .forEach(change -> pending.add(change.with(file -> restore(file, restored))));
    }

    private SimulatedFile restore(FileImage image, Map<FileImage, SimulatedFile> restored) {
        return restored.computeIfAbsent(image, file -> remember(new SimulatedFile(memory, file)));
    }

    private SimulatedFile remember(SimulatedFile file) {
        files.add(file);
        return file;
    }

    /** The directory, for one engine at a time. */
    public StorageDirectory directory() {
        return new SimulatedDirectory(this);
    }

    /** Crashes in place of the operation that comes after {@code count} others from now on. */
    public synchronized void crashAfter(long count) {
        crashAt = trace.size() + count;
    }

    /** Crashes now, if the disk has not before. */
    public synchronized DiskImage crash() {
        if (crashed == null) {
            crashed = image();
        }
        return crashed;
    }

    public synchronized boolean hasCrashed() {
        return crashed != null;
    }

    /** What the disk holds now. */
    public synchronized DiskImage image() {
        Map<SimulatedFile, FileImage> images = new IdentityHashMap<>();
        Map<String, FileImage> shown = new TreeMap<>();
        names.forEach((name, file) -> shown.put(name, imageOf(file, images)));
        Map<String, FileImage> durable = new TreeMap<>();
        durableNames.forEach((name, file) -> durable.put(name, imageOf(file, images)));
        List<NameChange<FileImage>> changes =
                pending.stream().map(change -> change.with(file -> imageOf(file, images))).toList();
        return new DiskImage(bootId, shown, durable, changes);
    }

    private static FileImage imageOf(SimulatedFile file, Map<SimulatedFile, FileImage> images) {
        return images.computeIfAbsent(file, SimulatedFile::image);
    }

    /** Writes some of what was not synced back to the platters, as the system may at any time. */
    public synchronized void writeBack(SplittableRandom random) {
        files.forEach(file -> file.writeBack(random));
        if (random.nextBoolean()) {
            syncNames();
        }
    }

    /** From now on no more than this is held, in all files together. */
    public synchronized void quotaBytes(long bytes) {
        quotaBytes = bytes;
    }

    public synchronized long usedBytes() {
        return names.values().stream().mapToLong(SimulatedFile::blockBytes).sum();
    }

    public synchronized List<String> names() {
        return List.copyOf(names.keySet());
    }

    /** What was asked so far, in order. */
    public synchronized List<Operation> trace() {
        return List.copyOf(trace);
    }

    public synchronized long operationCount() {
        return trace.size();
    }

    /** Turns one bit around in what the system shows of a file, under whoever has it mapped. */
    public synchronized void flipBit(String name, long offset, int bit) {
        MemorySegment content = names.get(name).content();
        content.set(JAVA_BYTE, offset, (byte) (content.get(JAVA_BYTE, offset) ^ 1 << bit));
    }

    /** Whether nothing was ever stored where a file has no block. */
    public synchronized boolean isUntouchedBeyondBlocks() {
        return files.stream().allMatch(SimulatedFile::isUntouchedBeyondBlocks);
    }

    /** Mappings and writers that nobody has closed. */
    synchronized int openCount() {
        return openCount;
    }

    synchronized void opened() {
        openCount++;
    }

    synchronized void closed() {
        openCount--;
    }

    interface Action<T> {
        T run() throws IOException;
    }

    synchronized <T> T perform(Kind kind, String name, Action<T> action) throws IOException {
        if (trace.size() >= crashAt) {
            crash();
        }
        if (crashed != null) {
            throw new IOException("the disk is gone");
        }
        trace.add(new Operation(kind, name));
        return action.run();
    }

    /** Zeroed memory that ends with the disk. */
    MemorySegment newMemory(long bytes) {
        return memory.allocate(bytes);
    }

    SimulatedFile newFile(String name, long capacityBytes) throws IOException {
        if (names.containsKey(name)) {
            throw new IOException("file exists already: " + name);
        }
        SimulatedFile file = remember(new SimulatedFile(memory, capacityBytes));
        change(new NameChange<>(null, name, file));
        return file;
    }

    SimulatedFile file(String name) throws IOException {
        SimulatedFile file = names.get(name);
        if (file == null) {
            throw new IOException("no such file: " + name);
        }
        return file;
    }

    void change(NameChange<SimulatedFile> change) {
        change.applyTo(names);
        pending.add(change);
    }

    void syncNames() {
        pending.forEach(change -> change.applyTo(durableNames));
        pending.clear();
    }

    long freeBytes() {
        return Math.max(0, quotaBytes - usedBytes());
    }

    UUID bootId() {
        return bootId;
    }

    /** Gives the memory back. Everything that was opened must be closed by then. */
    @Override
    public void close() {
        if (openCount() > 0) {
            throw new IllegalStateException("mappings or writers left open: " + openCount());
        }
        memory.close();
    }
}
