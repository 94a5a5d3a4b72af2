package dht.storage.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.CorruptionException;
import dht.storage.TextDao;
import dht.storage.file.StorageDirectory;
import dht.storage.file.WritableMapping;
import dht.storage.log.LogFiles;
import dht.storage.log.WriteAheadLog;
import dht.storage.manifest.Manifest;
import dht.storage.manifest.ManifestFile;
import dht.storage.manifest.WriteTotals;
import dht.storage.simulation.Hook;
import dht.storage.simulation.HookedDirectory;
import dht.storage.simulation.Operation;
import dht.storage.simulation.Operation.Kind;
import dht.storage.simulation.SimulatedDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An engine uses a log while it is inspected: between mapping the log and reading it. */
class InspectorTest {
    private static final long NUMBER = 1;
    private static final String NAME = LogFiles.name(NUMBER);
    private static final long STEP_BYTES = WriteAheadLog.RESERVE_UNIT_BYTES;

    /** What the engine does. */
    private interface Change {
        void run() throws IOException;
    }

    private final SimulatedDisk disk = new SimulatedDisk();
    private final StorageDirectory directory = disk.directory();
    private WritableMapping mapping;
    private WriteAheadLog log;

    @BeforeEach
    void open() throws IOException {
        ManifestFile.store(directory, manifest(NUMBER));
        mapping = directory.createMapped(NAME, 4 * STEP_BYTES);
        log = log(NUMBER);
        append(10);
    }

    @AfterEach
    void close() {
        mapping.close();
        disk.close();
    }

    private static Manifest manifest(long oldestLog) {
        return new Manifest(oldestLog + 1, oldestLog, 0, WriteTotals.ZERO, List.of());
    }

    private WriteAheadLog log(long number) throws IOException {
        return new WriteAheadLog(mapping, number, number - 1, directory.bootId(), STEP_BYTES);
    }

    private void append(int valueBytes) throws IOException {
        byte[] value = new byte[valueBytes];
        log.append(TextDao.bytes("key"), MemorySegment.ofArray(value), 1);
    }

    /** Makes one change when the log has just been mapped. */
    private List<String> describe(Change change) throws IOException {
        Hook hook =
                new Hook() {
                    private boolean isDone;

                    @Override
                    public void before(Operation operation) {}

                    @Override
                    public void after(Operation operation) {
                        if (operation.is(Kind.MAP, NAME) && !isDone) {
                            isDone = true;
                            try {
                                change.run();
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        }
                    }
                };
        return new Inspector(new HookedDirectory(directory, hook)).describe(true);
    }

    private void assertThatItSaysTryAgain(Change change) {
        assertThatThrownBy(() -> describe(change))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("log changed while it was read: file=" + NAME)
                .hasMessageEndingWith(": try again");
    }

    @Test
    void log_unchanged_isDescribed() throws IOException {
        assertThat(describe(() -> {})).anySatisfy(line -> assertThat(line).contains(NAME));
    }

    @Test
    void log_grows_isNotCorrupt() {
        assertThatItSaysTryAgain(() -> append((int) STEP_BYTES));
    }

    @Test
    void log_isFlushedAndItsFileUsedAgain_isNotCorrupt() {
        assertThatItSaysTryAgain(
                () -> {
                    ManifestFile.store(directory, manifest(NUMBER + 1));
                    log(NUMBER + 1);
                });
    }

    @Test
    void log_itsFileHasAnotherName_isNotCorrupt() {
        assertThatThrownBy(
                        () ->
                                describe(
                                        () -> {
                                            log(NUMBER + 1);
                                            directory.rename(NAME, LogFiles.name(NUMBER + 1));
                                        }))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(NAME);
    }

    @Test
    void log_isDamaged_isCorrupt() {
        assertThatThrownBy(
                        () ->
                                describe(
                                        () ->
                                                mapping.memory()
                                                        .set(ValueLayout.JAVA_BYTE, 0, (byte) 0)))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("not a log");
    }
}
