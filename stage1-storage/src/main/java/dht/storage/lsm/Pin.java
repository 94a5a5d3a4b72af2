package dht.storage.lsm;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.storage.ReadOutcome;
import dht.storage.SlowReader;
import dht.storage.memory.MappedMemory;
import dht.storage.memory.RefCounted;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What one reader keeps in use: memtables and tables, or the copy of a value. Thread-safe.
 *
 * <p>Invariant: this pin retains each element of {@link #parts} once, and releases it when it
 * leaves the list.
 */
final class Pin implements ReadOutcome.Hold {
    private static final long NO_VALUE = -1;

    private final Pins pins;
    private final long sinceNanos;

    @GuardedBy("this")
    private final List<RefCounted> parts = new ArrayList<>(1);

    @GuardedBy("this")
    private Runnable freeCopy; // Null if there is no copy.

    @GuardedBy("this")
    private long copyBytes;

    @GuardedBy("this")
    private boolean released;

    private volatile long valueBytes = NO_VALUE;
    private volatile SlowReader reader;
    private volatile boolean isCutOff;

    Pin(Pins pins, long sinceNanos) {
        this.pins = pins;
        this.sinceNanos = sinceNanos;
    }

    /** Retains a part. Something else must already retain it. */
    synchronized void add(RefCounted part) {
        parts.add(part);
        try {
            part.retain();
        } catch (Throwable e) {
            parts.remove(parts.size() - 1);
            throw e;
        }
    }

    /** Releases one part, unless it was already released. */
    void release(RefCounted part) {
        boolean isHeld;
        synchronized (this) {
            isHeld = parts.remove(part);
        }
        if (isHeld) {
            part.release();
        }
    }

    @Override
    public void release() {
        pins.forget(this);
        releaseAll();
    }

    /** Allocates nothing, because that could fail in the middle. */
    private synchronized void releaseAll() {
        released = true;
        while (!parts.isEmpty()) {
            parts.remove(parts.size() - 1).release();
        }
        if (freeCopy != null) {
            pins.copied(-copyBytes);
            pins.reclaimer().execute(freeCopy);
            freeCopy = null;
            copyBytes = 0;
        }
    }

    @Override
    public void watch(SlowReader slow) {
        reader = slow;
        pins.watch(this);
        synchronized (this) {
            if (!released) {
                return;
            }
        }
        pins.forget(this);
    }

    /** Marks this as the pin of a single value, which can be copied. */
    Pin ofValue(long bytes) {
        valueBytes = bytes;
        return this;
    }

    boolean isOfValue() {
        return valueBytes != NO_VALUE;
    }

    long valueBytes() {
        return valueBytes;
    }

    @Override
    public ReadOutcome.Found detach(ReadOutcome.Found found, long from) {
        long length = found.value().byteSize() - from;
        Pin detached = new Pin(pins, sinceNanos).ofValue(length);
        MemorySegment rest = detached.allocate(length);
        ReadOutcome.Found copied;
        try {
            MappedMemory.copy(found.value(), from, rest, 0, length);
            copied = new ReadOutcome.Found(rest.asReadOnly(), found.timestampMicros(), detached);
        } catch (Throwable e) {
            detached.release();
            throw e;
        }
        release();
        return copied;
    }

    private synchronized MemorySegment allocate(long bytes) {
        Arena arena = Arena.ofShared();
        try {
            MemorySegment memory = arena.allocate(bytes, Long.BYTES);
            freeCopy = arena::close;
            copyBytes = bytes;
            pins.copied(bytes);
            return memory;
        } catch (Throwable e) {
            arena.close();
            throw e;
        }
    }

    /**
     * @param current the parts of the current snapshot
     */
    KeptPin kept(Set<RefCounted> current) {
        // Without this lock, because the reader takes its own.
        long bytesPerSecond = reader.bytesPerSecond();
        synchronized (this) {
            List<RefCounted> replaced =
                    parts.stream().filter(part -> !current.contains(part)).toList();
            return new KeptPin(this, replaced, copyBytes, bytesPerSecond);
        }
    }

    long sinceNanos() {
        return sinceNanos;
    }

    void copy() {
        reader.copy();
    }

    /**
     * Tells the reader to release everything. It may do so later, when its current read has ended.
     */
    void cutOff() {
        reader.cutOff();
        isCutOff = true; // If that failed, the next check tries it again.
    }

    /** Whether the reader was told to release everything. */
    boolean isCutOff() {
        return isCutOff;
    }
}
