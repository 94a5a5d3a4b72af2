package dht.storage.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.StorageUnavailableException;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tests of flush, compaction, close and reopening. */
interface LifecycleContract extends DaoUnderTest {
    @Test
    default void reopen_everythingWritten_isThere() {
        dao().put("inTable", "1", 1);
        dao().flush();
        dao().put("inMemory", "2", 2);
        dao().delete("deleted", 3);
        reopen();

        assertThat(dao().all()).containsExactly("inMemory=2@2", "inTable=1@1");
        assertThat(dao().get("deleted")).isIn("deleted@3", "absent");
        dao().put("after", "4", 4);
        reopen();

        assertThat(dao().all()).containsExactly("after=4@4", "inMemory=2@2", "inTable=1@1");
    }

    @Test
    default void reopen_nothingWritten_isEmpty() {
        reopen();
        reopen();

        assertThat(dao().all()).isEmpty();
    }

    @Test
    default void reopen_manyTimes_keepsAll() {
        for (int i = 0; i < 10; i++) {
            dao().put("key" + i, "value", i);
            reopen();
        }

        assertThat(dao().all()).hasSize(10);
    }

    @Test
    default void greatestTimestampMicros_reopened_isTheSame() {
        dao().put("a", "value", 30);
        reopen();
        assertThat(dao().dao().greatestTimestampMicros()).isEqualTo(30);
        dao().put("a", "value", 20);
        reopen();

        assertThat(dao().dao().greatestTimestampMicros()).isEqualTo(30);
    }

    @Test
    default void flush_andCompact_changeNothingToBeSeen() {
        dao().flush();
        dao().compact();
        assertThat(dao().all()).isEmpty();
        for (int i = 0; i < 20; i++) {
            dao().put("key" + i % 7, "value" + i, i);
            if (i % 3 == 0) {
                dao().delete("key" + i % 5, i);
            }
        }
        List<String> before = dao().all();

        dao().flush();
        assertThat(dao().all()).isEqualTo(before);
        dao().compact();
        assertThat(dao().all()).isEqualTo(before);
        dao().compact();
        assertThat(dao().all()).isEqualTo(before);
    }

    @Test
    default void compact_allDeleted_leavesNothing() {
        dao().put("a", "value", 1);
        dao().flush();
        dao().delete("a", 2);
        dao().flush();
        dao().compact();

        assertThat(dao().all()).isEmpty();
        assertThat(dao().get("a")).isEqualTo("absent");
        reopen();
        assertThat(dao().get("a")).isEqualTo("absent");
    }

    @Test
    default void close_again_doesNothing() {
        dao().dao().close();

        assertThatCode(() -> dao().dao().close()).doesNotThrowAnyException();
    }

    @Test
    default void closed_everyMethod_isRefused() {
        dao().put("a", "value", 1);
        dao().dao().close();

        refused(() -> dao().get("a"));
        refused(() -> dao().all());
        refused(() -> dao().put("a", "value", 2));
        refused(() -> dao().delete("a", 2));
        refused(() -> dao().flush());
        refused(() -> dao().compact());
        refused(() -> dao().dao().greatestTimestampMicros());
    }

    private static void refused(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(StorageUnavailableException.class)
                .hasMessageContaining("storage is closed");
    }
}
