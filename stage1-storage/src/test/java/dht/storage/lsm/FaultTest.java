package dht.storage.lsm;

import dht.storage.Durability;
import dht.storage.StorageOptions;
import dht.storage.TestOptions;
import dht.storage.simulation.Hook;
import dht.storage.simulation.HookedDirectory;
import dht.storage.simulation.Operation;
import dht.storage.simulation.SimulatedDisk;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Makes each operation of a script fail, either alone or together with all later ones, as on a disk
 * with a bad cable. At the end, acknowledged writes must be there, and no unneeded file may be
 * left. As soon as the disk works again, the engine must work again.
 */
@Timeout(120)
class FaultTest {
    private static final long RETRY_MILLIS = 2;

    @ParameterizedTest
    @CsvSource({"OS, 1", "OS, 7", "NONE, 3", "FSYNC, 1"})
    void operation_fails_nothingIsLostOrLeft(Durability durability, int faultCount)
            throws InterruptedException {
        StorageOptions options =
                TestOptions.small()
                        .durability(durability)
                        .writeStallMax(Duration.ofMillis(5))
                        .build();
        Numbered.run(first -> isHarmless(options, new FaultWindow(first, faultCount)));
    }

    /** Answers whether the script came to its end before the first fault. */
    private static boolean isHarmless(StorageOptions options, FaultWindow faults) {
        try {
            run(options, faults);
        } catch (IOException | RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "failed %d from %s".formatted(faults.end - faults.first, faults), e);
        }
        return faults.count.get() < faults.first;
    }

    /** Fails some operations, counting from the first. */
    private static final class FaultWindow implements Hook {
        private final AtomicLong count = new AtomicLong();
        private final long first;
        private final long end;
        private volatile String failed = "";

        FaultWindow(long first, long faultCount) {
            this.first = first;
            this.end = first + faultCount;
        }

        @Override
        public void before(Operation operation) throws IOException {
            long index = count.getAndIncrement();
            if (index >= first && index < end) {
                failed += " " + operation;
                throw new IOException("injected: " + operation);
            }
        }

        @Override
        public String toString() {
            return "operation=" + first + ":" + failed;
        }
    }

    private static void run(StorageOptions options, FaultWindow faults) throws IOException {
        try (SimulatedDisk disk = new SimulatedDisk()) {
            Script script =
                    new Script(
                            Script.EVERYTHING,
                            hook ->
                                    LsmDao.open(
                                            new HookedDirectory(
                                                    new HookedDirectory(disk.directory(), faults),
                                                    hook),
                                            options,
                                            RETRY_MILLIS),
                            () -> false,
                            true);
            History history = script.run(() -> {});
            script.close();
            Survivor survivor = new Survivor(options);
            survivor.check(disk.image(), history, history.acknowledged());
        }
    }
}
