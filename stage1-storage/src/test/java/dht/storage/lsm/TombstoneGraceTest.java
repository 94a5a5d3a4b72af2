package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.TestOptions;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long a tombstone stays, though nothing is below it any more. */
class TombstoneGraceTest {
    private static final long NOW_MICROS = 7_200_000_000L; // Two hours after the epoch.
    private static final long HOUR_MICROS = 3_600_000_000L;

    @ParameterizedTest
    @CsvSource({
        HOUR_MICROS + ", true",
        (HOUR_MICROS + 1) + ", false",
        NOW_MICROS + ", false",
        Long.MAX_VALUE + ", false",
        "0, true"
    })
    void compact_tombstoneOfAnyAge_goesWhenItsGraceIsOver(long timestampMicros, boolean goes) {
        try (SimulatedEngine engine =
                new SimulatedEngine(
                        TestOptions.small()
                                .tombstoneGrace(Duration.ofHours(1))
                                .clock(() -> Instant.ofEpochSecond(7200))
                                .build())) {
            engine.dao().put("other", "1", 1);
            engine.dao().delete("a", timestampMicros);
            engine.dao().flush();
            engine.dao().compact();

            assertThat(engine.dao().get("a"))
                    .isEqualTo(goes ? "absent" : "deleted@" + timestampMicros);
        }
    }
}
