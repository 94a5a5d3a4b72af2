package dht.storage.file;

import dht.storage.simulation.SimulatedDisk;
import org.junit.jupiter.api.AfterEach;

class SimulatedDirectoryTest implements StorageDirectoryContract {
    private final SimulatedDisk disk = new SimulatedDisk();
    private final StorageDirectory directory = disk.directory();

    @Override
    public StorageDirectory directory() {
        return directory;
    }

    @AfterEach
    void close() {
        disk.close();
    }
}
