package dht.storage.simulation;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * A file of a simulated disk: what the system shows of it, and what is on the platters. Guarded by
 * its disk, except for the bytes themselves, which are written through mappings.
 */
final class SimulatedFile {
    private static final long PAGE_BYTES = 4096;
    private static final long LOOKED_AT_BYTES = 32 << 10;

    private final SparseMemory memory;
    private MemorySegment content;
    private MemorySegment durable;
    private long size;
    private long durableSize;
    private long blockBytes; // Has room on the disk up to here.

    SimulatedFile(SparseMemory memory, long capacityBytes) {
        this.memory = memory;
        this.content = memory.allocate(capacityBytes);
        this.durable = memory.allocate(capacityBytes);
    }

    SimulatedFile(SparseMemory memory, FileImage image) {
        this(memory, Math.max(image.size(), 1 << 16));
        MemorySegment.copy(image.content(), 0, content, JAVA_BYTE, 0, image.content().length);
        byte[] durableContent = image.durableContent();
        MemorySegment.copy(durableContent, 0, durable, JAVA_BYTE, 0, durableContent.length);
        this.size = image.size();
        this.durableSize = image.durableSize();
        this.blockBytes = image.content().length;
    }

    MemorySegment content() {
        return content.asSlice(0, size);
    }

    /** What a mapping may be stored to, as far as there are blocks. */
    MemorySegment capacity() {
        return content;
    }

    long size() {
        return size;
    }

    long blockBytes() {
        return blockBytes;
    }

    /** Appends as much as {@code freeBytes} of disk allow. */
    void append(MemorySegment bytes, long freeBytes) throws IOException {
        long fits = Math.min(bytes.byteSize(), freeBytes);
        if (size + fits > content.byteSize()) {
            grow(2 * (size + fits));
        }
        MemorySegment.copy(bytes, 0, content, size, fits);
        size += fits;
        blockBytes = size;
        throwIfFull(fits, bytes.byteSize());
    }

    private void grow(long capacityBytes) {
        MemorySegment largerContent = memory.allocate(capacityBytes);
        MemorySegment largerDurable = memory.allocate(capacityBytes);
        largerContent.copyFrom(content.asSlice(0, size));
        largerDurable.copyFrom(durable.asSlice(0, size));
        content = largerContent;
        durable = largerDurable;
    }

    void reserve(long upToBytes, long freeBytes) throws IOException {
        long wanted = Math.max(0, upToBytes - blockBytes);
        long fits = Math.min(wanted, freeBytes);
        blockBytes += fits;
        size = Math.max(size, blockBytes);
        throwIfFull(fits, wanted);
    }

    private static void throwIfFull(long fits, long wanted) throws IOException {
        if (fits < wanted) {
            throw new IOException("No space left on device");
        }
    }

    void syncAll() {
        syncUpTo(size);
    }

    void syncUpTo(long upToBytes) {
        long length = Math.min(upToBytes, blockBytes);
        durable.asSlice(0, length).copyFrom(content.asSlice(0, length));
        durableSize = size;
    }

    /** Writes sectors back, some, as the system does now and then. */
    void writeBack(SplittableRandom random) {
        for (long sector = 0; sector < blockBytes; sector += FileImage.SECTOR_BYTES) {
            if (random.nextInt(4) == 0) {
                long length = Math.min(FileImage.SECTOR_BYTES, blockBytes - sector);
                durable.asSlice(sector, length).copyFrom(content.asSlice(sector, length));
                durableSize = size;
            }
        }
    }

    /**
     * Takes a picture while others may be storing: the first page before the rest, since it may say
     * how much of the rest is whole.
     */
    FileImage image() {
        byte[] shown = new byte[(int) blockBytes];
        int head = (int) Math.min(PAGE_BYTES, blockBytes);
        MemorySegment.copy(content, JAVA_BYTE, 0, shown, 0, head);
        MemorySegment.copy(content, JAVA_BYTE, head, shown, head, shown.length - head);
        byte[] onPlatters = durable.asSlice(0, blockBytes).toArray(JAVA_BYTE);
        return new FileImage(shown, size, onPlatters, durableSize);
    }

    /**
     * Whether nothing was stored where there is no block: that would have been SIGBUS. Looks not
     * far behind the blocks, as what is stored follows what was stored before, and looking costs
     * memory.
     */
    boolean isUntouchedBeyondBlocks() {
        long holeBytes = Math.clamp(content.byteSize() - blockBytes, 0, LOOKED_AT_BYTES);
        MemorySegment holes = content.asSlice(blockBytes, holeBytes);
        return holes.mismatch(durable.asSlice(blockBytes, holes.byteSize())) < 0;
    }
}
