package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ThrottleTest {
    private final List<Long> rests = new ArrayList<>();
    private long nowNanos = 5_000;
    private final Throttle throttle =
            new Throttle(
                    () -> nowNanos,
                    nanos -> {
                        rests.add(nanos);
                        nowNanos += nanos;
                    });

    @Test
    void rest_afterWork_takesThreeTimesAsLong() {
        throttle.begin();
        nowNanos += 100;
        throttle.rest();
        nowNanos += 10;
        throttle.rest();
        assertThat(rests).containsExactly(300L, 30L);
    }

    @Test
    void rest_afterLongWork_isBounded() {
        throttle.begin();
        nowNanos += 1_000_000_000;
        throttle.rest();
        assertThat(rests).containsExactly(Throttle.REST_NANOS_MAX);
    }

    @Test
    void rest_whileSomebodyWaits_isNone() {
        throttle.begin();
        throttle.beginHurry();
        throttle.beginHurry();
        throttle.endHurry();
        nowNanos += 100;
        throttle.rest();
        assertThat(rests).isEmpty();
        throttle.endHurry();
        nowNanos += 10;
        throttle.rest();
        assertThat(rests).containsExactly(30L);
    }
}
