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
     * Sends a value from where it lies, and lets go of it at the end. Told to let go before, it
     * goes on with a copy, once.
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
                session.failures().responseTo(e); // For the log.
            }
        }

        @Override
        public void cutOff() {
            session.resume(this::endConnection);
        }

        /** Unless it is about another request by now. */
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
