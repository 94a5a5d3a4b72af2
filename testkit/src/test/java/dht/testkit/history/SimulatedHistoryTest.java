package dht.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SimulatedHistoryTest {
    private static final int HISTORIES = 20;
    private static final int OPERATIONS = 2_000;
    private final long seed = Long.getLong("testkit.seed", System.nanoTime());

    @Test
    void history_ofCorrectCluster_isClean() {
        LongStream.range(seed, seed + HISTORIES)
                .forEach(
                        run -> {
                            var verdict = judge(run, Flaw.NONE);
                            assertThat(verdict.isClean())
                                    .as("testkit.seed=%d: %s", run, verdict.describe())
                                    .isTrue();
                        });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void history_ofBrokenCluster_isFoundOut(Flaw flaw) {
        var caught =
                LongStream.range(seed, seed + HISTORIES)
                        .filter(run -> !judge(run, flaw).isClean())
                        .count();
        assertThat(caught).as("testkit.seed=%d", seed).isGreaterThan(HISTORIES / 2);
    }

    private static Verdict judge(long seed, Flaw flaw) {
        return HistoryCheck.judge(new SimulatedCluster(seed, flaw, OPERATIONS).run());
    }
}
