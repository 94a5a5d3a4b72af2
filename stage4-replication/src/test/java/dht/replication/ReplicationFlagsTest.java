package dht.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

class ReplicationFlagsTest {
    private static final long HOUR_MICROS = Duration.ofHours(1).toMillis() * 1000;

    private static ReplicationFlags flags(String... arguments) {
        ReplicationFlags flags = new ReplicationFlags();
        new CommandLine(
                        CommandSpec.create()
                                .addMixin("replication", CommandSpec.forAnnotatedObject(flags)))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .parseArgs(arguments);
        return flags;
    }

    private static long nowMicros() {
        return System.currentTimeMillis() * 1000;
    }

    @Test
    void options_byDefault_arePinned() throws StampAheadException {
        assertThat(flags().gcGrace()).hasDays(10);
        assertThat(flags().reads()).isEqualTo(RegisterKind.REGULAR);
        HybridLogicalClock clock = flags().clock(0);
        assertThat(clock.nextMicros())
                .isBetween(nowMicros() - HOUR_MICROS / 60, nowMicros() + HOUR_MICROS / 60);
        clock.observe(nowMicros() + 23 * HOUR_MICROS);
        assertThatThrownBy(() -> clock.observe(nowMicros() + 25 * HOUR_MICROS))
                .isInstanceOf(StampAheadException.class);
    }

    @Test
    void options_given_areTaken() {
        assertThat(flags("--gc-grace=3h").gcGrace()).hasHours(3);
        assertThat(flags("--reads=atomic").reads()).isEqualTo(RegisterKind.ATOMIC);
        HybridLogicalClock behind = flags("--clock-behind=2h").clock(0);
        assertThat(behind.nextMicros()).isLessThan(nowMicros() - HOUR_MICROS);
        HybridLogicalClock trusting = flags("--clock-ahead-max=30d").clock(0);
        assertThatCode(() -> trusting.observe(nowMicros() + 25 * HOUR_MICROS))
                .doesNotThrowAnyException();
    }

    @Test
    void clock_dataOfEarlier_goesOnAfterIt() {
        long stored = nowMicros() + HOUR_MICROS;
        HybridLogicalClock clock = flags().clock(stored);

        assertThat(clock.lastMicros()).isEqualTo(stored);
        assertThat(clock.nextMicros()).isEqualTo(stored + 1);
    }
}
