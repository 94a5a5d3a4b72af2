package dht.storage.lsm;

import dht.storage.StorageOptions;
import dht.storage.file.StorageDirectory;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a spare memtable as soon as there is none, unless all are in use; whether one is being
 * flushed or not. Used by one thread.
 */
final class SpareMaker {
    private static final Logger LOG = LoggerFactory.getLogger(SpareMaker.class);

    private final StorageDirectory directory;
    private final StorageOptions options;
    private final VersionSet versions;
    private final MemTablePool pool;
    private final WritePath writePath;

    SpareMaker(
            StorageDirectory directory,
            StorageOptions options,
            VersionSet versions,
            MemTablePool pool,
            WritePath writePath) {
        this.directory = directory;
        this.options = options;
        this.versions = versions;
        this.pool = pool;
        this.writePath = writePath;
    }

    /** Provides the first memtable to write to, however many there are, if the disk has room. */
    void begin() {
        try {
            versions.whileManifestStays(this::make);
            versions.nameOldestLog();
        } catch (IOException e) {
            LOG.error("{}; this is tried again", e.getMessage());
        }
    }

    /**
     * Makes a spare if one is wanted and may be made.
     *
     * @throws IOException if the disk has no room for a log; writes that need one are refused then
     */
    void work() throws IOException {
        if (writePath.wantsSpare() && versions.memTableCount() < options.memTableCountMax()) {
            versions.whileManifestStays(this::make);
        }
        versions.nameOldestLog();
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
