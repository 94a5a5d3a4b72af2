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

/** Tests how often the time of the last contact is stored. */
class ContactTest {
    private static final long START_MILLIS = 1_764_000_000_000L;
    private static final Duration LONG_GRACE = Duration.ofDays(10);

    @TempDir private Path path;
    private StorageDirectory directory;

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
        var state = NodeState.first(NodePhase.READY, START_MILLIS, List.of());
        StoredState stored = new StoredState(directory, state);
        Contact contact = new Contact(new Absence(START_MILLIS, 0, grace), stored);
        contact.note(NodePhase.READY, START_MILLIS + later.toMillis());
        contact.store();
        return Duration.ofMillis(stored.get().contactMillis() - START_MILLIS);
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
}
