package dht.command;

import dht.storage.Durability;
import dht.storage.StorageOptions;
import dht.storage.file.LocalDirectory;
import dht.storage.lsm.LsmDao;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Option;

/**
 * The command-line options of the storage: its directory, and how it uses memory, disk and time.
 * Not thread-safe.
 */
public final class StorageFlags {
    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Directory of the data. Required. It is created if it does not exist.")
    private Path data;

    @Option(
            names = "--durability",
            paramLabel = "os|fsync|none",
            defaultValue = "os",
            description =
                    "What an acknowledged write survives. os: kill -9. fsync: a power failure. none: it is "
                            + "lost in any crash before its memtable is flushed.")
    private Durability durability;

    @Range(from = "4k", to = "1g")
    @Option(
            names = "--memtable-size",
            paramLabel = "SIZE",
            defaultValue = "64m",
            converter = SizeConverter.class,
            description =
                    "Size of a log at which its memtable is flushed. Larger: less compaction, but a "
                            + "longer restart.")
    private long memTableSize;

    @Range(from = "2", to = "1024")
    @Option(
            names = "--memtables-max",
            paramLabel = "N",
            defaultValue = "4",
            description =
                    "Maximum number of memtables. When all are in use, writes are slowed down and then "
                            + "rejected with 503.")
    private int memTablesMax;

    @Range(from = "0ms", to = "1h")
    @Option(
            names = "--write-stall-max",
            paramLabel = "TIME",
            defaultValue = "100ms",
            converter = DurationConverter.class,
            description =
                    "How long writes wait for flushing before they get 503. The time begins with the first "
                            + "write that waits. When it is over, all writes that need a new memtable get "
                            + "503, until there is one.")
    private Duration writeStallMax;

    @Range(from = "1", to = "1000000")
    @Option(
            names = "--unsynced-writes-max",
            paramLabel = "N",
            defaultValue = "16384",
            description =
                    "Maximum number of writes that wait for an fsync; further writes get 503.")
    private int unsyncedWritesMax;

    @Range(from = "1", to = "1g")
    @Option(
            names = "--unsynced-size-max",
            paramLabel = "SIZE",
            defaultValue = "64m",
            converter = SizeConverter.class,
            description =
                    "Bytes of log that the waiting writes may take together; further writes get 503. A "
                            + "single larger write may wait alone.")
    private long unsyncedSizeMax;

    @Range(from = "1", to = "32k")
    @Option(
            names = "--block-size",
            paramLabel = "SIZE",
            defaultValue = "4k",
            converter = SizeConverter.class,
            description =
                    "Size at which a block ends. A block is read and checked as a whole. Smaller: cheaper "
                            + "point reads, but a larger index.")
    private long blockSize;

    @Range(from = "1", to = "100")
    @Option(
            names = "--bloom-bits",
            paramLabel = "N",
            defaultValue = "10",
            description =
                    "Bits of the Bloom filter for each key. More: fewer useless reads, but more memory.")
    private int bloomBits;

    @Range(from = "2", to = "1000")
    @Option(
            names = "--compaction-fan-in",
            paramLabel = "N",
            defaultValue = "4",
            description =
                    "Number of tables of similar size that are merged into one. More: less writing, but "
                            + "more tables to read.")
    private int compactionFanIn;

    @Range(from = "2", to = "100000")
    @Option(
            names = "--tables-max",
            paramLabel = "N",
            defaultValue = "16",
            description = "Number of tables at which flushing waits for compaction.")
    private int tablesMax;

    @Range(from = "0", to = "1024g")
    @Option(
            names = "--pinned-size-max",
            paramLabel = "SIZE",
            defaultValue = "128m",
            converter = SizeConverter.class,
            description =
                    "Limit for replaced data, on disk and in memory, that is kept only because slow clients still "
                            + "read it. Beyond it, the slowest clients are cut off.")
    private long pinnedSizeMax;

    @Range(from = "1ms", to = "24h")
    @Option(
            names = "--pinned-time-max",
            paramLabel = "TIME",
            defaultValue = "10m",
            converter = DurationConverter.class,
            description =
                    "A client is cut off if replaced data is still kept for it this long after its read "
                            + "began.")
    private Duration pinnedTimeMax;

    @Range(from = "0ms", to = "3650d")
    @Option(
            names = "--scrub-interval",
            paramLabel = "TIME",
            defaultValue = "7d",
            converter = DurationConverter.class,
            description =
                    "Time from the beginning of one scrub to the next. A scrub reads all tables, to find "
                            + "damaged blocks before a client needs them. 0s: no scrubs.")
    private Duration scrubInterval;

    @Range(from = "1k", to = "256m")
    @Option(
            names = "--scrub-rate",
            paramLabel = "SIZE",
            defaultValue = "4m",
            converter = SizeConverter.class,
            description = "Maximum number of bytes that a scrub reads in a second.")
    private long scrubRate;

    /**
     * The data directory.
     *
     * @throws IllegalArgumentException if no directory is given
     */
    public Path data() {
        if (data == null) { // Not checked by picocli, because subcommands do not need it.
            throw new IllegalArgumentException("--data DIR is missing (try --help)");
        }
        return data;
    }

    /**
     * @throws IllegalArgumentException if an option is out of its bounds
     */
    public StorageOptions storageOptions() {
        return storageOptions(Duration.ZERO);
    }

    private StorageOptions storageOptions(Duration tombstoneGrace) {
        if (tablesMax < compactionFanIn) {
            throw new IllegalArgumentException(
                    "--tables-max=%d must be at least --compaction-fan-in=%d"
                            .formatted(tablesMax, compactionFanIn));
        }
        return StorageOptions.builder()
                .durability(durability)
                .memTableBytes(memTableSize)
                .memTableCountMax(memTablesMax)
                .writeStallMax(writeStallMax)
                .unsyncedWritesMax(unsyncedWritesMax)
                .unsyncedBytesMax(unsyncedSizeMax)
                .blockBytes(Math.toIntExact(blockSize))
                .bloomBitsPerKey(bloomBits)
                .compactionFanIn(compactionFanIn)
                .tableCountMax(tablesMax)
                .tombstoneGrace(tombstoneGrace)
                .pinnedBytesMax(pinnedSizeMax)
                .pinnedTimeMax(pinnedTimeMax)
                .scrubInterval(scrubInterval)
                .scrubBytesPerSecond(scrubRate)
                .build();
    }

    /**
     * Opens the storage with these options.
     *
     * @throws IllegalArgumentException if an option is out of its bounds, or no directory is given
     * @throws IOException if the directory cannot be used
     * @throws dht.storage.CorruptionException if its data is damaged
     */
    public LsmDao openDao() throws IOException {
        return openDao(Duration.ZERO);
    }

    /**
     * Opens the storage with another grace period for tombstones.
     *
     * @param tombstoneGrace the minimum time for which a tombstone is kept, because other nodes may
     *     have missed the deletion
     * @throws IllegalArgumentException as {@link #openDao()}
     * @throws IOException as {@link #openDao()}
     * @throws dht.storage.CorruptionException as {@link #openDao()}
     */
    public LsmDao openDao(Duration tombstoneGrace) throws IOException {
        StorageOptions options = storageOptions(tombstoneGrace);
        return LsmDao.open(LocalDirectory.open(data()), options);
    }
}
