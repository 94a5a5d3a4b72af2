package dht.storage.lsm;

import dht.storage.StorageException;
import dht.storage.StorageOptions;
import dht.storage.TextDao;
import dht.storage.simulation.DiskImage;
import dht.storage.simulation.Faults;
import dht.storage.simulation.HookedDirectory;
import dht.storage.simulation.Operation;
import dht.storage.simulation.SimulatedDisk;
import java.io.IOException;
import java.io.UncheckedIOException;

/** An engine on a simulated disk, whose operations can be made to fail. Closing it closes both. */
final class SimulatedEngine implements AutoCloseable {
    private static final long RETRY_MILLIS = 5;

    final SimulatedDisk disk;
    final Faults faults = new Faults();
    private final StorageOptions options;
    private TextDao dao;

    SimulatedEngine(StorageOptions options) {
        this(new SimulatedDisk(), options);
    }

    SimulatedEngine(SimulatedDisk disk, StorageOptions options) {
        this.disk = disk;
        this.options = options;
        open();
    }

    /**
     * Whether writes wait for this operation. In the background logs are synced too, before they
     * are used.
     */
    static boolean isGroupSync(Operation operation) {
        return operation.kind() == Operation.Kind.FORCE
                && Thread.currentThread().getName().equals(GroupCommit.THREAD_NAME);
    }

    private void open() {
        try {
            dao =
                    new TextDao(
                            LsmDao.open(
                                    new HookedDirectory(disk.directory(), faults),
                                    options,
                                    RETRY_MILLIS));
        } catch (IOException | RuntimeException e) {
            disk.close();
            throw e instanceof RuntimeException unchecked
                    ? unchecked
                    : new UncheckedIOException((IOException) e);
        }
    }

    TextDao dao() {
        return dao;
    }

    StorageStats stats() {
        return ((LsmDao) dao.dao()).stats();
    }

    DamagedTables damagedTables() {
        return ((LsmDao) dao.dao()).damagedTables();
    }

    void reopen() {
        dao.dao().close();
        open();
    }

    /** Ends the process, and answers what it left; the caller starts another from there. */
    DiskImage kill() {
        DiskImage image = disk.crash();
        close();
        return image;
    }

    /** The process that comes after. */
    static SimulatedEngine start(DiskImage image, StorageOptions options) {
        return new SimulatedEngine(image.start(), options);
    }

    /** Files whose names end with {@code suffix}. */
    long fileCount(String suffix) {
        return disk.names().stream().filter(name -> name.endsWith(suffix)).count();
    }

    @Override
    public void close() {
        faults.heal();
        faults.release();
        try {
            dao.dao().close();
        } catch (StorageException e) {
            if (!disk.hasCrashed()) {
                throw e;
            }
        } finally {
            disk.close();
        }
    }
}
