package dht.storage.lsm;

import dht.storage.Durability;
import dht.storage.file.StorageDirectory;
import java.io.IOException;

/** The tables and memtables of a directory, for tests of the engine's parts without its threads. */
final class TestSnapshots {
    private TestSnapshots() {}

    static Snapshots open(StorageDirectory directory) throws IOException {
        try (Recovery recovery = Recovery.run(directory, Durability.OS, Runnable::run)) {
            Snapshot first = new Snapshot(recovery.memTables(), recovery.tables());
            return new Snapshots(directory, true, recovery.manifest(), first);
        }
    }
}
