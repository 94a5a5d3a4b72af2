package dht.range;

import dht.storage.EntryView;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A page of a node's entries, in key order: versions with their stamps, tombstones included.
 *
 * <p>On the wire, big-endian: {@code GET} {@value #PATH}{@code ?from=HEX&to=HEX&bytes=N} is
 * answered with one entry after the other, and a byte that says whether more entries may follow on
 * another page:
 *
 * <pre>
 *   entry | 1: 'P' value, 'L' large value, 'D' tombstone | stamp 8 | from 1 | key length 2 |
 *         | value length 4 | key | value |
 *   end   | 1: 'M' more, 'E' end |
 * </pre>
 *
 * <p>{@code from} is the number of nodes that hold the version; 0: all of them. A large value is
 * not in the page; it must be requested separately. Described in docs/reference/http.md. Stateless
 * and thread-safe, apart from the writer and the reader.
 */
public final class EntryPage {
    public static final String PATH = "/internal/v0/entities/page";
    public static final String FROM = "from";
    public static final String TO = "to";
    public static final String BYTES = "bytes";

    /** The limit for the bytes of a page. The last entry may exceed it. */
    public static final int BYTES_MAX = 256 << 10;

    private static final int LARGE_VALUE_BYTES_MIN = 64 << 10;
    private static final byte VALUE = 'P';
    private static final byte LARGE = 'L';
    private static final byte TOMBSTONE = 'D';
    private static final byte MORE = 'M';
    private static final byte END = 'E';

    private EntryPage() {}

    /**
     * The target of the request for a page.
     *
     * @param from the first key; empty: the range begins with the first key of all
     * @param to the key after the range; empty: the range ends with the last key of all
     * @param bytesMax the limit for the bytes of the page; the last entry may exceed it
     */
    public static String target(byte[] from, byte[] to, int bytesMax) {
        HexFormat hex = HexFormat.of();
        return "%s?%s=%s&%s=%s&%s=%d"
                .formatted(PATH, FROM, hex.formatHex(from), TO, hex.formatHex(to), BYTES, bytesMax);
    }

    /** The least key that is greater than this one. */
    public static byte[] after(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    /** Writes a page. Used by one thread. */
    public static final class Writer {
        private final int bytesMax;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(4096);
        private final DataOutputStream out = new DataOutputStream(bytes);

        public Writer(int bytesMax) {
            this.bytesMax = bytesMax;
        }

        /** Whether the page has reached its limit. */
        public boolean isFull() {
            return bytes.size() >= bytesMax;
        }

        public void add(EntryView entry, int from) {
            byte[] key = entry.copyKey();
            byte[] value = new byte[0];
            byte kind = TOMBSTONE;
            if (!entry.isTombstone()) {
                boolean isLarge = entry.valueLength() >= LARGE_VALUE_BYTES_MIN;
                kind = isLarge ? LARGE : VALUE;
                value = isLarge ? value : entry.copyValue();
            }
            try {
                out.writeByte(kind);
                out.writeLong(entry.timestampMicros());
                out.writeByte(from);
                out.writeShort(key.length);
                out.writeInt(value.length);
                out.write(key);
                out.write(value);
            } catch (IOException e) {
                throw new IllegalStateException("memory cannot be written to", e);
            }
        }

        public byte[] finish(boolean isEnd) {
            bytes.write(isEnd ? END : MORE);
            return bytes.toByteArray();
        }
    }

    /** Reads a page. Used by one thread. */
    public static final class Reader {
        private final ByteBuffer page;
        private byte kind;
        private byte[] key;
        private byte[] value;
        private long timestampMicros;
        private int from;

        public Reader(byte[] page) {
            this.page = ByteBuffer.wrap(page);
        }

        /**
         * Moves to the next entry; returns false at the end of the page.
         *
         * @throws IOException if the page is damaged or cut off
         */
        public boolean next() throws IOException {
            try {
                kind = page.get();
                if (kind == MORE || kind == END) {
                    return false;
                }
                timestampMicros = page.getLong();
                from = Byte.toUnsignedInt(page.get());
                key = new byte[Short.toUnsignedInt(page.getShort())];
                int valueLength = page.getInt();
                if (valueLength < 0 || valueLength > page.remaining()) {
                    throw new IOException("not a page of entries: value length=" + valueLength);
                }
                value = new byte[valueLength];
                page.get(key).get(value);
            } catch (BufferUnderflowException e) {
                throw new IOException("not a page of entries: it is cut off", e);
            }
            if (kind != VALUE && kind != LARGE && kind != TOMBSTONE) {
                throw new IOException("not a page of entries: kind=" + kind);
            }
            return true;
        }

        /** Whether more pages may follow. May be called only at the end of the page. */
        public boolean hasMore() {
            return kind == MORE;
        }

        public byte[] key() {
            return key;
        }

        public boolean isTombstone() {
            return kind == TOMBSTONE;
        }

        public boolean isLarge() {
            return kind == LARGE;
        }

        public byte[] value() {
            return value;
        }

        public long timestampMicros() {
            return timestampMicros;
        }

        public int from() {
            return from;
        }
    }
}
