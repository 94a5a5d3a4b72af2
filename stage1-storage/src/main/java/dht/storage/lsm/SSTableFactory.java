package dht.storage.lsm;

import dht.storage.StorageOptions;
import dht.storage.file.StorageDirectory;
import dht.storage.sstable.SSTable;
import dht.storage.sstable.SSTableWriter;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates tables. If creating one fails, its file is deleted. If that fails, too, the file is
 * deleted before the next table is created, or at the next start. Thread-safe.
 */
final class SSTableFactory {
    private static final Logger LOG = LoggerFactory.getLogger(SSTableFactory.class);

    private final StorageDirectory directory;
    private final StorageOptions options;
    private final LongSupplier nextFileNumber;
    private final Executor reclaimer;
    private final AtomicReference<String> undeleted = new AtomicReference<>(); // Or null.

    /**
     * @param nextFileNumber returns a new file number at each call
     * @param reclaimer frees the memory and files of tables
     */
    SSTableFactory(
            StorageDirectory directory,
            StorageOptions options,
            LongSupplier nextFileNumber,
            Executor reclaimer) {
        this.directory = directory;
        this.options = options;
        this.nextFileNumber = nextFileNumber;
        this.reclaimer = reclaimer;
    }

    /** Adds a table's entries, in key order. */
    @FunctionalInterface
    interface Content {
        void addTo(SSTableWriter writer) throws IOException;
    }

    /**
     * Creates a table. Its content is durable; its file name is durable only after the directory is
     * synced. The table is obsolete until a manifest may name it.
     *
     * @param entryCountMax upper limit for the number of entries
     * @param content adds the entries
     * @return the table, which the caller must release; null if there was no entry
     * @throws IOException if the file cannot be written, or an earlier one cannot be deleted
     */
    SSTable make(long entryCountMax, Content content) throws IOException {
        deleteUndeleted();
        long number = nextFileNumber.getAsLong();
        String name = SSTable.fileName(number); // Now, because later there may be no memory for it.
        SSTable table = null;
        try {
            if (write(number, entryCountMax, content)) {
                table = SSTable.open(directory, number, reclaimer);
                table.markObsolete();
            }
            return table;
        } catch (IOException e) {
            throw new IOException("cannot write table: file=" + name + ": " + e.getMessage(), e);
        } finally {
            if (table == null) {
                delete(name);
            }
        }
    }

    /** Writes the file; returns whether there was any entry. */
    private boolean write(long number, long entryCountMax, Content content) throws IOException {
        try (SSTableWriter writer =
                new SSTableWriter(
                        directory,
                        number,
                        entryCountMax,
                        options.blockBytes(),
                        options.bloomBitsPerKey())) {
            content.addTo(writer);
            if (writer.entryCount() > 0) {
                writer.finish();
            }
            return writer.entryCount() > 0;
        }
    }

    /** Otherwise each failed attempt could leave one more file. */
    private void deleteUndeleted() throws IOException {
        String before = undeleted.get();
        if (before != null) {
            directory.delete(before);
            undeleted.compareAndSet(before, null);
        }
    }

    private void delete(String unfinished) {
        try {
            directory.delete(unfinished);
        } catch (OutOfMemoryError _) { // Whatever has failed before is thrown.
            undeleted.set(unfinished);
        } catch (IOException e) {
            undeleted.set(unfinished);
            LOG.warn("cannot delete unfinished table: file={}: {}", unfinished, e.toString());
        }
    }
}
