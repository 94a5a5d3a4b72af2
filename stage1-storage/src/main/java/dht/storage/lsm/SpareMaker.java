package dht.storage.lsm;

import dht.storage.StorageOptions;
import dht.storage.file.StorageDirectory;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates a spare memtable as soon as there is none, unless the allowed number is in use. It waits
 * for a running flush or compaction only while that stores its manifest. Used by one thread.
 */
final class SpareMaker {
    private static final Logger LOG = LoggerFactory.getLogger(SpareMaker.class);

    private final StorageDirectory directory;
    private final StorageOptions options;
    private final Snapshots snapshots;
    private final MemTablePool pool;
    private final WritePath writePath;

    SpareMaker(
            StorageDirectory directory,
            StorageOptions options,
            Snapshots snapshots,
            MemTablePool pool,
            WritePath writePath) {
        this.directory = directory;
        this.options = options;
        this.snapshots = snapshots;
        this.pool = pool;
        this.writePath = writePath;
    }

    /**
     * Creates the first active memtable, if the disk has room. The limit on memtables does not
     * apply.
     */
    void begin() {
        try {
            snapshots.whileManifestStays(this::make);
            snapshots.nameOldestLog();
        } catch (IOException e) {
            LOG.error("{}; this is tried again", e.getMessage());
        }
    }

    /**
     * Creates a spare memtable if one is needed and allowed.
     *
     * @throws IOException if the disk has no room for a log; writes that need the spare are refused
     *     then
     */
    void work() throws IOException {
        if (writePath.wantsSpare() && snapshots.memTableCount() < options.memTableCountMax()) {
            snapshots.whileManifestStays(this::make);
        }
        snapshots.nameOldestLog();
    }

    private void make() throws IOException {
        try {
            writePath.offerSpare(pool.take());
        } catch (IOException e) {
            writePath.refuseUntilSpare(e);
            throw new IOException(
                    "cannot begin a log: path=" + directory + ": " + e.getMessage(), e);
        }
    }
}
