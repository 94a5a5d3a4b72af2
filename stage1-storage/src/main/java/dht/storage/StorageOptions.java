package dht.storage;

import java.time.Duration;
import java.time.InstantSource;

/**
 * The options of an engine: how it uses memory, disk and time. {@link #defaults()} has values that
 * suit most uses. Immutable.
 *
 * @param durability when a write is acknowledged
 * @param memTableBytes size of a log, in bytes, at which its memtable is flushed, 1 to 2^30; a
 *     single larger entry is accepted. More: fewer and larger tables, less compaction, a longer
 *     restart. A memtable needs half as much memory again for its index
 * @param memTableCountMax maximum number of memtables, at least 2: the active one, a spare one, and
 *     those that wait to be flushed. When all are in use, writes are slowed down, then refused
 * @param writeStallMax how long writes wait for flushing before they are refused. The time begins
 *     with the first write that waits. When it is over, all writes that need a new memtable are
 *     refused, until there is one
 * @param unsyncedWritesMax writes that may wait for an fsync at the same time, at least 1; further
 *     writes are refused
 * @param unsyncedBytesMax log bytes that these writes may have together, at least 1; one larger
 *     write may wait alone
 * @param blockBytes size at which a block of an SSTable ends, 1 to 32,768. A block is read and
 *     checked as a whole. Less: cheaper point reads, a larger index
 * @param bloomBitsPerKey bits of the Bloom filter for each key, 1 to 100. More: fewer reads of
 *     tables without the key, more memory. With 10 bits, 1.0 % of absent keys pass
 * @param compactionFanIn how many adjacent tables of similar size are merged into one, at least 2.
 *     More: less writing, more tables to read
 * @param tableCountMax number of tables at which flushing waits for compaction. At least
 *     compactionFanIn
 * @param tombstoneGrace the minimum time for which a tombstone is kept. A write with an older stamp
 *     that arrives within this time cannot bring the deleted key back
 * @param pinnedBytesMax limit in bytes, at least 0, for what is kept only for slow readers:
 *     replaced memtables and tables, and copies of large values. Beyond it, the slowest readers are
 *     cut off
 * @param pinnedTimeMax how long after the beginning of its read a reader may keep a replaced
 *     memtable or table; then it is cut off
 * @param scrubInterval all blocks of all tables are read once in this time, to find damage; zero:
 *     never. If that takes longer than this time, the next pass begins when all blocks were read
 * @param scrubBytesPerSecond the maximum number of bytes of tables that are read per second to find
 *     damage, at least 1
 * @param clock the time of day, from which the age of tombstones is computed
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
        Duration scrubInterval,
        long scrubBytesPerSecond,
        InstantSource clock) {

    private static final Duration TIME_MAX = Duration.ofDays(100 * 365);

    /**
     * @throws IllegalArgumentException if a value is null or out of its bounds. A time must not be
     *     negative, nor longer than 100 years
     */
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
        requireTime(scrubInterval, "scrubInterval");
        require(scrubBytesPerSecond >= 1, "scrubBytesPerSecond", scrubBytesPerSecond, "at least 1");
        requirePresent(durability, "durability");
        requirePresent(clock, "clock");
    }

    /** Checks that a duration can be counted in nanoseconds. */
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

    /** A builder that starts with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder of options. Not thread-safe. */
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
        private Duration scrubInterval = Duration.ofDays(7);
        private long scrubBytesPerSecond = 4 << 20;
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

        public Builder scrubInterval(Duration value) {
            scrubInterval = value;
            return this;
        }

        public Builder scrubBytesPerSecond(long value) {
            scrubBytesPerSecond = value;
            return this;
        }

        public Builder clock(InstantSource value) {
            clock = value;
            return this;
        }

        /**
         * @throws IllegalArgumentException if a value is null or out of its bounds
         */
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
                    scrubInterval,
                    scrubBytesPerSecond,
                    clock);
        }
    }
}
