package dht.storage;

import java.time.Duration;

/** Options that tests choose from. */
public final class TestOptions {
    private TestOptions() {}

    /**
     * As by default, but small: memtables that fill up within a test. Writes rather wait than fail.
     * Nothing is scrubbed.
     */
    public static StorageOptions.Builder small() {
        return StorageOptions.builder()
                .memTableBytes(8 << 10)
                .writeStallMax(Duration.ofMinutes(1))
                .scrubInterval(Duration.ZERO);
    }

    /** One entry a memtable, one entry a block, everything as few as can be. */
    public static StorageOptions.Builder hostile() {
        return StorageOptions.builder()
                .memTableBytes(1)
                .memTableCountMax(2)
                .writeStallMax(Duration.ofMinutes(1))
                .blockBytes(1)
                .bloomBitsPerKey(1)
                .compactionFanIn(2)
                .tableCountMax(2)
                .scrubInterval(Duration.ZERO);
    }
}
