package dht.http;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.CorruptionException;
import dht.storage.StorageUnavailableException;
import dht.testkit.junit.CapturedErr;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** Tests which answer a client gets for each failure, and how often the log mentions it. */
@ResourceLock(Resources.SYSTEM_ERR)
class FailuresTest {
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    @RegisterExtension private final CapturedErr log = new CapturedErr();
    private final AtomicLong nowNanos = new AtomicLong(Long.MAX_VALUE - MINUTE_NANOS / 2);
    private final Failures failures = new Failures(nowNanos::get);

    @Test
    void damagedPlace_isLoggedOnce() {
        for (int minute = 0; minute < 3; minute++) {
            assertThat(failures.responseTo(damagedAt(4096)).status())
                    .isEqualTo(Status.INTERNAL_ERROR);
            nowNanos.addAndGet(MINUTE_NANOS);
        }
        assertThat(log.toString()).containsOnlyOnce("file=000001.sst offset=4096");
    }

    @Test
    void everyDamagedPlace_isLogged() {
        failures.responseTo(damagedAt(4096));
        failures.responseTo(damagedAt(8192));
        assertThat(log.toString())
                .containsOnlyOnce("file=000001.sst offset=4096")
                .containsOnlyOnce("file=000001.sst offset=8192");
    }

    @Test
    void refusedWrites_areLoggedOnceAMinute() {
        var full = new StorageUnavailableException("no space left");
        assertThat(failures.responseTo(full).status()).isEqualTo(Status.SERVICE_UNAVAILABLE);
        nowNanos.addAndGet(MINUTE_NANOS - 1);
        failures.responseTo(full);
        assertThat(log.toString()).containsOnlyOnce("refused: no space left");

        nowNanos.addAndGet(1);
        failures.responseTo(full);
        assertThat(log.toString().split("refused: ", -1)).hasSize(3);
    }

    @Test
    void unforeseenFailure_isLoggedWithItsTrace_andNotToldToTheClient() {
        var bug = new IllegalStateException("made to fail");
        Response response = failures.responseTo(bug);
        assertThat(response.status()).isEqualTo(Status.INTERNAL_ERROR);
        assertThat(log.toString())
                .contains("request failed: java.lang.IllegalStateException: made to fail")
                .contains("at dht.http.FailuresTest");
    }

    @Test
    void unforeseenFailure_withAnotherTextEachTime_isLoggedOnceAMinute() {
        for (int request = 0; request < 2000; request++) {
            failures.responseTo(bug("answered twice: request@" + request));
        }
        assertThat(log.toString()).containsOnlyOnce("request failed");
        nowNanos.addAndGet(MINUTE_NANOS);
        failures.responseTo(bug("answered twice: request@2000"));
        assertThat(log.toString())
                .containsOnlyOnce(
                        "request failed: "
                                + bug("").getClass().getName()
                                + ": answered twice: request@2000");
    }

    @Test
    void unforeseenFailures_ofTwoPlaces_areBothLogged() {
        failures.responseTo(bug("one"));
        failures.responseTo(new IllegalStateException("two"));
        assertThat(log.toString()).contains(": one").contains(": two");
    }

    private static IllegalStateException bug(String message) {
        return new IllegalStateException(message);
    }

    private static CorruptionException damagedAt(long offsetBytes) {
        return new CorruptionException("000001.sst", offsetBytes, "fails its checksum");
    }
}
