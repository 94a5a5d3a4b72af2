package dht.storage.manifest;

import static dht.storage.memory.Layouts.INT;
import static dht.storage.memory.Layouts.LONG;

import dht.storage.CorruptionException;
import dht.storage.StorageException;
import dht.storage.file.FileWriter;
import dht.storage.file.MappedFile;
import dht.storage.file.StorageDirectory;
import dht.storage.manifest.Manifest.TableReference;
import dht.storage.memory.Bytes;
import dht.storage.memory.Checksum;
import dht.storage.memory.GrowableMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The file that holds the manifest, little-endian:
 *
 * <pre>
 *     0   | magic 8B | version 4B | checksum 4B |
 *     16  | nextFileNumber 8B | oldestLog 8B | greatestTimestampMicros 8B |
 *     40  | acceptedBytes 8B | flushedBytes 8B | compactedBytes 8B |
 *     64  | tableCount 8B | table × tableCount |
 *   table | number 8B | fileBytes 8B |
 * </pre>
 *
 * <p>The checksum covers all bytes after it. The file is never changed: a new file is written and
 * synced, and then renamed to its name. Described in docs/reference/formats.md. Stateless; one
 * thread at a time may store a manifest.
 *
 * <p>Persistent format: do not change.
 */
public final class ManifestFile {
    public static final String NAME = "MANIFEST";

    /** The name of the new manifest before it is renamed. */
    public static final String NEW_NAME = "MANIFEST.new";

    private static final long MAGIC = 0x31_4e41_4d54_4844L; // "DHTMAN1"
    private static final int VERSION = 1;
    private static final int MAGIC_OFFSET = 0;
    private static final int VERSION_OFFSET = 8;
    private static final int CHECKSUM_OFFSET = 12;
    private static final int NEXT_FILE_NUMBER_OFFSET =
            16; // The checksum covers the bytes from here on.
    private static final int OLDEST_LOG_OFFSET = 24;
    private static final int GREATEST_TIMESTAMP_OFFSET = 32;
    private static final int ACCEPTED_BYTES_OFFSET = 40;
    private static final int FLUSHED_BYTES_OFFSET = 48;
    private static final int COMPACTED_BYTES_OFFSET = 56;
    private static final int TABLES_OFFSET = 72;
    private static final int TABLE_FILE_BYTES_OFFSET =
            8; // The offset in a table's record, which begins with its number.
    private static final int TABLE_BYTES = 16;

    private ManifestFile() {}

    /**
     * Reads the manifest, if there is one.
     *
     * @throws CorruptionException if it is damaged
     */
    public static Optional<Manifest> load(StorageDirectory directory) throws IOException {
        if (!directory.list().contains(NAME)) {
            return Optional.empty();
        }
        try (MappedFile file = directory.map(NAME)) {
            int length = (int) file.memory().byteSize();
            return Optional.of(read(MemorySegment.ofArray(Bytes.copy(file.memory(), 0, length))));
        }
    }

    private static Manifest read(MemorySegment file) {
        if (file.byteSize() < TABLES_OFFSET || file.get(LONG, MAGIC_OFFSET) != MAGIC) {
            throw new CorruptionException(
                    NAME, MAGIC_OFFSET, "not a manifest: bytes=" + file.byteSize());
        }
        CorruptionException.checkVersion(
                NAME, VERSION_OFFSET, file.get(INT, VERSION_OFFSET), VERSION);
        if (file.get(INT, CHECKSUM_OFFSET) != checksum(file)) {
            throw new CorruptionException(NAME, CHECKSUM_OFFSET, "manifest fails its checksum");
        }
        List<TableReference> tables = new ArrayList<>();
        for (long table = TABLES_OFFSET; table < file.byteSize(); table += TABLE_BYTES) {
            tables.add(
                    new TableReference(
                            file.get(LONG, table),
                            file.get(LONG, table + TABLE_FILE_BYTES_OFFSET)));
        }
        return new Manifest(
                file.get(LONG, NEXT_FILE_NUMBER_OFFSET),
                file.get(LONG, OLDEST_LOG_OFFSET),
                file.get(LONG, GREATEST_TIMESTAMP_OFFSET),
                new WriteTotals(
                        file.get(LONG, ACCEPTED_BYTES_OFFSET),
                        file.get(LONG, FLUSHED_BYTES_OFFSET),
                        file.get(LONG, COMPACTED_BYTES_OFFSET)),
                tables);
    }

    private static int checksum(MemorySegment file) {
        return Checksum.crc32c(
                file, NEXT_FILE_NUMBER_OFFSET, file.byteSize() - NEXT_FILE_NUMBER_OFFSET);
    }

    /**
     * Stores a manifest, which then is the current one: {@link #prepare}, then {@link #putInForce}.
     *
     * @throws IOException as these two methods do
     */
    public static void store(StorageDirectory directory, Manifest manifest) throws IOException {
        prepare(directory, manifest);
        putInForce(directory);
    }

    /**
     * Writes a manifest to a new file, durably. If this fails, the former manifest is still the
     * current one.
     *
     * @throws IOException if that failed
     */
    public static void prepare(StorageDirectory directory, Manifest manifest) throws IOException {
        directory.delete(NEW_NAME);
        boolean isDone = false;
        try {
            writeNew(directory, manifest);
            directory.sync(); // So the tables' names are durable before the manifest.
            isDone = true;
        } finally {
            if (!isDone) {
                directory.delete(NEW_NAME);
            }
        }
    }

    /**
     * Renames the prepared manifest, which makes it the current one.
     *
     * @throws IOException if that failed; the former manifest is still the current one
     * @throws StorageException if it is unknown which of the two will be the current one after a
     *     crash. Then no file that one of them names may be deleted, and nothing more may be
     *     written
     * @throws Error if it is unknown which of the two is the current one. Then no file that one of
     *     them names may be deleted until another manifest is stored
     */
    public static void putInForce(StorageDirectory directory) throws IOException {
        try {
            directory.rename(NEW_NAME, NAME);
        } catch (IOException e) {
            directory.delete(NEW_NAME);
            throw e;
        }
        try {
            directory.sync();
        } catch (IOException e) {
            throw new StorageException(
                    "cannot sync data directory: path=" + directory + ": restart the server", e);
        }
    }

    private static void writeNew(StorageDirectory directory, Manifest manifest) throws IOException {
        try (GrowableMemory memory = new GrowableMemory(4096);
                FileWriter writer = directory.create(NEW_NAME)) {
            append(manifest, memory);
            writer.write(memory.contents());
            writer.sync();
        }
    }

    private static void append(Manifest manifest, GrowableMemory memory) {
        memory.appendLong(MAGIC);
        memory.appendInt(VERSION);
        memory.appendInt(0);
        memory.appendLong(manifest.nextFileNumber());
        memory.appendLong(manifest.oldestLog());
        memory.appendLong(manifest.greatestTimestampMicros());
        memory.appendLong(manifest.totals().acceptedBytes());
        memory.appendLong(manifest.totals().flushedBytes());
        memory.appendLong(manifest.totals().compactedBytes());
        memory.appendLong(manifest.tables().size());
        for (TableReference table : manifest.tables()) {
            memory.appendLong(table.number());
            memory.appendLong(table.fileBytes());
        }
        MemorySegment file = memory.contents();
        file.set(INT, CHECKSUM_OFFSET, checksum(file));
    }
}
