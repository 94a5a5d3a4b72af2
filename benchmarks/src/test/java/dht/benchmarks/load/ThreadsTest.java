package dht.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ThreadsTest {
    @Test
    void await_ofAMoment_endsNotBefore() throws Exception {
        long moment = System.currentTimeMillis() + 50;

        new Threads().awaitMillis(moment);

        assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(moment);
    }

    @Test
    @Timeout(60)
    void await_isEndedByAnInterrupt() throws Exception {
        Threads threads = new Threads();
        Thread interrupting = Thread.ofPlatform().start(threads::interrupt);

        threads.awaitMillis(Long.MAX_VALUE);

        interrupting.join();
    }
}
