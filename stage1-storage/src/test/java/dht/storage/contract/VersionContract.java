package dht.storage.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The version with the greatest stamp is the newest, in whatever order versions arrive, and
 * wherever they are stored.
 */
interface VersionContract extends DaoUnderTest {
    /** Says that a step is done between two writes: nothing, or something that moves the former. */
    interface Between {
        void run(DaoUnderTest storage);
    }

    /** Versions may meet in one memtable, in two tables, or in one after the other was merged. */
    List<Between> MEETINGS =
            List.of(
                    _ -> {},
                    storage -> storage.dao().flush(),
                    storage -> {
                        storage.dao().flush();
                        storage.dao().compact();
                    },
                    DaoUnderTest::reopen);

    private void wherever(String key, Between firstWrite, Between secondWrite, String expected) {
        for (int meeting = 0; meeting < MEETINGS.size(); meeting++) {
            firstWrite.run(this);
            MEETINGS.get(meeting).run(this);
            secondWrite.run(this);

            check("after the second write", meeting, key, expected);
            dao().flush();
            check("flushed", meeting, key, expected);
            dao().compact();
            check("merged", meeting, key, expected);
        }
    }

    /** A tombstone may be gone, when nothing is left that it could hide. */
    private void check(String when, int meeting, String key, String expected) {
        String[] right =
                expected.startsWith("deleted")
                        ? new String[] {expected, "absent"}
                        : new String[] {expected};
        assertThat(dao().get(key)).as("%s, meeting %d", when, meeting).isIn((Object[]) right);
    }

    @Test
    default void upsert_lateWithOlderStamp_loses() {
        wherever(
                "key",
                storage -> storage.dao().put("key", "new", 20),
                storage -> storage.dao().put("key", "late", 10),
                "new@20");
    }

    @Test
    default void upsert_newerStamp_wins() {
        wherever(
                "key",
                storage -> storage.dao().put("key", "old", 10),
                storage -> storage.dao().put("key", "new", 20),
                "new@20");
    }

    /**
     * The table that holds the older version is not passed over: another key's stamp is greater.
     */
    @Test
    default void upsert_aboveTableOfLaterStamps_wins() {
        dao().put("key", "old", 10);
        dao().put("other", "value", 30);
        dao().flush();
        dao().put("key", "new", 20);

        assertThat(dao().get("key")).isEqualTo("new@20");
        assertThat(dao().newestTimestampMicros("key", 0)).isEqualTo(20);
        dao().flush();
        dao().put("key", "late", 15);
        assertThat(dao().get("key")).isEqualTo("new@20");
    }

    /** As above; and a stamp of the future is never so old that its tombstone may go. */
    @Test
    default void delete_aboveTableOfLaterStamps_wins() {
        long future = Long.MAX_VALUE / 2;
        dao().put("key", "old", 10);
        dao().put("other", "value", future + 1);
        dao().flush();
        dao().delete("key", future);

        assertThat(dao().get("key")).isEqualTo("deleted@" + future);
        assertThat(dao().newestTimestampMicros("key", 0)).isEqualTo(future);
        dao().flush();
        assertThat(dao().get("key")).isEqualTo("deleted@" + future);
    }

    @Test
    default void delete_lateWithOlderStamp_loses() {
        wherever(
                "key",
                storage -> storage.dao().put("key", "new", 20),
                storage -> storage.dao().delete("key", 10),
                "new@20");
    }

    @Test
    default void delete_sameStampAsValue_wins() {
        wherever(
                "key",
                storage -> storage.dao().put("key", "value", 10),
                storage -> storage.dao().delete("key", 10),
                "deleted@10");
    }

    @Test
    default void upsert_sameStamp_greaterBytesWin() {
        wherever(
                "key",
                storage -> storage.dao().put("key", "b", 10),
                storage -> storage.dao().put("key", "a", 10),
                "b@10");
        wherever(
                "other",
                storage -> storage.dao().put("other", "a", 10),
                storage -> storage.dao().put("other", "b", 10),
                "b@10");
    }

