package dht.storage.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.CorruptionException;
import dht.storage.Hex;
import dht.storage.StorageException;
import dht.storage.file.FileWriter;
import dht.storage.file.StorageDirectory;
import dht.storage.manifest.Manifest.TableReference;
import dht.storage.simulation.DiskImage;
import dht.storage.simulation.HookedDirectory;
import dht.storage.simulation.Loss;
import dht.storage.simulation.Operation.Kind;
import dht.storage.simulation.SimulatedDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ManifestFileTest {
    private static final Manifest OLD =
            new Manifest(5, 4, 1000, new WriteTotals(1, 2, 3), List.of(new TableReference(3, 100)));
    private static final Manifest NEW =
            new Manifest(
                    9,
                    8,
                    2000,
                    new WriteTotals(10, 20, 30),
                    List.of(new TableReference(7, 700), new TableReference(3, 100)));

    private final SimulatedDisk disk = new SimulatedDisk();
    private final StorageDirectory directory = disk.directory();

    @AfterEach
    void close() {
        disk.close();
    }

    private static Manifest loadFrom(DiskImage image) throws IOException {
        try (SimulatedDisk next = image.start()) {
            return ManifestFile.load(next.directory()).orElse(null);
        }
    }

    @Test
    void load_neverStored_isEmpty() throws IOException {
        assertThat(ManifestFile.load(directory)).isEmpty();
    }

    @Test
    void load_stored_isTheSame() throws IOException {
        ManifestFile.store(directory, OLD);
        assertThat(ManifestFile.load(directory)).isEqualTo(Optional.of(OLD));

        ManifestFile.store(directory, NEW);
        assertThat(ManifestFile.load(directory)).isEqualTo(Optional.of(NEW));
    }

    @Test
    void load_noTables_isTheSame() throws IOException {
        ManifestFile.store(directory, Manifest.EMPTY);

        assertThat(ManifestFile.load(directory)).isEqualTo(Optional.of(Manifest.EMPTY));
    }

    /** The format is persistent: whoever changes these bytes locks people out of their data. */
    private static final byte[] NEW_BYTES =
            Hex.bytes(
                    """
                    4448544d414e3100 | magic "DHTMAN1"
                    01000000         | version
                    ec2044af         | checksum
                    0900000000000000 | nextFileNumber
                    0800000000000000 | oldestLog
                    d007000000000000 | greatestTimestampMicros
                    0a00000000000000 | acceptedBytes
                    1400000000000000 | flushedBytes
                    1e00000000000000 | compactedBytes
                    0200000000000000 | tableCount
                    0700000000000000 | table: number
                    bc02000000000000 |        fileBytes
                    0300000000000000 | table: number
                    6400000000000000 |        fileBytes
                    """);

    @Test
    void store_bytes_areTheDocumentedOnes() throws IOException {
        ManifestFile.store(directory, NEW);

        assertThat(disk.image().content(ManifestFile.NAME)).isEqualTo(NEW_BYTES);
    }

    @Test
    void load_documentedBytes_areRead() throws IOException {
        DiskImage image = disk.image().withFile(ManifestFile.NAME, NEW_BYTES);

        assertThat(loadFrom(image)).isEqualTo(NEW);
    }

    @Test
    void load_anyBitFlipped_isCorruption() throws IOException {
        ManifestFile.store(directory, NEW);
        DiskImage image = disk.image();
        for (int offset = 0; offset < image.size(ManifestFile.NAME); offset++) {
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                DiskImage flipped = image.withFlippedBit(ManifestFile.NAME, offset, bit);
                assertThatThrownBy(() -> loadFrom(flipped))
                        .isInstanceOf(CorruptionException.class)
                        .hasMessageContaining("file=MANIFEST offset=");
            }
        }
    }

    @Test
    void load_cutShort_isCorruption() throws IOException {
        ManifestFile.store(directory, NEW);
        DiskImage image = disk.image();
        for (int bytes = 0; bytes < image.size(ManifestFile.NAME); bytes++) {
            DiskImage cut = image.truncated(ManifestFile.NAME, bytes);
            assertThatThrownBy(() -> loadFrom(cut)).isInstanceOf(CorruptionException.class);
        }
    }

    @Test
    void load_versionOfTheFuture_isToldApart() throws IOException {
        byte[] content = NEW_BYTES.clone();
        content[8] = 2;
        DiskImage image = disk.image().withFile(ManifestFile.NAME, content);

        assertThatThrownBy(() -> loadFrom(image))
                .hasMessage(
                        "unknown file format: file=MANIFEST offset=8: version=2 supported=1:"
                                + " written by a newer release of this program: use that one");
    }

    @Test
    void store_failsBeforeTheRename_leavesTheFormerInForce() throws IOException {
        ManifestFile.store(directory, OLD);
        for (Kind kind : List.of(Kind.CREATE, Kind.WRITE, Kind.SYNC_FILE, Kind.RENAME)) {
            assertThatThrownBy(() -> ManifestFile.store(failing(kind, 1), NEW))
                    .as("%s", kind)
                    .isInstanceOf(IOException.class);

            assertThat(ManifestFile.load(directory)).isEqualTo(Optional.of(OLD));
            assertThat(disk.names()).containsExactly(ManifestFile.NAME);
        }
        ManifestFile.store(directory, NEW);
        assertThat(ManifestFile.load(directory)).isEqualTo(Optional.of(NEW));
    }

    @Test
    void store_afterAProcessEndedWithinIt_succeeds() throws IOException {
        directory.create(ManifestFile.NEW_NAME).close();
        ManifestFile.store(directory, NEW);
        assertThat(ManifestFile.load(directory)).isEqualTo(Optional.of(NEW));
        assertThat(disk.names()).containsExactly(ManifestFile.NAME);
    }

    @Test
    void store_namesNotSyncedAfterTheRename_isNeitherFailureNorSuccess() throws IOException {
        ManifestFile.store(directory, OLD);

        assertThatThrownBy(() -> ManifestFile.store(failing(Kind.SYNC_NAMES, 2), NEW))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("cannot sync data directory")
                .hasMessageContaining("restart");
    }

    /** Fails the given operation when it comes for the n-th time. */
    private StorageDirectory failing(Kind kind, int nth) {
        int[] left = {nth};
        return new HookedDirectory(
                directory,
                operation -> {
                    if (operation.kind() == kind && --left[0] == 0) {
                        throw new IOException("injected");
                    }
                });
    }

    @Test
    void store_powerFailsAnywhere_oldOrNewIsWhole() throws IOException {
        ManifestFile.store(directory, OLD);
        DiskImage before = disk.image();
        for (long operation = 0; operation <= 7; operation++) {
            for (int seed = 0; seed < 20; seed++) {
                DiskImage left = storeUntil(before, operation);
                for (Loss loss : Loss.values()) {
                    SplittableRandom random = new SplittableRandom(seed);
                    Manifest found = loadFrom(left.afterPowerFailure(loss, random));
                    assertThat(found).as("operation %d", operation).isIn(OLD, NEW);
                }
            }
        }
        assertThat(loadFrom(storeUntil(before, 7))).isEqualTo(NEW);
    }

    private static DiskImage storeUntil(DiskImage before, long operation) throws IOException {
        try (SimulatedDisk next = before.start()) {
            next.crashAfter(operation);
            try {
                ManifestFile.store(next.directory(), NEW);
            } catch (IOException | StorageException e) {
                assertThat(next.hasCrashed()).isTrue();
            }
            return next.crash();
        }
    }

    /** Who finds a manifest must find the tables that it names. */
    @Test
    void store_namesOfTables_areDurableFirst() throws IOException {
        ManifestFile.store(directory, OLD);
        String table = "00000007.sst";
        try (FileWriter writer = directory.create(table)) {
            writer.write(MemorySegment.ofArray(new byte[700]));
            writer.sync();
        }
        DiskImage before = disk.image();
        for (long operation = 0; operation <= 7; operation++) {
            DiskImage left = storeUntil(before, operation);
            for (int seed = 0; seed < 50; seed++) {
                DiskImage found = left.afterPowerFailure(Loss.SECTORS, new SplittableRandom(seed));
                if (loadFrom(found).equals(NEW)) {
                    assertThat(found.files()).as("operation %d", operation).contains(table);
                }
            }
        }
    }
}
