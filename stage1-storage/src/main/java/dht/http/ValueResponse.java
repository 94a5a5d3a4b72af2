package dht.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.storage.CorruptionException;
import dht.storage.ReadOutcome;
import dht.storage.SlowReader;
import java.io.IOException;
import one.nio.net.Session.QueueItem;
import one.nio.net.Socket;
import one.nio.util.ByteArrayBuilder;

/**
 * The answer with a value. A small value is copied after its head. A large value is sent from where
 * it is stored, piece by piece: each piece is copied through a buffer of the thread that sends it.
 * Stateless and thread-safe.
 */
final class ValueResponse {
    /**
     * A value of at least this size is sent piece by piece. So it needs no heap memory of its own,
     * even if its reader is slow.
     */
    private static final int LARGE_BYTES = ReadOutcome.UNCOPIED_BYTES_MIN;

    private static final byte[] HEAD =
            "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: "
                    .getBytes(ISO_8859_1);
    private static final int HEAD_BYTES_MAX = HEAD.length + 64;

    private ValueResponse() {}

    /**
     * The items to write to the session. Closes the value when it is sent, or if this fails.
     *
     * @param header a complete header line with its line end, or empty
     */
    static QueueItem encode(
            ReadOutcome.Found found, String header, Persistence persistence, HttpSession session) {
        try {
            return items(found, header, persistence, session);
        } catch (Throwable e) {
            found.close();
            throw e;
        }
    }

    private static QueueItem items(
            ReadOutcome.Found found, String header, Persistence persistence, HttpSession session) {
        int valueBytes = (int) found.value().byteSize();
        boolean isLarge = valueBytes >= LARGE_BYTES;
        ByteArrayBuilder bytes =
                new ByteArrayBuilder(HEAD_BYTES_MAX + header.length() + (isLarge ? 0 : valueBytes));
        bytes.append(HEAD).append(valueBytes).append('\r').append('\n');
        bytes.append(header).append(persistence.header()).append('\r').append('\n');
        if (isLarge) {
            return new HeapItem(bytes.buffer(), bytes.length())
                    .append(new ValueItem(found, session));
        }
        int headBytes = bytes.length();
        found.copyValue(0, bytes.buffer(), headBytes, valueBytes);
        QueueItem copied = new HeapItem(bytes.buffer(), headBytes + valueBytes);
        found.close();
        return copied;
    }

    /**
     * Sends a value from where it is stored, and closes it at the end. If the storage asks for it
     * before the end, it continues with a copy of the rest, at most once.
     */
    private static final class ValueItem extends QueueItem implements SlowReader {
        private static final int STEP_BYTES = 64 << 10;
        private static final ThreadLocal<byte[]> STEP =
                ThreadLocal.withInitial(() -> new byte[STEP_BYTES]);

        private final HttpSession session;

        // Guarded by the session.
        private ReadOutcome.Found found;
        private long sent;
        private boolean watched;
        private boolean copied;
        private boolean released;

        ValueItem(ReadOutcome.Found found, HttpSession session) {
            this.found = found;
            this.session = session;
        }

        @Override
        public int remaining() {
            return (int) (found.value().byteSize() - sent);
        }

        @Override
        public int write(Socket socket) throws IOException {
            byte[] step = STEP.get();
            int length = Math.min(STEP_BYTES, remaining());
            found.copyValue(sent, step, 0, length);
            int written = socket.write(step, 0, length, 0);
            sent += Math.max(0, written);
            if (!watched && remaining() > 0) {
                watched = true;
                found.hold().watch(this);
            }
            return written;
        }

        @Override
        public long bytesPerSecond() {
            return session.answerBytesPerSecond();
        }

        @Override
        public void copy() {
            session.resume(this::copyRest);
        }

        private void copyRest() {
            if (released || copied) {
                return;
            }
            try {
                found = found.detach(sent);
                sent = 0;
                found.hold().watch(this);
                copied = true;
            } catch (CorruptionException | OutOfMemoryError e) {
                session.failures().responseTo(e); // Only logs the failure.
            }
        }

        @Override
        public void cutOff() {
            session.resume(this::endConnection);
        }

        /**
         * Does nothing if this item was already released, because the session may now serve another
         * request.
         */
        private void endConnection() {
            if (!released) {
                session.close();
            }
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
