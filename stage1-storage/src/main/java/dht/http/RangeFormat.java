package dht.http;

import dht.storage.EntryView;
import java.nio.ByteBuffer;

/**
 * How a range shows one entry. The value comes last in each:
 *
 * <pre>
 *   TEXT     | key | LF | value |
 *   LENGTHS  | keyLength 4B | key | valueLength 4B | value |     big-endian
 * </pre>
 *
 * <p>Described in docs/reference/http.md.
 */
enum RangeFormat {
    /** For people. A key may contain a line feed, so it can't be taken apart for sure. */
    TEXT("application/octet-stream"),
    /** For programs. */
    LENGTHS("application/vnd.dht.entries");

    /** Bytes of an entry besides key and value, at most. */
    static final int OVERHEAD_BYTES_MAX = 2 * Integer.BYTES;

    private final String mediaType;

    RangeFormat(String mediaType) {
        this.mediaType = mediaType;
    }

    /** The one that a client asks for. */
    static RangeFormat of(HttpRequest request) {
        return request.accepts(LENGTHS.mediaType) ? LENGTHS : TEXT;
    }

    String mediaType() {
        return mediaType;
    }

    /** Bytes of a whole entry, which is no tombstone. */
    int entryBytes(EntryView entry) {
        int overhead =
                switch (this) {
                    case TEXT -> 1;
                    case LENGTHS -> OVERHEAD_BYTES_MAX;
                };
        return overhead + entry.keyLength() + entry.valueLength();
    }

    /**
     * Writes all of an entry that comes before its value.
     *
     * @return where that ends
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
