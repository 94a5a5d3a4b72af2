package dht.storage;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * A {@link Dao} whose keys and values are text, so that tests are easy to read: {@code "v@10"},
 * {@code "deleted@10"}, {@code "absent"}. Each character is one byte, so a test can use any byte.
 */
public record TextDao(Dao dao) {
    public static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }

    public static String text(byte[] bytes) {
        return new String(bytes, ISO_8859_1);
    }

    public void put(String key, String value, long timestampMicros) {
        dao.upsert(bytes(key), MemorySegment.ofArray(bytes(value)), timestampMicros);
    }

    public void delete(String key, long timestampMicros) {
        dao.delete(bytes(key), timestampMicros);
    }

    /**
     * @param value null for a tombstone
     */
    public void write(String key, String value, long timestampMicros) {
        if (value == null) {
            delete(key, timestampMicros);
        } else {
            put(key, value, timestampMicros);
        }
    }

    /** Does not wait: the listener is told. */
    public void write(String key, String value, long timestampMicros, WriteListener listener) {
        if (value == null) {
            dao.delete(bytes(key), timestampMicros, listener);
        } else {
            MemorySegment content = MemorySegment.ofArray(bytes(value));
            dao.upsert(bytes(key), content, timestampMicros, listener);
        }
    }

    public String get(String key) {
        try (ReadOutcome outcome = dao.get(bytes(key))) {
            return switch (outcome) {
                case ReadOutcome.Found found ->
                        text(found.value().toArray(ValueLayout.JAVA_BYTE))
                                + "@"
                                + found.timestampMicros();
                case ReadOutcome.Deleted deleted -> "deleted@" + deleted.timestampMicros();
                case ReadOutcome.Absent _ -> "absent";
            };
        }
    }

    public long newestTimestampMicros(String key, long fromMicros) {
        return dao.newestTimestampMicros(bytes(key), fromMicros);
    }

    /** Each live entry as {@code key=value@timestamp}. */
    public List<String> range(String from, String to) {
        try (EntryCursor cursor = cursor(from, to)) {
            return rest(cursor);
        }
    }

    public List<String> all() {
        return range(null, null);
    }

    public EntryCursor cursor(String from, String to) {
        return dao.range(from == null ? null : bytes(from), to == null ? null : bytes(to));
    }

    /** What a cursor has yet to show of live entries. */
    public static List<String> rest(EntryCursor cursor) {
        List<String> entries = new ArrayList<>();
        while (cursor.next()) {
            EntryView entry = cursor.entry();
            if (!entry.isTombstone()) {
                entries.add(
                        text(entry.copyKey())
                                + "="
                                + text(entry.copyValue())
                                + "@"
                                + entry.timestampMicros());
            }
        }
        return entries;
    }

    public void flush() {
        dao.flush();
    }

    public void compact() {
        dao.compact();
    }
}
