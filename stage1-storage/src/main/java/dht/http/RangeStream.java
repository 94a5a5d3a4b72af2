package dht.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.storage.Dao;
import dht.storage.EntryCursor;
import dht.storage.EntryView;
import dht.storage.SlowReader;
import java.io.IOException;
import one.nio.net.Session.ArrayQueueItem;
import one.nio.net.Session.QueueItem;
import one.nio.net.Socket;

/**
 * The body of an answer to a range request. It reads entries from the cursor as fast as the client
 * reads, one buffer at a time. So it needs the same memory for any range and any reader. After each
 * buffer, the selector thread serves other connections.
 *
 * <pre>
 *   body   | chunk × entries | 0 CRLF CRLF |
 *   chunk  | size in hexadecimal CRLF | entry, as its {@link RangeFormat} says | CRLF |
 * </pre>
 *
 * <p>The executor's threads fill the buffer. The selector thread writes it to the socket, holding
 * the session's lock. Filling and writing alternate and never overlap.
 */
final class RangeStream extends QueueItem implements SlowReader {
    /**
     * Taken from the connection's memory before the stream is created; the stream gives it back.
     */
    static final int BUFFER_BYTES = 64 << 10;

    private static final int ENTRY_HEAD_BYTES_MAX =
            16 + Dao.MAX_KEY_BYTES + RangeFormat.OVERHEAD_BYTES_MAX;
    private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(ISO_8859_1);
    private static final byte[] LINE_END = "\r\n".getBytes(ISO_8859_1);

    /** Limits the work of one fill if most entries are tombstones. */
    private static final int ENTRIES_A_FILL_MAX = 4096;

    private final EntryCursor cursor;
    private final RequestExecutor executor;
    private final Failures failures;
    private final Responder responder;
    private final boolean isChunked;
    private final RangeFormat format;
    private final Runnable onRelease;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final FillTask fillTask =
            new FillTask(); // Created now: later there may be no memory for it.
    private final Runnable endFill = this::endFill; // Created now, for the same reason.

    // Used only by the side whose turn it is: filling or writing.
    private int position;
    private int limit;
    private boolean inValue;
    private long valuePosition;
    private boolean ended;
    private boolean failed;

    // Guarded by the session.
    private boolean filling;
    private boolean released;

    /**
     * @param onRelease called once, when the stream has ended or its client has disconnected
     */
    RangeStream(
            EntryCursor cursor,
            RequestExecutor executor,
            Failures failures,
            Responder responder,
            Runnable onRelease) {
        this.cursor = cursor;
        this.executor = executor;
        this.failures = failures;
        this.responder = responder;
        this.isChunked = responder.request().isHttp11();
        this.format = RangeFormat.of(responder.request());
        this.onRelease = onRelease;
        cursor.watch(this);
    }

    /**
     * The items to write to the session: the head, then this stream. Closes the cursor if that
     * fails.
     */
    QueueItem withHead(Persistence persistence) {
        try {
            return head(persistence).append(this);
        } catch (Throwable e) {
            release();
            throw e;
        }
    }

    private QueueItem head(Persistence persistence) {
        String head =
                "HTTP/1.1 200 OK\r\nContent-Type: "
                        + format.mediaType()
                        + "\r\nVary: Accept\r\n"
                        + (isChunked ? "Transfer-Encoding: chunked\r\n" : "")
                        + new String(persistence.header(), ISO_8859_1)
                        + "\r\n";
        byte[] bytes = head.getBytes(ISO_8859_1);
        return new ArrayQueueItem(bytes, 0, bytes.length, 0);
    }

    /**
     * 0 when everything is sent, else 1: the length is not known in advance. Checks {@code filling}
     * first, because until the end of a filling the other fields belong to the thread that fills.
     */
    @Override
    public int remaining() {
        return !filling && ended && position == limit ? 0 : 1;
    }

    /** Whether the stream waits until the executor has filled the buffer. */
    boolean isWaiting() {
        return filling;
    }

    @Override
    public int write(Socket socket) throws IOException {
        if (!filling && !failed && !ended && position == limit) {
            beginFill();
        }
        if (filling) {
            return 0;
        }
        if (failed) {
            throw new IOException("range was aborted");
        }
        int written = socket.write(buffer, position, limit - position, 0);
        position += Math.max(0, written);
        return written;
    }

    /** If this fails, the stream is not being filled, so it can still be freed. */
    private void beginFill() {
        filling = true;
        boolean isBegun = false;
        try {
            // At most one such task per range, so their number is limited.
            executor.resume(fillTask);
            isBegun = true;
        } finally {
            if (!isBegun) {
                filling = false;
            }
        }
    }

    private final class FillTask implements RequestExecutor.Task {
        @Override
        public void run() {
            try {
                fill();
            } catch (Throwable e) {
                failed = true;
                failures.log(e); // The client has its 200. It sees that the body ends early.
            } finally {
                responder.session().resume(endFill);
            }
        }

        @Override
        public void refuse(Response answer) {
            failed = true;
            responder.session().resume(endFill);
        }
    }

    private void endFill() {
        filling = false;
        if (released) {
            free();
        }
    }

    private void fill() {
        position = 0;
        limit = 0;
        int entries = 0;
        while (!ended && entries < ENTRIES_A_FILL_MAX) {
            if (inValue) {
                fillValue();
            }
            if (inValue || BUFFER_BYTES - limit < ENTRY_HEAD_BYTES_MAX) {
                return;
            }
            entries++;
            if (!cursor.next()) {
                end();
            } else if (!cursor.entry().isTombstone()) {
                beginEntry(cursor.entry());
            }
        }
    }

    private void beginEntry(EntryView entry) {
        if (isChunked) {
            put(Integer.toHexString(format.entryBytes(entry)).getBytes(ISO_8859_1));
            put(LINE_END);
        }
        limit = format.putHead(entry, buffer, limit);
        inValue = true;
        valuePosition = 0;
    }

    private void fillValue() {
        EntryView entry = cursor.entry();
        int length = (int) Math.min(entry.valueLength() - valuePosition, BUFFER_BYTES - limit);
        entry.copyValue(valuePosition, buffer, limit, length);
        valuePosition += length;
        limit += length;
        if (valuePosition == entry.valueLength() && BUFFER_BYTES - limit >= LINE_END.length) {
            inValue = false;
            if (isChunked) {
                put(LINE_END);
            }
        }
    }

    private void end() {
        ended = true;
        if (isChunked) {
            put(LAST_CHUNK);
        }
    }

    private void put(byte[] bytes) {
        System.arraycopy(bytes, 0, buffer, limit, bytes.length);
        limit += bytes.length;
    }

    @Override
    public long bytesPerSecond() {
        return responder.session().answerBytesPerSecond();
    }

    @Override
    public void copy() {
        // A range can't be copied: it must show all entries as they were at one moment.
    }

    @Override
    public void cutOff() {
        responder.session().resume(this::endConnection);
    }

    /**
     * Does nothing if this stream was already released, because the session may now serve another
     * request.
     */
    private void endConnection() {
        if (!released) {
            responder.session().close();
        }
    }

    @Override
    public void release() {
        if (!released) {
            released = true;
            if (!filling) {
                free();
            }
        }
    }

    private void free() {
        free(cursor, responder.session(), onRelease);
    }

    /**
     * Releases all that a range holds.
     *
     * @param cursor null if there is none
     */
    static void free(EntryCursor cursor, HttpSession session, Runnable onRelease) {
        try (cursor) {
            session.giveBack(BUFFER_BYTES);
        } finally {
            onRelease.run();
        }
    }
}
