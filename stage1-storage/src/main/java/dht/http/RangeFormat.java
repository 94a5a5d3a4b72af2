package dht.http;

import dht.storage.EntryView;
import java.nio.ByteBuffer;

/**
 * The formats of an entry in the answer to a range request. In each format, the value comes last:
 *
 * <pre>
 *   TEXT     | key | LF | value |
 *   LENGTHS  | keyLength 4B | key | valueLength 4B | value |     big-endian
 * </pre>
 *
 * <p>Described in docs/reference/http.md.
 */
enum RangeFormat {
    /** For people. Programs can't parse it reliably, because a key may contain a line feed. */
    TEXT("application/octet-stream"),
    /** For programs. */
    LENGTHS("application/vnd.dht.entries");

    /** The largest number of bytes in an entry in addition to key and value. */
    static final int OVERHEAD_BYTES_MAX = 2 * Integer.BYTES;

    private final String mediaType;

    RangeFormat(String mediaType) {
        this.mediaType = mediaType;
    }

    /** The format that a client asks for. */
    static RangeFormat of(HttpRequest request) {
        return request.accepts(LENGTHS.mediaType) ? LENGTHS : TEXT;
    }

    String mediaType() {
        return mediaType;
    }

    /** The length of an entry in this format. The entry must not be a tombstone. */
    int entryBytes(EntryView entry) {
        int overhead =
                switch (this) {
                    case TEXT -> 1;
                    case LENGTHS -> OVERHEAD_BYTES_MAX;
                };
        return overhead + entry.keyLength() + entry.valueLength();
    }

    /**
     * Writes the part of an entry before its value.
     *
     * @return the index after the last byte written
     */
    int putHead(EntryView entry, byte[] target, int from) {
        return switch (this) {
            case TEXT -> {
                entry.copyKeyTo(target, from);
                int end = from + entry.keyLength();
                target[end] = '\n';
                yield end + 1;
            }
            case LENGTHS -> {
                ByteBuffer lengths = ByteBuffer.wrap(target); // Big-endian.
                lengths.putInt(from, entry.keyLength());
                int keyStart = from + Integer.BYTES;
                entry.copyKeyTo(target, keyStart);
                int end = keyStart + entry.keyLength();
                lengths.putInt(end, entry.valueLength());
                yield end + Integer.BYTES;
            }
        };
    }
}
