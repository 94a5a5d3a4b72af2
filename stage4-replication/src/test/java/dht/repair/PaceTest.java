package dht.repair;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PaceTest {
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLong nowNanos = new AtomicLong();

    private int turnsIn(Pace pace, long nanos) {
        long endNanos = nowNanos.get() + nanos;
        int count = 0;
        while (nowNanos.get() < endNanos) {
            nowNanos.addAndGet(pace.takeTurnNanos());
            count++;
        }
        return count;
    }

    @Test
    void turns_takenAsTheyCome_areAsManyASecondAsAllowed() {
        Pace pace = new Pace(100, nowNanos::get);
        assertThat(turnsIn(pace, 3 * SECOND_NANOS)).isBetween(300, 302);
    }

    @Test
    void turns_takenManyAtATime_areAsManyASecondAsAllowed() {
        Pace pace = new Pace(5 << 20, nowNanos::get);
        long taken = 0;
        while (nowNanos.get() < 3 * SECOND_NANOS) {
            nowNanos.addAndGet(pace.takeTurnsNanos(1 << 20));
            taken += 1 << 20;
        }
        assertThat(taken).isBetween(15L << 20, 17L << 20);
    }

    @Test
    void turns_afterAPause_areNotMadeUpFor() {
        Pace pace = new Pace(100, nowNanos::get);
        turnsIn(pace, SECOND_NANOS);
        nowNanos.addAndGet(60 * SECOND_NANOS);
        assertThat(turnsIn(pace, SECOND_NANOS)).isLessThan(110);
    }
}
