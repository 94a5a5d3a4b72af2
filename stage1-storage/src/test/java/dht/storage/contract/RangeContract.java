package dht.storage.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.EntryCursor;
import dht.storage.TextDao;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of ranges: many keys, in order. */
interface RangeContract extends DaoUnderTest {
    private void putAll(String... keys) {
        for (String key : keys) {
            dao().put(key, "v", 1);
        }
    }

    private List<String> keys(String from, String to) {
        return dao().range(from, to).stream()
                .map(entry -> entry.substring(0, entry.indexOf('=')))
                .toList();
    }

    @Test
    default void range_openEnds_isAllInOrder() {
        putAll("c", "a", "d", "b");

        assertThat(dao().all()).containsExactly("a=v@1", "b=v@1", "c=v@1", "d=v@1");
    }

    @Test
    default void range_bounds_areInclusiveAndExclusive() {
        putAll("a", "b", "c", "d");
        for (int round = 0; round < 2; round++) {
            assertThat(keys("b", "d")).containsExactly("b", "c");
            assertThat(keys("b", null)).containsExactly("b", "c", "d");
            assertThat(keys(null, "c")).containsExactly("a", "b");
            dao().flush();
        }
    }

    @Test
    default void range_boundsBetweenKeys_areFound() {
        putAll("b", "d", "f");
        for (int round = 0; round < 2; round++) {
            assertThat(keys("a", "g")).containsExactly("b", "d", "f");
            assertThat(keys("c", "e")).containsExactly("d");
            assertThat(keys("b\0", "d\0")).containsExactly("d");
            assertThat(keys("e", "f")).isEmpty();
            assertThat(keys("g", null)).isEmpty();
            assertThat(keys(null, "b")).isEmpty();
            dao().flush();
        }
    }

    @Test
    default void range_emptyOrInverted_isEmpty() {
        putAll("a", "b", "c");
        for (int round = 0; round < 2; round++) {
            assertThat(keys("b", "b")).isEmpty();
            assertThat(keys("c", "a")).isEmpty();
            assertThat(keys("", "")).isEmpty();
            assertThat(keys("z", "y")).isEmpty();
            dao().flush();
        }
    }

    @Test
    default void range_emptyKeyAsBound_isBeforeAll() {
        putAll("\0", "a");

        assertThat(keys("", null)).containsExactly("\0", "a");
        assertThat(keys(null, "")).isEmpty();
    }

    @Test
    default void range_keysOfAnyBytes_areInUnsignedOrder() {
        putAll("\u00ff", "\u0080", "\u007f", "\0", "\0\0", "a", "a\0", "a\u00ff", "b");
        List<String> expected =
                List.of("\0", "\0\0", "a", "a\0", "a\u00ff", "b", "\u007f", "\u0080", "\u00ff");

        assertThat(keys(null, null)).isEqualTo(expected);
        dao().flush();
        assertThat(keys(null, null)).isEqualTo(expected);
        assertThat(keys("\u007f", "\u00ff")).containsExactly("\u007f", "\u0080");
    }

    @Test
    default void range_deletedEntries_areNotShown() {
        putAll("a", "b", "c");
        dao().flush();
        dao().delete("b", 2);
        dao().delete("x", 2);

        assertThat(dao().all()).containsExactly("a=v@1", "c=v@1");
        dao().flush();
        assertThat(dao().all()).containsExactly("a=v@1", "c=v@1");
    }

    @Test
    default void range_versionsInManyPlaces_showsTheNewestOnce() {
        dao().put("a", "oldest", 1);
        dao().put("b", "newest", 9);
        dao().flush();
        dao().put("a", "older", 2);
        dao().put("b", "late", 3);
        dao().flush();
        dao().put("a", "newest", 3);

        assertThat(dao().all()).containsExactly("a=newest@3", "b=newest@9");
    }

    @Test
    default void range_twoAtOnce_doNotDisturbEachOther() {
        putAll("a", "b", "c");
        dao().flush();
        putAll("b1", "c1");
        try (EntryCursor one = dao().cursor(null, null);
                EntryCursor other = dao().cursor("b", null)) {
            assertThat(one.next()).isTrue();

            assertThat(TextDao.rest(other)).hasSize(4);
            assertThat(TextDao.rest(one)).hasSize(4);
        }
    }

    @Test
    default void range_pastItsEnd_staysThere() {
        putAll("a");
        try (EntryCursor cursor = dao().cursor(null, null)) {
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.next()).isFalse();
            assertThat(cursor.next()).isFalse();
        }
    }

    @Test
    default void range_closedTwice_isNoFailure() {
        putAll("a");
        EntryCursor cursor = dao().cursor(null, null);
        cursor.close();
        cursor.close();

        assertThat(dao().all()).hasSize(1);
    }

    @Test
    default void range_manyEntries_isComplete() {
        int count = 300;
        for (int i = 0; i < count; i++) {
            dao().put("key%04d".formatted(i * 7919 % count), "v", i + 1);
        }

        assertThat(keys(null, null)).hasSize(count).isSorted().doesNotHaveDuplicates();
        assertThat(keys("key0100", "key0200")).hasSize(100);
    }
}
