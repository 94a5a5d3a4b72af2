package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.Eventually;
import dht.storage.StorageOptions;
import dht.storage.TestOptions;
import dht.storage.TextDao;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A merge drops a tombstone once it is older than the grace period and there is no older version
 * for it to hide. Only a write with an older stamp that arrives after the grace period may bring
 * the key back.
 */
@Timeout(60)
class TombstoneTest {
    private static final long STAMP = 5_000_000;
    private static final Duration GRACE = Duration.ofMillis(10);
    private static final long END_OF_GRACE_MILLIS = STAMP / 1000 + GRACE.toMillis();

    private volatile long nowMillis;

    private StorageOptions.Builder options(Duration grace) {
        return TestOptions.small()
                .tombstoneGrace(grace)
                .clock(() -> Instant.ofEpochMilli(nowMillis));
    }

    private static void merge(TextDao dao) {
        dao.flush();
        dao.compact();
    }

    @Test
    void tombstone_withinGrace_outlivesMergesAndHidesOlderCopies() {
        try (SimulatedEngine engine = new SimulatedEngine(options(GRACE).build())) {
            nowMillis = END_OF_GRACE_MILLIS - 1;
            engine.dao().put("a", "old", STAMP - 2);
            engine.dao().delete("a", STAMP);
            merge(engine.dao());
            engine.reopen();
            engine.dao().put("a", "late", STAMP - 1);

            assertThat(engine.dao().get("a")).isEqualTo("deleted@" + STAMP);
            merge(engine.dao());
            assertThat(engine.dao().get("a")).isEqualTo("deleted@" + STAMP);
            assertThat(engine.dao().all()).isEmpty();
        }
    }

    @Test
    void tombstone_graceIsOver_isDroppedAndHidesNothingAnyMore() {
        try (SimulatedEngine engine = new SimulatedEngine(options(GRACE).build())) {
            nowMillis = END_OF_GRACE_MILLIS;
            engine.dao().put("a", "old", STAMP - 2);
            engine.dao().delete("a", STAMP);
            merge(engine.dao());

            assertThat(engine.dao().get("a")).isEqualTo("absent");
            assertThat(engine.stats().tableCount()).isZero();
            engine.dao().put("a", "too late", STAMP - 1);
            assertThat(engine.dao().get("a")).isEqualTo("too late@" + (STAMP - 1));
        }
    }

    @Test
    void tombstone_clockWentBack_isKept() {
        try (SimulatedEngine engine = new SimulatedEngine(options(GRACE).build())) {
            nowMillis = END_OF_GRACE_MILLIS;
            engine.dao().delete("a", STAMP);
            nowMillis = 0;
            merge(engine.dao());

            assertThat(engine.dao().get("a")).isEqualTo("deleted@" + STAMP);
        }
    }

    /** What came late but in time is still hidden when the tombstone could go. */
    @Test
    void tombstone_lateWriteInMemTable_isKeptAboveIt() {
        try (SimulatedEngine engine = new SimulatedEngine(options(GRACE).build())) {
            engine.dao().delete("a", STAMP);
            engine.dao().flush();
            engine.dao().put("a", "late", STAMP - 1);
            nowMillis = END_OF_GRACE_MILLIS;
            engine.dao().compact();

            assertThat(engine.dao().get("a")).isEqualTo("deleted@" + STAMP);
            merge(engine.dao());
            assertThat(engine.dao().get("a")).isEqualTo("absent");
        }
    }

    @Test
    void tombstone_olderVersionInATableThatIsNotMerged_isKeptAboveIt() {
        StorageOptions pairs = options(GRACE).compactionFanIn(2).build();
        try (SimulatedEngine engine = new SimulatedEngine(pairs)) {
            nowMillis = END_OF_GRACE_MILLIS;
            engine.dao().put("a", "old", STAMP - 1);
            for (int i = 0; i < 20; i++) {
                engine.dao().put("b" + i, "long".repeat(20), 1);
            }
            engine.dao().flush();
            engine.dao().delete("a", STAMP);
            engine.dao().flush();
            engine.dao().put("c", "value", 1);
            engine.dao().flush();
            Eventually.holds(() -> isMergedOnce(engine), engine::stats);

            assertThat(engine.dao().get("a")).isEqualTo("deleted@" + STAMP);
            assertThat(engine.dao().range("a", "b")).isEmpty();
        }
    }

    private static boolean isMergedOnce(SimulatedEngine engine) {
        StorageStats stats = engine.stats();
        return stats.tableCount() == 2 && stats.totals().compactedBytes() > 0;
    }

    @Test
    void tombstone_greatestStamp_isKeptForEver() {
        nowMillis = END_OF_GRACE_MILLIS;
        for (Duration grace : new Duration[] {Duration.ZERO, GRACE}) {
            try (SimulatedEngine engine = new SimulatedEngine(options(grace).build())) {
                engine.dao().delete("a", Long.MAX_VALUE);
                merge(engine.dao());
                engine.dao().put("a", "late", STAMP);

                assertThat(engine.dao().get("a")).isEqualTo("deleted@" + Long.MAX_VALUE);
            }
        }
    }

    @Test
    void tombstone_longestGrace_isKept() {
        Duration longest = Duration.ofDays(100 * 365);
        nowMillis = longest.toMillis();
        try (SimulatedEngine engine = new SimulatedEngine(options(longest).build())) {
            engine.dao().delete("a", STAMP);
            merge(engine.dao());

            assertThat(engine.dao().get("a")).isEqualTo("deleted@" + STAMP);
        }
    }
}
