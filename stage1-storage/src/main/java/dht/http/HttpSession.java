package dht.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import one.nio.net.SelectableJavaSocket;
import one.nio.net.Session;
import one.nio.net.Socket;
import one.nio.net.SocketClosedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection. Reads requests and answers them in order, one at a time: what a client sends
 * beyond the request that is being answered waits in its own send buffer, but for what was read
 * along with it. So a connection takes no more memory than a request and an answer, whatever the
 * client does.
 *
 * <p>The selector thread reads and writes; answers come from any thread. All of it under the
 * session's monitor.
 */
final class HttpSession extends Session {
    private static final Logger LOG = LoggerFactory.getLogger(HttpSession.class);
    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(ISO_8859_1);
    private static final byte[] NONE = {};

    /**
     * Bounds what is read and thrown away before a connection is closed, so that the client gets to
     * read why.
     */
    private static final long LINGER_BYTES_MAX = 64 << 20;

    private static final long LINGER_MILLIS_MAX = 2000;

    private final HttpServer server;
    private final RequestParser parser;

    /** Of a request that is whole and to be handed on. The selector thread's own. */
    private Responder ready;

    // Guarded by this.
    private byte[] leftover = NONE;
    private boolean handling;
    private boolean feeding;
    private boolean inputEnded;
    private boolean lingering;
    private long lingeredBytes;
    private boolean closed;

    // Written under the monitor, read by the cleanup thread; 0 is never.
    private volatile long headBegunMillis;
    private volatile long lingerBegunMillis;

    HttpSession(Socket socket, HttpServer server) {
        super(socket);
        this.server = server;
        this.parser = new RequestParser(server.options(), server.bodyMemory());
    }

    /**
     * Reads and writes what can be, then hands on the request that has come; without the monitor:
     * who takes the request may answer another one, of another connection, and one who answers this
     * one at once would have to wait.
     */
    @Override
    public void process(byte[] buffer) throws Exception {
        super.process(buffer);
        if (ready != null) {
            Responder responder = ready;
            ready = null;
            server.router().dispatch(responder.request(), responder);
        }
    }

    @Override
    protected void processRead(byte[] buffer) throws IOException {
        int length;
        try {
            length = super.read(buffer, 0, buffer.length);
        } catch (SocketClosedException e) {
            endInput();
            return;
        }
        if (lingering) {
            lingeredBytes += length;
            if (lingeredBytes > LINGER_BYTES_MAX) {
                close();
            }
        } else {
            feed(buffer, 0, length);
        }
    }

    private void endInput() {
        inputEnded = true;
        boolean isOwingAnswer = handling || queueHead != null;
        if (isOwingAnswer && !lingering) {
            listen(queueHead == null ? 0 : WRITEABLE);
        } else {
            close();
        }
    }

    private boolean canTakeRequest() {
        return !handling && !closing && !lingering && queueHead == null;
    }

    private void feed(byte[] bytes, int from, int to) throws IOException {
        int at = from;
        feeding = true;
        try {
            while (at < to && canTakeRequest()) {
                at = parser.feed(bytes, at, to);
                if (parser.takeContinueWanted()) {
                    write(CONTINUE, 0, CONTINUE.length);
                }
                if (parser.isDone()) {
                    handle();
                }
            }
            headBegunMillis =
                    !parser.isInHead() ? 0 : headBegunMillis != 0 ? headBegunMillis : now();
        } catch (RequestException e) {
            refuse(e.response());
        } finally {
            feeding = false;
        }
        if (at < to && !closed && !lingering) {
            leftover = Arrays.copyOfRange(bytes, at, to);
            listen(queueHead == null ? 0 : WRITEABLE);
        }
    }

    private void handle() {
        handling = true;
        headBegunMillis = 0;
        Responder responder = new Responder(this, parser.request());
        if (parser.isOverBudget()) {
            responder.respond(server.overBudget());
        } else {
            ready = responder;
        }
    }

