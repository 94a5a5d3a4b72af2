package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PaceTest {
    private final List<Long> rests = new ArrayList<>();
    private long nowNanos = 5_000;
    private final Pace pace =
            new Pace(
                    () -> nowNanos,
                    nanos -> {
                        rests.add(nanos);
                        nowNanos += nanos;
                    });

    @Test
    void rest_afterWork_takesThreeTimesAsLong() {
        pace.begin();
        nowNanos += 100;
        pace.rest();
        nowNanos += 10;
        pace.rest();
        assertThat(rests).containsExactly(300L, 30L);
    }

    @Test
    void rest_afterLongWork_isBounded() {
        pace.begin();
        nowNanos += 1_000_000_000;
        pace.rest();
        assertThat(rests).containsExactly(Pace.REST_NANOS_MAX);
    }

    @Test
    void rest_whileSomebodyWaits_isNone() {
        pace.begin();
        pace.beginHurry();
        pace.beginHurry();
        pace.endHurry();
        nowNanos += 100;
        pace.rest();
        assertThat(rests).isEmpty();
        pace.endHurry();
        nowNanos += 10;
        pace.rest();
        assertThat(rests).containsExactly(30L);
    }
}
