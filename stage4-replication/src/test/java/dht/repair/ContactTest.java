package dht.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.NodeAddress;
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
    private static final NodeAddress B = new NodeAddress("b", 1);
    private static final NodeAddress C = new NodeAddress("c", 1);
    private static final NodeAddress D = new NodeAddress("d", 1);

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
        contact.note(B, NodePhase.READY, START_MILLIS + later.toMillis());
        contact.store();
        return Duration.ofMillis(stored.get().contact().anyMillis() - START_MILLIS);
    }

    private Contact contact(Duration grace) throws IOException {
        return contact(grace, 2);
    }

    private Contact contact(Duration grace, int othersCount) throws IOException {
        var state = NodeState.first(NodePhase.READY, START_MILLIS, List.of());
        stored = new StoredState(directory, state);
        return new Contact(
                new Absence(START_MILLIS, LastContact.at(0), grace), stored, othersCount);
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

    /** Until this time, and not a millisecond longer. */
    private static void expectRecentUntil(Contact contact, Duration later) {
        assertThat(isTooOld(contact, later)).isFalse();
        assertThat(isTooOld(contact, later.plusMillis(1))).isTrue();
    }

    @Test
    void data_withoutContactForLongerThanTheGrace_isTooOld() throws IOException {
        Contact contact = contact(LONG_GRACE);
        expectRecentUntil(contact, LONG_GRACE);
        contact.note(B, NodePhase.READY, START_MILLIS + 10);
        assertThat(isTooOld(contact, LONG_GRACE.plusMillis(10))).isFalse();

        contact = contact(Duration.ZERO);
        assertThat(isTooOld(contact, LONG_GRACE.multipliedBy(100))).isFalse();
    }

    /** Such nodes may be cut off from a majority together with this one, and miss its deletions. */
    @Test
    void data_afterContactWithLessThanHalfOfTheOthers_isTooOld() throws IOException {
        Contact contact = contact(LONG_GRACE, 4);
        contact.note(B, NodePhase.READY, START_MILLIS + 10);
        contact.note(B, NodePhase.READY, START_MILLIS + 20);
        assertThat(isTooOld(contact, LONG_GRACE.plusMillis(1))).isTrue();
    }

    @Test
    void data_afterContactWithHalfOfTheOthers_isRecentSinceTheEarlierContact() throws IOException {
        Contact contact = contact(LONG_GRACE, 4);
        contact.note(B, NodePhase.READY, START_MILLIS + 10);
        contact.note(C, NodePhase.READY, START_MILLIS + 20);
        expectRecentUntil(contact, LONG_GRACE.plusMillis(10));

        contact.note(D, NodePhase.READY, START_MILLIS + 30);
        contact.note(C, NodePhase.READY, START_MILLIS + 40);
        expectRecentUntil(contact, LONG_GRACE.plusMillis(30));
    }

    @Test
    void begin_afterContacts_forgetsThem() throws IOException {
        Contact contact = contact(LONG_GRACE, 4);
        contact.note(B, NodePhase.READY, START_MILLIS + 10);
        contact.begin(START_MILLIS + 20);
        contact.note(C, NodePhase.READY, START_MILLIS + 30);
        expectRecentUntil(contact, LONG_GRACE.plusMillis(20));
    }

    /** After a restart, the node knows that it may have missed deletions. */
    @Test
    void contact_withLessThanHalfOfTheOthers_isStoredBesideTheEarlierOneWithHalf()
            throws IOException {
        long laterMillis = START_MILLIS + Duration.ofMinutes(11).toMillis();
        Contact contact = contact(LONG_GRACE, 4);
        contact.note(B, NodePhase.READY, laterMillis);
        contact.store();
        assertThat(stored.get().contact()).isEqualTo(new LastContact(laterMillis, START_MILLIS));
    }

    /** C has not been heard since then; its time must not hide that B has. */
    @Test
    void contact_afterTheClockWasSetBack_counts() throws IOException {
        Contact contact = contact(LONG_GRACE);
        contact.note(C, NodePhase.READY, START_MILLIS + LONG_GRACE.toMillis());
        contact.note(B, NodePhase.READY, START_MILLIS + 10);
        expectRecentUntil(contact, LONG_GRACE.plusMillis(10));
    }

    /** A busy node may answer greetings some seconds late. */
    @Test
    void data_withoutContactForLessThanAMinute_isNotTooOld() throws IOException {
        Contact contact = contact(Duration.ofSeconds(2));
        expectRecentUntil(contact, Duration.ofMinutes(1));
    }

    @Test
    void contact_thatComesTooLate_doesNotCount() throws IOException {
        Contact contact = contact(LONG_GRACE);
        long lateMillis = START_MILLIS + LONG_GRACE.toMillis() + 1;
        contact.note(B, NodePhase.READY, lateMillis);
        contact.note(B, NodePhase.READY, START_MILLIS + 1); // The clock was set back.

        assertThat(isTooOld(contact, Duration.ofMillis(2))).isTrue();
        contact.store();
        assertThat(stored.get().contact().anyMillis()).isEqualTo(START_MILLIS);

        contact.begin(lateMillis);
        assertThat(contact.isTooOld(lateMillis)).isFalse();
    }
}
