package dht.storage.lsm;

import dht.storage.Durability;
import dht.storage.StorageOptions;
import dht.storage.TestOptions;
import dht.storage.TextDao;
import dht.storage.simulation.Operation.Kind;
import dht.testkit.junit.LongByNature;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever threads do to an engine at the same time, it answers as a map would to the same
 * operations one after the other, if the version with the greater stamp wins.
 *
 * <p>One engine serves many runs, and each run uses different keys. So a run costs little, and the
 * engine is busy flushing and merging the entries of earlier runs.
 */
@Timeout(600)
class LinearizabilityTest {
    private static final int SCENARIOS = 4;
    private static final int SCENARIOS_OF_A_CAMPAIGN = 20;
    private static final int RUNS_PER_SCENARIO = 100;
    private static final int RUNS_PER_ENGINE = 50;

    // One run at a time begins.
    private static StorageOptions options;
    private static SimulatedEngine engine;
    private static long runCount;

    @ParameterizedTest
    @EnumSource(names = {"OS", "FSYNC"})
    void engine_manyThreads_isLinearizable(Durability durability) {
        expectLinearizable(durability, SCENARIOS);
    }

    @LongByNature
    @ParameterizedTest
    @EnumSource(names = {"OS", "FSYNC"})
    void engine_manyThreadsInManyScenarios_isLinearizable(Durability durability) {
        expectLinearizable(durability, SCENARIOS_OF_A_CAMPAIGN);
    }

    private static void expectLinearizable(Durability durability, int scenarios) {
        options =
                TestOptions.small()
                        .durability(durability)
                        .memTableBytes(4096 + 2000)
                        .clock(() -> Instant.EPOCH) // No tombstone is old enough to go.
                        .build();
        engine = newEngine();
        try {
            new StressOptions()
                    .iterations(scenarios)
                    .invocationsPerIteration(RUNS_PER_SCENARIO)
                    .threads(2)
                    .actorsPerThread(4)
                    .actorsBefore(1)
                    .actorsAfter(1)
                    .sequentialSpecification(Specification.class)
                    .check(Run.class);
        } finally {
            engine.close();
        }
    }

    private static SimulatedEngine newEngine() {
        SimulatedEngine opened = new SimulatedEngine(options);
        opened.faults.fail(LinearizabilityTest::takesTime);
        return opened;
    }

    /** A sync is never so quick that nobody could look meanwhile; it does not fail. */
    private static boolean takesTime(dht.storage.simulation.Operation operation) {
        if (operation.kind() == Kind.FORCE) {
            LockSupport.parkNanos(20_000);
        }
        return false;
    }

    private static TextDao daoOfNextRun() {
        if (++runCount % RUNS_PER_ENGINE == 0) {
            engine.close();
            engine = newEngine();
        }
        return engine.dao();
    }

    /** One run: a few keys of the engine, that nobody else knows. */
    @Param(name = "key", gen = IntGen.class, conf = "0:1")
    @Param(name = "value", gen = IntGen.class, conf = "0:2")
    @Param(name = "stamp", gen = IntGen.class, conf = "1:4")
    public static final class Run {
        private final TextDao dao = daoOfNextRun();
        private final String prefix = "%d:".formatted(runCount);

        @Operation
        public void upsert(
                @Param(name = "key") int key,
                @Param(name = "value") int value,
                @Param(name = "stamp") int stamp) {
            dao.put(prefix + key, "" + value, stamp);
        }

        @Operation
        public void delete(@Param(name = "key") int key, @Param(name = "stamp") int stamp) {
            dao.delete(prefix + key, stamp);
        }

        @Operation
        public String get(@Param(name = "key") int key) {
            return dao.get(prefix + key);
        }

        @Operation
        public List<String> range() {
            return dao.range(prefix, prefix + ":").stream()
                    .map(entry -> entry.substring(prefix.length()))
                    .toList();
        }

        @Operation(runOnce = true) // It takes longer than all the rest.
        public void flush() {
            dao.flush();
        }
    }

    /** What a run must look like, when one thread does it. */
    public static final class Specification {
        private static final String DELETED = "deleted";

        private record Version(int stamp, String value) {
            private Version winner(Version other) {
                boolean wins =
                        stamp == other.stamp
                                ? value.compareTo(other.value) > 0 // DELETED is beyond all digits.
                                : stamp > other.stamp;
                return wins ? this : other;
            }

            @Override
            public String toString() {
                return value + "@" + stamp;
            }
        }

        private final Map<Integer, Version> versions = new TreeMap<>();

        public void upsert(int key, int value, int stamp) {
            versions.merge(key, new Version(stamp, "" + value), Version::winner);
        }

        public void delete(int key, int stamp) {
            versions.merge(key, new Version(stamp, DELETED), Version::winner);
        }

        public String get(int key) {
            Version version = versions.get(key);
            return version == null ? "absent" : version.toString();
        }

        public List<String> range() {
            return versions.entrySet().stream()
                    .filter(entry -> !entry.getValue().value.equals(DELETED))
                    .map(entry -> entry.getKey() + "=" + entry.getValue())
                    .toList();
        }

        public void flush() {}
    }
}
