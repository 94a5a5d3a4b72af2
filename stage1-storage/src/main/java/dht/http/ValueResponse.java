package dht.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.storage.ReadOutcome;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import one.nio.net.Session.QueueItem;
import one.nio.net.Socket;
import one.nio.util.ByteArrayBuilder;

/**
 * The answer that is a value. A small one is copied behind its head; a large one goes out from
 * where it lies.
 */
final class ValueResponse {
    /**
     * From this size on a value is sent piece by piece, so that it takes no heap however slowly it
     * is read.
     */
    private static final int LARGE_BYTES = 64 << 10;

    private static final byte[] HEAD =
            "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: "
                    .getBytes(ISO_8859_1);
    private static final int HEAD_BYTES_MAX = HEAD.length + 64;

    private ValueResponse() {}

    /**
     * What to write to the session; takes over the value.
     *
     * @param header a whole line with its end, or empty
     */
    static QueueItem encode(ReadOutcome.Found found, String header, Persistence persistence) {
        try {
            return items(found, header, persistence);
        } catch (Throwable e) {
            found.close();
            throw e;
        }
    }

    private static QueueItem items(
            ReadOutcome.Found found, String header, Persistence persistence) {
        MemorySegment value = found.value();
        int valueBytes = (int) value.byteSize();
        boolean isLarge = valueBytes >= LARGE_BYTES;
        ByteArrayBuilder bytes =
                new ByteArrayBuilder(HEAD_BYTES_MAX + header.length() + (isLarge ? 0 : valueBytes));
        bytes.append(HEAD).append(valueBytes).append('\r').append('\n');
        bytes.append(header).append(persistence.header()).append('\r').append('\n');
        if (isLarge) {
            return new HeapItem(bytes.buffer(), bytes.length()).append(new ValueItem(found));
        }
        int headBytes = bytes.length();
        MemorySegment.copy(value, ValueLayout.JAVA_BYTE, 0, bytes.buffer(), headBytes, valueBytes);
        QueueItem copied = new HeapItem(bytes.buffer(), headBytes + valueBytes);
        found.close();
        return copied;
    }

    /** Sends a value from where it lies, and lets go of it at the end. */
    private static final class ValueItem extends QueueItem {
        private static final int STEP_BYTES = 64 << 10;
        private static final ThreadLocal<byte[]> STEP =
                ThreadLocal.withInitial(() -> new byte[STEP_BYTES]);

        private final ReadOutcome.Found found;
        private long sent;
        private boolean released;

        ValueItem(ReadOutcome.Found found) {
            this.found = found;
        }

        @Override
        public int remaining() {
            return (int) (found.value().byteSize() - sent);
        }

        @Override
        public int write(Socket socket) throws IOException {
            byte[] step = STEP.get();
            int length = Math.min(STEP_BYTES, remaining());
            MemorySegment.copy(found.value(), ValueLayout.JAVA_BYTE, sent, step, 0, length);
            int written = socket.write(step, 0, length, 0);
            sent += Math.max(0, written);
            return written;
        }

        @Override
        public void release() {
            if (!released) {
                released = true;
                found.close();
            }
        }
    }
}