    /** Answers a request that leaves unclear where the next one begins. */
    private void refuse(Response response) throws IOException {
        byte[] bytes = response.encode(Persistence.CLOSE, true);
        lingering = true;
        write(bytes, 0, bytes.length);
        if (queueHead == null) {
            linger();
        }
    }

    /**
     * Says that no more will come, and lets the client finish what it is sending: otherwise it may
     * not get to read why.
     */
    private void linger() throws IOException {
        lingerBegunMillis = now();
        if (socket instanceof SelectableJavaSocket javaSocket
                && javaSocket.getSelectableChannel() instanceof SocketChannel channel) {
            channel.shutdownOutput();
        }
        listen(READABLE);
    }

    Failures failures() {
        return server.router().failures();
    }

    /** What an answer to a request must say of the connection. */
    Persistence persistence(HttpRequest request) {
        return server.isDraining() ? Persistence.CLOSE : request.persistence();
    }

    /** Writes the answer to the request that is being handled. */
    synchronized void answer(QueueItem items, Persistence persistence) {
        handling = false;
        parser.release();
        try {
            write(items);
        } catch (Throwable e) { // On whatever thread: nobody else would close the connection.
            QueueItem.releaseChain(items);
            handleException(e);
            return;
        }
        if (persistence == Persistence.CLOSE || inputEnded && leftover.length == 0) {
            scheduleClose();
        } else if (!feeding && queueHead == null) {
            listen(leftover.length == 0 ? READABLE : WRITEABLE);
        }
    }

    /** Closes the connection: the request that is being handled will have no answer. */
    synchronized void abandon() {
        handling = false;
        close();
    }

    /** Runs {@code change} and goes on with writing, if that had to wait for it. */
    synchronized void resume(Runnable change) {
        change.run();
        if (!closed && queueHead != null && eventsToListen == 0) {
            listen(WRITEABLE);
        }
    }

    @Override
    protected void processWrite() throws Exception {
        for (QueueItem item = queueHead; item != null; queueHead = item = item.next()) {
            item.write(socket);
            if (item.remaining() > 0) {
                boolean isWaiting = item instanceof RangeStream stream && stream.isWaiting();
                listen(isWaiting ? 0 : WRITEABLE);
                return;
            }
            item.release();
        }
        if (closing) {
            close();
        } else if (lingering) {
            linger();
        } else {
            resumeInput();
        }
    }

    private void resumeInput() throws IOException {
        byte[] waiting = leftover;
        leftover = NONE;
        listen(READABLE);
        feed(waiting, 0, waiting.length);
        if (inputEnded && !handling && queueHead == null) {
            close();
        }
    }

    /** Closes now if nothing is in flight, or as soon as nothing is. */
    synchronized void drain() {
        if (!handling && queueHead == null && parser.isBetweenRequests()) {
            close();
        }
    }

    /** Called by the cleanup thread: whether the connection has outlived its time. */
    @Override
    public int checkStatus(long nowMillis, long unused) {
        HttpOptions options = server.options();
        boolean isIdle = lastAccessTime < nowMillis - options.idleTimeout().toMillis() && !handling;
        boolean isStuckInHead =
                headBegunMillis != 0
                        && headBegunMillis < nowMillis - options.headTimeout().toMillis();
        boolean hasLingered =
                lingerBegunMillis != 0 && lingerBegunMillis < nowMillis - LINGER_MILLIS_MAX;
        return isIdle || isStuckInHead || hasLingered ? IDLE : ACTIVE;
    }

    @Override
    public void handleException(Throwable e) {
        close();
        if (e instanceof IOException) {
            LOG.debug("connection broke: {}", e.getMessage());
        } else {
            failures().responseTo(e); // For the log: nobody can be told any more.
        }
    }

    @Override
    public synchronized void close() {
        super.close();
        if (!closed) {
            closed = true;
            leftover = NONE;
            if (!handling) {
                parser.release();
            }
            server.forget(this);
        }
    }

    private static long now() {
        return System.currentTimeMillis();
    }
}
