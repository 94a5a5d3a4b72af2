package dht.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.file.LocalDirectory;
import dht.storage.file.StorageDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests how often the time of the last contact is stored, and after which time data is too old. */
class ContactTest {
    private static final long START_MILLIS = 1_764_000_000_000L;
    private static final Duration LONG_GRACE = Duration.ofDays(10);

    @TempDir private Path path;
    private StorageDirectory directory;
    private StoredState stored;

    @BeforeEach
    void open() throws IOException {
        directory = LocalDirectory.open(path);
    }

    @AfterEach
    void close() throws IOException {
        directory.close();
    }

    /** Notes contacts at the start and later, and returns the time that is stored, since then. */
    private Duration storedAfter(Duration grace, Duration later) throws IOException {
        Contact contact = contact(grace);
        contact.note(NodePhase.READY, START_MILLIS + later.toMillis());
        contact.store();
        return Duration.ofMillis(stored.get().contactMillis() - START_MILLIS);
    }

    private Contact contact(Duration grace) throws IOException {
        var state = NodeState.first(NodePhase.READY, START_MILLIS, List.of());
        stored = new StoredState(directory, state);
        return new Contact(new Absence(START_MILLIS, 0, grace), stored);
    }

    @Test
    void contact_shortlyAfterTheStoredOne_isNotStored() throws IOException {
        assertThat(storedAfter(LONG_GRACE, Duration.ofMinutes(10))).isZero();
        assertThat(storedAfter(Duration.ZERO, Duration.ofMinutes(10))).isZero();
        assertThat(storedAfter(Duration.ofSeconds(8), Duration.ofSeconds(1))).isZero();
    }

    @Test
    void contact_longAfterTheStoredOne_isStored() throws IOException {
        Duration minutes = Duration.ofMinutes(11);
        assertThat(storedAfter(LONG_GRACE, minutes)).isEqualTo(minutes);
        assertThat(storedAfter(Duration.ZERO, minutes)).isEqualTo(minutes);
        Duration seconds = Duration.ofSeconds(2);
        assertThat(storedAfter(Duration.ofSeconds(8), seconds)).isEqualTo(seconds);
    }

    private static boolean isTooOld(Contact contact, Duration later) {
        return contact.isTooOld(START_MILLIS + later.toMillis());
    }

    @Test
    void data_withoutContactForLongerThanTheGrace_isTooOld() throws IOException {
        Contact contact = contact(LONG_GRACE);
        assertThat(isTooOld(contact, LONG_GRACE)).isFalse();
        assertThat(isTooOld(contact, LONG_GRACE.plusMillis(1))).isTrue();
        contact.note(NodePhase.READY, START_MILLIS + 10);
        assertThat(isTooOld(contact, LONG_GRACE.plusMillis(10))).isFalse();

        contact = contact(Duration.ZERO);
        assertThat(isTooOld(contact, LONG_GRACE.multipliedBy(100))).isFalse();
    }

    /** A busy node may answer greetings some seconds late. */
    @Test
    void data_withoutContactForLessThanAMinute_isNotTooOld() throws IOException {
        Contact contact = contact(Duration.ofSeconds(2));
        assertThat(isTooOld(contact, Duration.ofMinutes(1))).isFalse();
        assertThat(isTooOld(contact, Duration.ofMinutes(1).plusMillis(1))).isTrue();
    }

    @Test
    void contact_thatComesTooLate_doesNotCount() throws IOException {
        Contact contact = contact(LONG_GRACE);
        long lateMillis = START_MILLIS + LONG_GRACE.toMillis() + 1;
        contact.note(NodePhase.READY, lateMillis);
        contact.note(NodePhase.READY, START_MILLIS + 1); // The clock was set back.

        assertThat(isTooOld(contact, Duration.ofMillis(2))).isTrue();
        contact.store();
        assertThat(stored.get().contactMillis()).isEqualTo(START_MILLIS);

        contact.begin(lateMillis);
        assertThat(contact.isTooOld(lateMillis)).isFalse();
    }
}
