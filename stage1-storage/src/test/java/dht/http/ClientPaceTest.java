package dht.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClientPaceTest {
    private static final long RATE = 100;

    private final ClientPace pace = new ClientPace();

    @BeforeEach
    void begin() {
        pace.await(true);
        pace.begin(1000);
    }

    @Test
    void client_thatMovesNothing_isStalledSinceItsTurn() {
        pace.measure(4000, RATE);
        assertThat(pace.stalledMillis(4000)).isEqualTo(3000);
    }

    @Test
    void client_thatMovesMoreSlowly_isStalledSinceItsTurn() {
        for (long now = 2000; now <= 9000; now += 1000) {
            pace.moved(RATE - 1);
            pace.measure(now, RATE);
        }
        assertThat(pace.stalledMillis(9000)).isEqualTo(8000);
    }

    @Test
    void client_thatMovesAtTheRate_isNotStalled() {
        for (long now = 2000; now <= 9000; now += 1000) {
            pace.moved(RATE);
            pace.measure(now, RATE);
        }
        assertThat(pace.stalledMillis(9000)).isZero();
    }

    @Test
    void client_thatRests_hasUntilItsAverageIsTooLow() {
        pace.moved(10 * RATE);
        pace.measure(5000, RATE);
        assertThat(pace.stalledMillis(5000)).isZero();
        assertThat(pace.stalledMillis(7000)).isEqualTo(2000);
    }

    @Test
    void client_whoseTurnItIsNot_isNotStalled() {
        pace.await(false);
        assertThat(pace.stalledMillis(9000)).isZero();
    }
}
