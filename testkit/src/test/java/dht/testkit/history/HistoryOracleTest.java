package dht.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.history.Operation.Kind;
import dht.testkit.history.Operation.Outcome;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Compares the check with the definition, for many small histories. */
class HistoryOracleTest {
    private static final int HISTORIES = 30_000;
    private static final int WRITES_MAX = 5;
    private static final int READS_MAX = 5;
    private static final int TIME_MAX = 24;

    @ParameterizedTest
    @EnumSource
    void verdict_ofRandomSmallHistories_isThatOfTheDefinition(RegisterKind kind) {
        var seed = Long.getLong("testkit.seed", System.nanoTime());
        var random = new Random(seed);
        var clean = 0;
        for (var i = 0; i < HISTORIES; i++) {
            var history = randomHistory(random);
            var isExplained = new HistoryOracle(history).isExplained(kind);
            assertThat(HistoryCheck.judge(history, kind).isClean())
                    .as("testkit.seed=%d, history %d: %s", seed, i, history)
                    .isEqualTo(isExplained);
            clean += isExplained ? 1 : 0;
        }
        assertThat(clean).as("both sorts occur").isBetween(HISTORIES / 20, HISTORIES * 19 / 20);
    }

    private static List<Operation> randomHistory(RandomGenerator random) {
        var script = new Script();
        var writes = random.nextInt(WRITES_MAX + 1);
        for (var i = 0; i < writes; i++) {
            var isDeletion = random.nextInt(3) == 0;
            add(script, random, isDeletion ? Kind.DELETE : Kind.PUT, isDeletion ? null : "v" + i);
        }
        var reads = random.nextInt(READS_MAX + 1);
        for (var i = 0; i < reads; i++) {
            add(script, random, Kind.GET, readable(script, random));
        }
        return script.operations();
    }

    /** Usually a value that one of the writes has written. */
    private static String readable(Script script, RandomGenerator random) {
        var operations = script.operations();
        return operations.isEmpty()
                ? null
                : operations.get(random.nextInt(operations.size())).value();
    }

    private static void add(Script script, RandomGenerator random, Kind kind, String value) {
        var start = random.nextInt(TIME_MAX);
        var end = start + random.nextInt(TIME_MAX - start);
        var outcome =
                switch (random.nextInt(10)) {
                    case 0 -> Outcome.UNKNOWN;
                    case 1 -> Outcome.FAILED;
                    default -> Outcome.OK;
                };
        script.add(kind, value, start, end, outcome);
    }
}
