package dht.storage.contract;

import static dht.storage.TextDao.bytes;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.Dao;
import dht.storage.ReadOutcome;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests of operations on one key. */
interface PointContract extends DaoUnderTest {
    @Test
    default void get_neverWritten_isAbsent() {
        dao().put("b", "value", 1);

        assertThat(dao().get("a")).isEqualTo("absent");
        assertThat(dao().get("c")).isEqualTo("absent");
    }

    @Test
    default void get_emptyStorage_isAbsent() {
        assertThat(dao().get("a")).isEqualTo("absent");
        assertThat(dao().all()).isEmpty();
    }

    @Test
    default void get_written_isFoundWithItsStamp() {
        dao().put("key", "value", 10);

        assertThat(dao().get("key")).isEqualTo("value@10");
    }

    @Test
    default void get_overwritten_isTheNewer() {
        dao().put("key", "old", 10);
        dao().put("key", "new", 11);

        assertThat(dao().get("key")).isEqualTo("new@11");
    }

    @Test
    default void get_deleted_isDeletedWithItsStamp() {
        dao().put("key", "value", 10);
        dao().delete("key", 11);

        assertThat(dao().get("key")).isEqualTo("deleted@11");
    }

    @Test
    default void get_writtenAfterDelete_isFound() {
        dao().put("key", "old", 10);
        dao().delete("key", 11);
        dao().put("key", "new", 12);

        assertThat(dao().get("key")).isEqualTo("new@12");
    }

    @Test
    default void delete_neverWritten_isAccepted() {
        dao().delete("key", 10);

        assertThat(dao().get("key")).isEqualTo("deleted@10");
        assertThat(dao().all()).isEmpty();
    }

    @Test
    default void get_emptyValue_isFoundAndEmpty() {
        dao().put("key", "", 10);
        dao().flush();

        assertThat(dao().get("key")).isEqualTo("@10");
        assertThat(dao().all()).containsExactly("key=@10");
    }

    @Test
    default void get_keyOfEveryByte_isFound() {
        for (char c = 0; c < 256; c++) {
            dao().put("" + c, "value of " + (int) c, c);
        }
        dao().flush();

        for (char c = 0; c < 256; c++) {
            assertThat(dao().get("" + c)).isEqualTo("value of " + (int) c + "@" + (int) c);
        }
    }

    @Test
    default void get_keysThatArePrefixesOfEachOther_areApart() {
        for (String key :
                new String[] {"a", "ab", "a\0", "a\0\0", "abc", "aaaaaaaa", "aaaaaaaaa"}) {
            dao().put(key, "value of " + key, 1);
        }
        dao().flush();

        assertThat(dao().get("a")).isEqualTo("value of a@1");
        assertThat(dao().get("a\0")).isEqualTo("value of a\0@1");
        assertThat(dao().get("a\0\0")).isEqualTo("value of a\0\0@1");
        assertThat(dao().get("aaaaaaaa")).isEqualTo("value of aaaaaaaa@1");
        assertThat(dao().get("aaaaaaaaa")).isEqualTo("value of aaaaaaaaa@1");
        assertThat(dao().get("aaaaaaa")).isEqualTo("absent");
        assertThat(dao().get("a\0\0\0")).isEqualTo("absent");
    }

    @Test
    default void get_longestKey_isFound() {
        String key = "k".repeat(Dao.MAX_KEY_BYTES);
        dao().put(key, "value", 1);
        dao().put(key.substring(1), "shorter", 1);
        dao().flush();

        assertThat(dao().get(key)).isEqualTo("value@1");
        assertThat(dao().get(key.substring(1))).isEqualTo("shorter@1");
    }

    @Test
    default void upsert_keyOutOfBounds_isIllegal() {
        String tooLong = "k".repeat(Dao.MAX_KEY_BYTES + 1);

        assertThatThrownBy(() -> dao().put("", "value", 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bytes=0");
        assertThatThrownBy(() -> dao().put(tooLong, "value", 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bytes=1027");
        assertThatThrownBy(() -> dao().delete(tooLong, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(dao().all()).isEmpty();
    }

    @Test
    default void get_largestValue_isFoundWhole() {
        byte[] value = new byte[Dao.MAX_VALUE_BYTES];
        new Random(1).nextBytes(value);
        dao().put("before", "x", 1);
        dao().dao().upsert(bytes("key"), MemorySegment.ofArray(value), 2);
        dao().put("later", "y", 3);

        for (int round = 0; round < 2; round++) {
            try (ReadOutcome outcome = dao().dao().get(bytes("key"))) {
                assertThat(outcome).isInstanceOf(ReadOutcome.Found.class);
                MemorySegment found = ((ReadOutcome.Found) outcome).value();
                assertThat(found.mismatch(MemorySegment.ofArray(value))).isEqualTo(-1);
            }
            assertThat(dao().get("before")).isEqualTo("x@1");
            assertThat(dao().get("later")).isEqualTo("y@3");
            dao().flush();
        }
    }

    @Test
    default void upsert_valueTooLarge_isIllegal() {
        MemorySegment value = MemorySegment.ofArray(new byte[Dao.MAX_VALUE_BYTES + 1]);

        assertThatThrownBy(() -> dao().dao().upsert(bytes("key"), value, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(dao().get("key")).isEqualTo("absent");
    }

    @Test
    default void upsert_valueOffTheHeap_isFound() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(100);
            memory.set(JAVA_BYTE, 51, (byte) 'x');
            dao().dao().upsert(bytes("key"), memory.asSlice(51, 1), 1);
        }

        assertThat(dao().get("key")).isEqualTo("x@1");
    }

    @Test
    default void upsert_arraysReusedByCaller_changeNothing() {
        byte[] key = bytes("key");
        byte[] value = bytes("value");
        dao().dao().upsert(key, MemorySegment.ofArray(value), 1);
        key[0] = 'X';
        value[0] = 'X';

        assertThat(dao().all()).containsExactly("key=value@1");
    }

    @Test
    default void found_value_isReadOnly() {
        dao().put("key", "value", 1);

        for (int round = 0; round < 2; round++) {
            try (ReadOutcome outcome = dao().dao().get(bytes("key"))) {
                MemorySegment value = ((ReadOutcome.Found) outcome).value();
                assertThat(value.isReadOnly()).isTrue();
            }
            dao().flush();
        }
    }
}
