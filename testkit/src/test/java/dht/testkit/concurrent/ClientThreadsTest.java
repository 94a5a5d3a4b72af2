package dht.testkit.concurrent;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.testkit.transcript.Mismatch;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ClientThreadsTest {
    private static final Duration LONG = Duration.ofMinutes(5);

    private final CountDownLatch never = new CountDownLatch(1);

    @Test
    void await_conditionThatComesTrue_returns() {
        var written = new CountDownLatch(3);
        try (var clients = ClientThreads.start(3, _ -> written.countDown())) {
            assertThatCode(() -> clients.await("3 writes", LONG, () -> written.getCount() == 0))
                    .doesNotThrowAnyException();
        }
    }

    /** Otherwise the test would wait for what cannot come, and hide the reason. */
    @Test
    void await_whenAClientHasFailed_throwsItsFailureAtOnce() {
        var failure = new Mismatch("status 201", "status 500");
        try (var clients =
                ClientThreads.start(
                        2,
                        i -> {
                            if (i == 1) {
                                throw failure;
                            }
                            never.await();
                        })) {
            assertThatThrownBy(() -> clients.await("a write", LONG, () -> false)).isSameAs(failure);
        }
    }

    @Test
    void await_conditionThatDoesNotComeTrue_saysWhatWasExpected() {
        try (var clients = ClientThreads.start(1, _ -> never.await())) {
            assertThatThrownBy(() -> clients.await("a write", Duration.ofMillis(20), () -> false))
                    .isInstanceOf(Mismatch.class)
                    .hasMessageContaining("a write")
                    .hasMessageContaining("20 ms");
        }
    }
}
