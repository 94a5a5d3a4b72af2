package dht.storage;

import java.time.Duration;
import java.time.InstantSource;

/**
 * How an engine trades memory, disk and time. Every default serves; {@link #defaults()} gives them
 * all.
 *
 * @param durability what an acknowledged write has survived
 * @param memTableBytes of log after which a memtable is flushed. More: fewer and larger tables,
 *     less compaction, a longer restart. Beside the log a memtable takes half as much memory for
 *     its index
 * @param memTableCountMax memtables at a time: the one being written, a spare one, and those that
 *     wait to be flushed. When all are in use writes are slowed down, then refused. At least 2
 * @param writeStallMax how long writes wait for flushing before they are refused
 * @param unsyncedWritesMax writes that may wait for an fsync at a time; beyond it they are refused
 * @param unsyncedBytesMax of log that these may take together; one larger write may wait alone
 * @param blockBytes of an SSTable that are read and checked together, 1 to 32,768. Less: cheaper
 *     point reads, a larger index
 * @param bloomBitsPerKey 1 to 100. More: fewer reads of tables that don't hold the key, more
 *     memory. 10 let 1.0 % pass
 * @param compactionFanIn how many neighbouring tables of similar size are merged into one, at least
 *     2. More: less writing, more tables to read
 * @param tableCountMax when there are so many tables, flushing waits for compaction. At least
 *     compactionFanIn
 * @param tombstoneGrace how long a tombstone is kept at least: a write that is late by no more than
 *     this can't bring the deleted key back
 * @param pinnedBytesMax of memtables and tables that were replaced and are kept for slow readers
 *     alone; beyond it the slowest are cut off
 * @param pinnedTimeMax how long a reader may keep what was replaced; then it is cut off
 * @param clock tells how old a tombstone is
 */
public record StorageOptions(
        Durability durability,
        long memTableBytes,
        int memTableCountMax,
        Duration writeStallMax,
        int unsyncedWritesMax,
        long unsyncedBytesMax,
        int blockBytes,
        int bloomBitsPerKey,
        int compactionFanIn,
        int tableCountMax,
        Duration tombstoneGrace,
        long pinnedBytesMax,
        Duration pinnedTimeMax,
        InstantSource clock) {

    private static final Duration TIME_MAX = Duration.ofDays(100 * 365);

    public StorageOptions {
        require(
                memTableBytes >= 1 && memTableBytes <= 1L << 30,
                "memTableBytes",
                memTableBytes,
                "1 to 2^30");
        require(memTableCountMax >= 2, "memTableCountMax", memTableCountMax, "at least 2");
        require(unsyncedWritesMax >= 1, "unsyncedWritesMax", unsyncedWritesMax, "at least 1");
        require(unsyncedBytesMax >= 1, "unsyncedBytesMax", unsyncedBytesMax, "at least 1");
        require(blockBytes >= 1 && blockBytes <= 32 << 10, "blockBytes", blockBytes, "1 to 32768");
        require(
                bloomBitsPerKey >= 1 && bloomBitsPerKey <= 100,
                "bloomBitsPerKey",
                bloomBitsPerKey,
                "1 to 100");
        require(compactionFanIn >= 2, "compactionFanIn", compactionFanIn, "at least 2");
        require(
                tableCountMax >= compactionFanIn,
                "tableCountMax",
                tableCountMax,
                "at least compactionFanIn");
        requireTime(writeStallMax, "writeStallMax");
        requireTime(tombstoneGrace, "tombstoneGrace");
        require(pinnedBytesMax >= 0, "pinnedBytesMax", pinnedBytesMax, "at least 0");
        requireTime(pinnedTimeMax, "pinnedTimeMax");
        requirePresent(durability, "durability");
        requirePresent(clock, "clock");
    }

    /** No longer than can be counted in nanoseconds. */
    private static void requireTime(Duration time, String name) {
        requirePresent(time, name);
        if (time.isNegative() || time.compareTo(TIME_MAX) > 0) {
            throw new IllegalArgumentException(
                    name + "=" + time + ": must not be negative, nor longer than 100 years");
        }
    }

    private static void requirePresent(Object value, String name) {
        if (value == null) {
            throw new IllegalArgumentException(name + " is missing");
        }
    }

    private static void require(boolean condition, String name, long value, String bounds) {
        if (!condition) {
            throw new IllegalArgumentException(name + "=" + value + ": must be " + bounds);
        }
    }

    public static StorageOptions defaults() {
        return builder().build();
    }

    /** Starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Collects what differs from the defaults. Not thread-safe. */
    public static final class Builder {
        private Durability durability = Durability.OS;
        private long memTableBytes = 64 << 20;
        private int memTableCountMax = 4;
        private Duration writeStallMax = Duration.ofMillis(100);
        private int unsyncedWritesMax = 16_384;
        private long unsyncedBytesMax = 64 << 20;
        private int blockBytes = 4096;
        private int bloomBitsPerKey = 10;
        private int compactionFanIn = 4;
        private int tableCountMax = 16;
        private Duration tombstoneGrace = Duration.ZERO;
        private long pinnedBytesMax = 128 << 20;
        private Duration pinnedTimeMax = Duration.ofMinutes(10);
        private InstantSource clock = InstantSource.system();

        private Builder() {}

        public Builder durability(Durability value) {
            durability = value;
            return this;
        }

        public Builder memTableBytes(long value) {
            memTableBytes = value;
            return this;
        }

        public Builder memTableCountMax(int value) {
            memTableCountMax = value;
            return this;
        }

        public Builder writeStallMax(Duration value) {
            writeStallMax = value;
            return this;
        }

        public Builder unsyncedWritesMax(int value) {
            unsyncedWritesMax = value;
            return this;
        }

        public Builder unsyncedBytesMax(long value) {
            unsyncedBytesMax = value;
            return this;
        }

        public Builder blockBytes(int value) {
            blockBytes = value;
            return this;
        }

        public Builder bloomBitsPerKey(int value) {
            bloomBitsPerKey = value;
            return this;
        }

        public Builder compactionFanIn(int value) {
            compactionFanIn = value;
            return this;
        }

        public Builder tableCountMax(int value) {
            tableCountMax = value;
            return this;
        }

        public Builder tombstoneGrace(Duration value) {
            tombstoneGrace = value;
            return this;
        }

        public Builder pinnedBytesMax(long value) {
            pinnedBytesMax = value;
            return this;
        }

        public Builder pinnedTimeMax(Duration value) {
            pinnedTimeMax = value;
            return this;
        }

        public Builder clock(InstantSource value) {
            clock = value;
            return this;
        }

        public StorageOptions build() {
            return new StorageOptions(
                    durability,
                    memTableBytes,
                    memTableCountMax,
                    writeStallMax,
                    unsyncedWritesMax,
                    unsyncedBytesMax,
                    blockBytes,
                    bloomBitsPerKey,
                    compactionFanIn,
                    tableCountMax,
                    tombstoneGrace,
                    pinnedBytesMax,
                    pinnedTimeMax,
                    clock);
        }
    }
}