    @Test
    default void upsert_sameStampAsInATable_greaterBytesWin() {
        dao().put("lesser below", "a", 10);
        dao().put("greater below", "b", 10);
        dao().flush();
        dao().put("lesser below", "b", 10);
        dao().put("greater below", "a", 10);

        for (int round = 0; round < 2; round++) {
            assertThat(dao().get("lesser below")).isEqualTo("b@10");
            assertThat(dao().get("greater below")).isEqualTo("b@10");
            dao().flush();
        }
    }

    @Test
    default void upsert_sameStamp_bytesAreUnsigned() {
        wherever(
                "key",
                storage -> storage.dao().put("key", "\u0080", 10),
                storage -> storage.dao().put("key", "\u007f", 10),
                "\u0080@10");
    }

    @Test
    default void upsert_sameStamp_longerWinsOverItsPrefix() {
        wherever(
                "key",
                storage -> storage.dao().put("key", "", 10),
                storage -> storage.dao().put("key", "\0", 10),
                "\0@10");
    }

    @Test
    default void upsert_sameVersionTwice_isOne() {
        wherever(
                "key",
                storage -> storage.dao().put("key", "value", 10),
                storage -> storage.dao().put("key", "value", 10),
                "value@10");
        assertThat(dao().all()).containsExactly("key=value@10");
    }

    @Test
    default void upsert_lateButNewerThanTombstoneBelow_wins() {
        dao().put("key", "old", 10);
        dao().flush();
        dao().delete("key", 20);
        dao().flush();
        dao().put("key", "newest", 40);
        dao().flush();
        dao().put("key", "late", 30);

        assertThat(dao().get("key")).isEqualTo("newest@40");
        dao().flush();
        dao().compact();
        assertThat(dao().get("key")).isEqualTo("newest@40");
    }

    /** A stamp of the future is never so old that its tombstone may go. */
    @Test
    default void upsert_lateUnderAYoungTombstone_staysDeleted() {
        long future = Long.MAX_VALUE / 2;
        wherever(
                "key",
                storage -> storage.dao().delete("key", future),
                storage -> storage.dao().put("key", "late", future - 1),
                "deleted@" + future);
        assertThat(dao().get("key")).isEqualTo("deleted@" + future);
        assertThat(dao().all()).isEmpty();
    }

    @Test
    default void upsert_extremeStamps_areOrdered() {
        dao().put("key", "first", 0);
        dao().put("key", "last", Long.MAX_VALUE);
        dao().flush();
        dao().put("key", "late", Long.MAX_VALUE - 1);

        assertThat(dao().get("key")).isEqualTo("last@" + Long.MAX_VALUE);
    }

    @Test
    default void newestTimestampMicros_whereverVersionsLie_isFoundFromItsStampOn() {
        for (Between meeting : MEETINGS) {
            dao().put("key", "new", 20);
            meeting.run(this);
            dao().put("key", "late", 10);
            dao().put("other", "value", 30);

            assertThat(dao().newestTimestampMicros("key", 0)).isEqualTo(20);
            assertThat(dao().newestTimestampMicros("key", 20)).isEqualTo(20);
            assertThat(dao().newestTimestampMicros("key", 21)).isZero();
        }
    }

    @Test
    default void newestTimestampMicros_ofTombstone_isFound() {
        dao().put("key", "value", 10);
        dao().delete("key", 20);

        assertThat(dao().newestTimestampMicros("key", 11)).isEqualTo(20);
    }

    @Test
    default void newestTimestampMicros_ofKeyNeverWritten_isZero() {
        dao().put("a", "value", 10);
        dao().flush();
        dao().put("c", "value", 10);

        assertThat(dao().newestTimestampMicros("b", 0)).isZero();
    }

    @Test
    default void greatestTimestampMicros_anyOrder_isTheGreatest() {
        assertThat(dao().dao().greatestTimestampMicros()).isZero();
        dao().put("a", "value", 30);
        dao().delete("b", 40);
        dao().put("c", "value", 20);

        assertThat(dao().dao().greatestTimestampMicros()).isEqualTo(40);
    }

    @Test
    default void greatestTimestampMicros_tombstoneMergedAway_isRemembered() {
        dao().delete("b", 40);
        dao().flush();
        dao().compact();
        reopen();

        assertThat(dao().dao().greatestTimestampMicros()).isEqualTo(40);
    }
}
