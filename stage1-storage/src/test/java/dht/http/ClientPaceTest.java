package dht.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClientPaceTest {
    private static final long RATE = 100;

    private final ClientPace pace = new ClientPace();

    @BeforeEach
    void begin() {
        pace.await(true, 1000);
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
        pace.await(false, 2000);
        assertThat(pace.stalledMillis(9000)).isZero();
    }

    @Test
    void answer_thatNobodyWaitsFor_isNotTakenSlowly() {
        pace.await(false, 1500);
        pace.beginAnswer();
        pace.moved(100);

        assertThat(pace.answerBytesPerSecond(100_000)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void answer_thatIsWaitedFor_countsTheTimeOfWaiting() {
        pace.await(false, 1500);
        pace.beginAnswer();
        pace.moved(40);
        pace.await(true, 10_000);
        assertThat(pace.answerBytesPerSecond(10_999)).isEqualTo(Long.MAX_VALUE);
        assertThat(pace.answerBytesPerSecond(14_000)).isEqualTo(10);

        pace.moved(60);
        pace.await(false, 14_000);
        assertThat(pace.answerBytesPerSecond(1_000_000)).isEqualTo(25);
        pace.await(true, 20_000);
        assertThat(pace.answerBytesPerSecond(26_000)).isEqualTo(10);
    }

    @Test
    void nextAnswer_isMeasuredByItself() {
        pace.await(false, 60_000);
        pace.beginAnswer();
        pace.await(true, 70_000);
        pace.moved(50);

        assertThat(pace.answerBytesPerSecond(70_999)).isEqualTo(Long.MAX_VALUE);
        assertThat(pace.answerBytesPerSecond(72_000)).isEqualTo(25);
    }

    @Test
    void client_whileTheServerWasAway_isNotMeasured() {
        pace.forget(100_000);

        assertThat(pace.stalledMillis(100_500)).isEqualTo(500);
        assertThat(pace.answerBytesPerSecond(100_500)).isEqualTo(Long.MAX_VALUE);
    }
}
