package dht.repair;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RateLimiterTest {
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLong nowNanos = new AtomicLong();

    private int turnsIn(RateLimiter limiter, long nanos) {
        long endNanos = nowNanos.get() + nanos;
        int count = 0;
        while (nowNanos.get() < endNanos) {
            nowNanos.addAndGet(limiter.takeTurnNanos());
            count++;
        }
        return count;
    }

    @Test
    void turns_takenAsTheyCome_areAsManyASecondAsAllowed() {
        RateLimiter limiter = new RateLimiter(100, nowNanos::get);
        assertThat(turnsIn(limiter, 3 * SECOND_NANOS)).isBetween(300, 302);
    }

    @Test
    void turns_takenManyAtATime_areAsManyASecondAsAllowed() {
        RateLimiter limiter = new RateLimiter(5 << 20, nowNanos::get);
        long taken = 0;
        while (nowNanos.get() < 3 * SECOND_NANOS) {
            nowNanos.addAndGet(limiter.takeTurnsNanos(1 << 20));
            taken += 1 << 20;
        }
        assertThat(taken).isBetween(15L << 20, 17L << 20);
    }

    @Test
    void turns_afterAPause_areNotMadeUpFor() {
        RateLimiter limiter = new RateLimiter(100, nowNanos::get);
        turnsIn(limiter, SECOND_NANOS);
        nowNanos.addAndGet(60 * SECOND_NANOS);
        assertThat(turnsIn(limiter, SECOND_NANOS)).isLessThan(110);
    }
}
