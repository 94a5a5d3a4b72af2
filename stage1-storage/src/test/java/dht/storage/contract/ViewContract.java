package dht.storage.contract;

import static dht.storage.TextDao.bytes;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.EntryCursor;
import dht.storage.ReadOutcome;
import dht.storage.TextDao;
import org.junit.jupiter.api.Test;

/** An outcome of a read does not change until it is closed, whatever happens in the meantime. */
interface ViewContract extends DaoUnderTest {
    private void disturb() {
        dao().put("a", "changed", 100);
        dao().put("aa", "added", 100);
        dao().delete("b", 100);
        dao().put("c", "late", 1);
    }

    private void fill() {
        dao().put("a", "1", 10);
        dao().put("b", "2", 10);
        dao().flush();
        dao().put("c", "3", 10);
    }

    @Test
    default void cursor_writesMeanwhile_doNotShow() {
        fill();
        try (EntryCursor cursor = dao().cursor(null, null)) {
            disturb();

            assertThat(TextDao.rest(cursor)).containsExactly("a=1@10", "b=2@10", "c=3@10");
        }
        assertThat(dao().all()).containsExactly("a=changed@100", "aa=added@100", "c=3@10");
    }

    @Test
    default void cursor_flushAndCompactionMeanwhile_showsTheSame() {
        fill();
        try (EntryCursor cursor = dao().cursor(null, null)) {
            assertThat(cursor.next()).isTrue();
            disturb();
            dao().flush();
            dao().compact();
            disturb();
            dao().flush();
            dao().compact();

            assertThat(TextDao.rest(cursor)).containsExactly("b=2@10", "c=3@10");
        }
    }

    @Test
    default void found_overwrittenFlushedAndMerged_keepsItsValue() {
        dao().put("a", "first", 10);
        try (ReadOutcome inMemory = dao().dao().get(bytes("a"))) {
            dao().flush();
            try (ReadOutcome inTable = dao().dao().get(bytes("a"))) {
                for (int i = 0; i < 5; i++) {
                    disturb();
                    dao().flush();
                    dao().compact();
                }

                assertThat(value(inMemory)).isEqualTo("first");
                assertThat(value(inTable)).isEqualTo("first");
            }
        }
    }

    @Test
    default void found_storageClosed_keepsItsValueUntilItIsClosedToo() {
        dao().put("a", "first", 10);
        dao().flush();
        dao().put("b", "second", 10);
        ReadOutcome inTable = dao().dao().get(bytes("a"));
        ReadOutcome inMemory = dao().dao().get(bytes("b"));
        EntryCursor cursor = dao().cursor(null, null);
        dao().dao().close();

        assertThat(value(inTable)).isEqualTo("first");
        assertThat(value(inMemory)).isEqualTo("second");
        assertThat(TextDao.rest(cursor)).containsExactly("a=first@10", "b=second@10");
        inTable.close();
        inMemory.close();
        cursor.close();
    }

    private static String value(ReadOutcome outcome) {
        return TextDao.text(((ReadOutcome.Found) outcome).value().toArray(JAVA_BYTE));
    }
}
