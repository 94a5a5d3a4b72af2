package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.Durability;
import dht.storage.StorageException;
import dht.storage.StorageOptions;
import dht.storage.StorageUnavailableException;
import dht.storage.TestOptions;
import dht.storage.TextDao;
import dht.storage.file.StorageDirectory;
import dht.storage.simulation.SimulatedDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the write path without the threads of an engine. */
@Timeout(60)
class WritePathTest {
    private static final StorageOptions OPTIONS =
            TestOptions.hostile().writeStallMax(Duration.ZERO).build();

    private final SimulatedDisk disk = new SimulatedDisk();
    private boolean canReclaim = true;
    private StorageException whyNoSpare;
    private Snapshots snapshots;
    private MemTablePool pool;
    private WritePath writePath;

    @BeforeEach
    void open() throws IOException {
        StorageDirectory directory = disk.directory();
        try (Recovery recovery = Recovery.run(directory, Durability.OS, Runnable::run)) {
            Snapshot first = new Snapshot(recovery.memTables(), recovery.tables());
            snapshots = new Snapshots(directory, true, recovery.manifest(), first);
        }
        pool = new MemTablePool(directory, OPTIONS, snapshots, this::reclaim);
        writePath = new WritePath(directory, OPTIONS, snapshots, () -> whyNoSpare, 0, 0, () -> {});
        writePath.offerSpare(pool.take()); // It becomes the active one.
    }

    private void reclaim(Runnable free) {
        free.run();
        if (!canReclaim) {
            throw new IllegalStateException("made by the test");
        }
    }

    @AfterEach
    void close() {
        snapshots.close();
        pool.close();
        disk.close();
    }

    @Test
    void write_sparesCannotBeCreated_isRefusedWithTheCause() {
        whyNoSpare = new StorageException("storage-spare failed: out of memory");
        write("a");
        assertThatThrownBy(() -> write("b"))
                .isInstanceOf(StorageUnavailableException.class)
                .hasMessage(
                        "no memtable is free: memtables=1: storage-spare failed: out of memory: remove this cause; writes are then accepted again");
    }

    private void write(String key) {
        writePath.write(
                TextDao.bytes(key),
                MemorySegment.ofArray(TextDao.bytes("value")),
                1,
                new Outcomes().listener(key));
    }

    /** Else closing the engine would release it once more. */
    @Test
    void refuse_discardingTheSpareFails_isNotDoneAgain() throws IOException {
        writePath.offerSpare(pool.take());
        canReclaim = false;
        assertThatThrownBy(() -> writePath.refuse("made by the test"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("made by the test");
        canReclaim = true;
        assertThatCode(() -> writePath.close("the test ends")).doesNotThrowAnyException();
    }
}
