package dht.repair;

import dht.storage.EntryView;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * A page of a node's entries, in key order: versions with their stamps, tombstones included.
 *
 * <p>On the wire, big-endian: {@code GET} {@value #PATH}{@code ?after=HEX} is answered with one
 * entry after the other, and a byte that says whether more entries may follow on another page:
 *
 * <pre>
 *   entry | 1: 'P' value, 'L' large value, 'D' tombstone | stamp 8 | from 1 | key length 2 |
 *         | value length 4 | key | value |
 *   end   | 1: 'M' more, 'E' end |
 * </pre>
 *
 * <p>A large value is not in the page; it must be requested separately. Described in
 * docs/reference/http.md. Stateless and thread-safe, apart from the writer and the reader.
 */
final class EntryPage {
    static final String PATH = "/internal/v0/entities/page";
    static final String AFTER = "after";

    /** A page ends after this many bytes. */
    static final int BYTES_MAX = 256 << 10;

    private static final int LARGE_VALUE_BYTES_MIN = 64 << 10;
    private static final byte VALUE = 'P';
    private static final byte LARGE = 'L';
    private static final byte TOMBSTONE = 'D';
    private static final byte MORE = 'M';
    private static final byte END = 'E';

    private EntryPage() {}

    /** The target of the request for the entries after a key. */
    static String target(byte[] after) {
        return PATH + "?" + AFTER + "=" + HexFormat.of().formatHex(after);
    }

    /** Writes a page. Used by one thread. */
    static final class Writer {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(4096);
        private final DataOutputStream out = new DataOutputStream(bytes);

        boolean isFull() {
            return bytes.size() >= BYTES_MAX;
        }

        void add(EntryView entry, int from) {
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

        byte[] finish(boolean isEnd) {
            bytes.write(isEnd ? END : MORE);
            return bytes.toByteArray();
        }
    }

    /** Reads a page. Used by one thread. */
    static final class Reader {
        private final ByteBuffer page;
        private byte kind;
        private byte[] key;
        private byte[] value;
        private long timestampMicros;
        private int from;

        Reader(byte[] page) {
            this.page = ByteBuffer.wrap(page);
        }

        /**
         * Moves to the next entry; returns false at the end of the page.
         *
         * @throws IOException if the page is damaged or cut off
         */
        boolean next() throws IOException {
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
        boolean hasMore() {
            return kind == MORE;
        }

        byte[] key() {
            return key;
        }

        boolean isTombstone() {
            return kind == TOMBSTONE;
        }

        boolean isLarge() {
            return kind == LARGE;
        }

        byte[] value() {
            return value;
        }

        long timestampMicros() {
            return timestampMicros;
        }

        int from() {
            return from;
        }
    }
}
