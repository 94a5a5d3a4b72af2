package dht.storage.inspect;

import dht.storage.CorruptionException;
import dht.storage.file.LocalDirectory;
import dht.storage.file.MappedFile;
import dht.storage.file.StorageDirectory;
import dht.storage.log.LogFiles;
import dht.storage.log.LogReplay;
import dht.storage.manifest.Manifest;
import dht.storage.manifest.Manifest.TableReference;
import dht.storage.manifest.ManifestFile;
import dht.storage.memory.RefCounted;
import dht.storage.sstable.SSTable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Describes the content of a data directory. It does not change or lock the directory, so the
 * engine that uses it may be running. Used by one thread.
 */
public final class Inspector {
    private final StorageDirectory directory;

    Inspector(StorageDirectory directory) {
        this.directory = directory;
    }

    /**
     * Describes a data directory in lines of text.
     *
     * @param readsEverything whether to read every entry. This checks every block, and is needed
     *     for the space amplification
     * @throws CorruptionException if something is damaged
     * @throws IOException if this is not a data directory, or a file was deleted or changed while
     *     it was read
     */
    public static List<String> describe(Path path, boolean readsEverything) throws IOException {
        try (StorageDirectory directory = LocalDirectory.openForReading(path)) {
            return new Inspector(directory).describe(readsEverything);
        } catch (NoSuchFileException e) {
            throw new IOException(
                    "no such file: "
                            + e.getMessage()
                            + ": not a data directory, or it changes: try again",
                    e);
        }
    }

    List<String> describe(boolean readsEverything) throws IOException {
        Manifest manifest = manifest();
        List<SSTable> tables = new ArrayList<>();
        try {
            for (TableReference reference : manifest.tables()) {
                tables.add(SSTable.open(directory, reference.number(), Runnable::run));
            }
            return new Report(
                            directory.toString(), manifest, logs(manifest), tables, readsEverything)
                    .lines();
        } finally {
            tables.forEach(RefCounted::release);
        }
    }

    private Manifest manifest() throws IOException {
        return ManifestFile.load(directory)
                .orElseThrow(
                        () ->
                                new IOException(
                                        "no manifest: path="
                                                + directory
                                                + ": not a data directory"));
    }

    private List<LogSummary> logs(Manifest manifest) throws IOException {
        List<LogSummary> logs = new ArrayList<>();
        for (String name : directory.list().stream().sorted().toList()) {
            OptionalLong number = LogFiles.number(name);
            if (number.isPresent() && number.getAsLong() >= manifest.oldestLog()) {
                logs.add(log(number.getAsLong(), name));
            }
        }
        return logs;
    }

    private LogSummary log(long number, String name) throws IOException {
        try (MappedFile file = directory.map(name)) {
            return log(number, name, file);
        }
    }

    private LogSummary log(long number, String name, MappedFile file) throws IOException {
        try {
            LogReplay replay = LogReplay.open(file.memory(), number, name, directory.bootId());
            long[] records = new long[1];
            replay.forEach((_, _) -> records[0]++);
            return new LogSummary(name, records[0], replay.end());
        } catch (CorruptionException e) {
            if (isUsed(number, name, file.memory().byteSize())) {
                throw new IOException(
                        "log changed while it was read: file=" + name + ": try again", e);
            }
            throw e;
        }
    }

    /**
     * Whether an engine has used a log's file since it was mapped. If the log was flushed, its file
     * may contain another log now. If the log has grown, the mapping is too short.
     *
     * @throws IOException if the file now has another name, because it is used for another log
     */
    private boolean isUsed(long number, String name, long mappedBytes) throws IOException {
        if (manifest().oldestLog() > number) {
            return true;
        }
        try (MappedFile current = directory.map(name)) {
            return current.memory().byteSize() > mappedBytes;
        }
    }

    /**
     * A log that is not flushed yet.
     *
     * @param bytes the size of its header and its complete records
     */
    record LogSummary(String name, long records, long bytes) {}
}
