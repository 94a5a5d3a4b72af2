package dht.storage.lsm;

import dht.storage.Durability;
import dht.storage.StorageOptions;
import dht.storage.TestOptions;
import dht.storage.simulation.HookedDirectory;
import dht.storage.simulation.SimulatedDisk;
import dht.testkit.junit.LongByNature;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Crashes at every operation of a script: the process is killed, or the power fails. Then opens the
 * directory again. No acknowledged write may be lost, as far as the durability promises it. No
 * incomplete write may be visible, and no write without the writes before it. The engine must be
 * able to continue.
 */
@Timeout(120)
class CrashTest {
    private static final Duration IMPATIENT = Duration.ofMillis(5);

    @ParameterizedTest
    @EnumSource
    void crash_atAnyOperation_losesNothingPromised(Durability durability)
            throws InterruptedException {
        crashEverywhere(Script.EVERYTHING, TestOptions.small().durability(durability));
    }

    @Test
    @LongByNature
    void crash_hostileOptions_losesNothingPromised() throws InterruptedException {
        crashEverywhere(Script.IN_SHORT, TestOptions.hostile().durability(Durability.FSYNC));
    }

    @Test
    @LongByNature
    void crash_hostileOptionsWithoutSyncs_losesNothingPromised() throws InterruptedException {
        crashEverywhere(Script.IN_SHORT, TestOptions.hostile().durability(Durability.OS));
    }

    private static void crashEverywhere(List<String> steps, StorageOptions.Builder options)
            throws InterruptedException {
        Survivor survivor = new Survivor(options.build());
        StorageOptions impatient = options.writeStallMax(IMPATIENT).build();
        Numbered.run(operation -> crashAt(operation, steps, impatient, survivor));
    }

    /** Answers whether the script came to its end before. */
    private static boolean crashAt(
            long operation, List<String> steps, StorageOptions options, Survivor survivor)
            throws IOException {
        SplittableRandom random = new SplittableRandom(operation);
        SplittableRandom writeBack = random.nextBoolean() ? random.split() : null;
        try (SimulatedDisk disk = new SimulatedDisk()) {
            disk.crashAfter(operation);
            History history = run(steps, options, disk, writeBack);
            try {
                survivor.survive(disk.crash(), history, operation, random);
            } catch (IOException | RuntimeException | AssertionError e) {
                throw new AssertionError(
                        "crashed at operation=%d of %s after the writes %s"
                                .formatted(operation, disk.trace(), history.writes()),
                        e);
            }
            return disk.operationCount() < operation;
        }
    }

    private static History run(
            List<String> steps,
            StorageOptions options,
            SimulatedDisk disk,
            SplittableRandom writeBack) {
        Script script =
                new Script(
                        steps,
                        hook -> LsmDao.open(new HookedDirectory(disk.directory(), hook), options),
                        disk::hasCrashed,
                        false);
        History history =
                script.run(
                        () -> {
                            if (writeBack != null && writeBack.nextInt(3) == 0) {
                                disk.writeBack(writeBack);
                            }
                        });
        disk.crash();
        script.close();
        return history;
    }
}
