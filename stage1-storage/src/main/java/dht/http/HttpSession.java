package dht.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.google.errorprone.annotations.concurrent.GuardedBy;
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
 * beyond the request that is being answered waits in its own send buffer, except for what was read
 * along with it. All memory that the connection holds is taken from the one budget of all
 * connections first; where there is none, the connection ends.
 *
 * <p>The selector thread reads and writes; answers come from any thread; the sweeper ends what
 * takes too long. All of it under the session's monitor.
 *
 * <p>Invariants, under the monitor:
 *
 * <ol>
 *   <li>{@code memory} has been taken {@code inputTakenBytes} for {@code leftover}, {@code
 *       answerTakenBytes} for the queue, and the rest by {@code parser}, for nothing else.
 *   <li>A session that has ended holds no memory, except for the request that is being handled,
 *       which it gives back when that is answered or abandoned.
 * </ol>
 */
final class HttpSession extends Session {
    private static final Logger LOG = LoggerFactory.getLogger(HttpSession.class);
    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(ISO_8859_1);
    private static final byte[] NONE = {};

    /** What is read at once while memory is scarce, since what is read must be kept. */
    private static final int SCARCE_READ_BYTES = ConnectionMemory.LITTLE_BYTES_MAX / 2;

    /**
     * Bounds what is read and thrown away before a connection is closed, so that the client gets to
     * read why.
     */
    private static final long LINGER_BYTES_MAX = 64 << 20;

    private static final long LINGER_MILLIS_MAX = 2000;

    private final HttpServer server;

    // The selector thread's own.
    private Responder ready; // Of a request that is whole and to be handed on.
    private boolean hasSelectorThread;

    @GuardedBy("this")
    private Thread selectorThread;

    private final ServedPaths servedPaths;

    @GuardedBy("this")
    private final ConnectionMemory memory;

    @GuardedBy("this")
    private final RequestParser parser;

    @GuardedBy("this")
    private final ClientPace pace = new ClientPace();

    /** Input that was read before its turn, from {@code leftoverStart} on. */
    @GuardedBy("this")
    private byte[] leftover = NONE;

    @GuardedBy("this")
    private int leftoverStart;

    @GuardedBy("this")
    private long inputTakenBytes;

    @GuardedBy("this")
    private long answerTakenBytes;

    @GuardedBy("this")
    private boolean handling;

    @GuardedBy("this")
    private boolean feeding;

    @GuardedBy("this")
    private boolean inputEnded;

    @GuardedBy("this")
    private boolean lingering;

    @GuardedBy("this")
    private long lingeredBytes;

    /** Nothing is read or written any more, and nothing is held. The socket may still be open. */
    @GuardedBy("this")
    private boolean ended;

    /** When the head that is incomplete began; 0 is never. */
    @GuardedBy("this")
    private long headBegunMillis;

    /** When the connection began to wait for its client to read why it ends; 0 is never. */
    @GuardedBy("this")
    private long lingerBegunMillis;

    HttpSession(Socket socket, HttpServer server) {
        super(socket);
        this.server = server;
        this.servedPaths = server.servedPaths(socket);
        this.memory = server.connectionMemory();
        this.parser = new RequestParser(server.options(), memory);
    }

    ServedPaths servedPaths() {
        return servedPaths;
    }

    /**
     * Reads and writes what can be, then hands on the request that has come; without the monitor:
     * who takes the request may answer another one, of another connection, and one who answers this
     * one at once would have to wait.
     */
    @Override
    public void process(byte[] buffer) throws Exception {
        if (!hasSelectorThread) {
            hasSelectorThread = true;
            belongTo(Thread.currentThread());
        }
        super.process(buffer);
        if (ready != null) {
            Responder responder = ready;
            ready = null;
            server.router().dispatch(responder.request(), responder);
        }
    }

    private synchronized void belongTo(Thread thread) {
        selectorThread = thread;
    }

    @Override
    @GuardedBy("this")
    protected void processRead(byte[] buffer) throws IOException {
        if (ended) {
            closeSocket();
            return;
        }
        int length;
        try {
            int lengthMax = memory.isScarce() ? SCARCE_READ_BYTES : buffer.length;
            length = super.read(buffer, 0, lengthMax);
        } catch (SocketClosedException e) {
            endInput();
            return;
        }
        pace.moved(length);
        if (lingering) {
            lingeredBytes += length;
            if (lingeredBytes > LINGER_BYTES_MAX) {
                close();
            }
        } else {
            feed(buffer, 0, length);
        }
    }

    @GuardedBy("this")
    private void endInput() {
        inputEnded = true;
        boolean isOwingAnswer = handling || queueHead != null;
        if (isOwingAnswer && !lingering) {
            listen(queueHead == null ? 0 : WRITEABLE);
        } else {
            close();
        }
    }

    @GuardedBy("this")
    private boolean canTakeRequest() {
        return !handling && !closing && !lingering && queueHead == null;
    }

    @GuardedBy("this")
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
        if (at < to && !ended && !lingering) {
            keepInput(bytes, at, to);
        } else {
            dropInput();
        }
        measurePace();
    }

    /** Keeps what has come before its turn. */
    @GuardedBy("this")
    private void keepInput(byte[] bytes, int from, int to) {
        leftoverStart = from;
        if (bytes != leftover) {
            if (!memory.tryTake(to - from)) {
                close();
                return;
            }
            inputTakenBytes = to - from;
            leftover = Arrays.copyOfRange(bytes, from, to);
            leftoverStart = 0;
        }
        listen(queueHead == null ? 0 : WRITEABLE);
    }

    @GuardedBy("this")
    private void dropInput() {
        memory.giveBack(inputTakenBytes);
        inputTakenBytes = 0;
        leftover = NONE;
        leftoverStart = 0;
    }

    @GuardedBy("this")
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
    @GuardedBy("this")
    private void refuse(Response response) throws IOException {
        byte[] bytes = response.encode(Persistence.CLOSE, true);
        lingering = true;
        parser.release();
        dropInput();
        write(bytes, 0, bytes.length);
        if (queueHead == null) {
            linger();
        }
    }

    /**
     * Says that no more will come, and lets the client finish what it is sending: otherwise it may
     * not get to read why.
     */
    @GuardedBy("this")
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
        pace.beginAnswer();
        try {
            write(items);
            if (queueHead != null && !tryTakeForAnswer(items)) {
                close(); // Its client doesn't read, and there is no memory to wait for that.
                return;
            }
        } catch (Throwable e) { // On whatever thread: nobody else would close the connection.
            QueueItem.releaseChain(items);
            handleException(e);
            return;
        }
        boolean hasInput = leftoverStart < leftover.length;
        if (persistence == Persistence.CLOSE || inputEnded && !hasInput) {
            scheduleClose();
        } else if (!feeding && queueHead == null) {
            listen(hasInput ? WRITEABLE : READABLE);
        }
        measurePace();
    }

    @GuardedBy("this")
    private boolean tryTakeForAnswer(QueueItem items) {
        long bytes = HeapItem.heapBytes(items);
        boolean isTaken = memory.tryTake(bytes);
        answerTakenBytes += isTaken ? bytes : 0;
        return isTaken;
    }

    @GuardedBy("this")
    private void giveBackAnswer() {
        memory.giveBack(answerTakenBytes);
        answerTakenBytes = 0;
    }

    /** Closes the connection: the request that is being handled will have no answer. */
    synchronized void abandon() {
        handling = false;
        parser.release(); // By itself: the session may have been closed meanwhile.
        close();
    }

    /** Runs {@code change} and goes on with writing, if that had to wait for it. */
    synchronized void resume(Runnable change) {
        change.run();
        if (!ended && queueHead != null && eventsToListen == 0) {
            listen(WRITEABLE);
        }
        measurePace();
    }

    /** How fast the client takes the answer that it is sent: see {@link ClientPace}. */
    synchronized long answerBytesPerSecond() {
        return pace.answerBytesPerSecond(now());
    }

    @Override
    @GuardedBy("this")
    protected void processWrite() throws Exception {
        if (ended) {
            closeSocket();
            return;
        }
        for (QueueItem item = queueHead; item != null; queueHead = item = item.next()) {
            pace.moved(Math.max(0, item.write(socket)));
            if (item.remaining() > 0) {
                listen(isWaiting(item) ? 0 : WRITEABLE);
                measurePace();
                return;
            }
            item.release();
        }
        giveBackAnswer();
        if (closing) {
            close();
        } else if (lingering) {
            linger();
        } else {
            resumeInput();
        }
    }

    private static boolean isWaiting(QueueItem item) {
        return item instanceof RangeStream stream && stream.isWaiting();
    }

    @GuardedBy("this")
    private void resumeInput() throws IOException {
        listen(READABLE);
        feed(leftover, leftoverStart, leftover.length);
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

    /** Tells the pace whether the next step is the client's. */
    @GuardedBy("this")
    private void measurePace() {
        boolean isReading = queueHead != null && !isWaiting(queueHead);
        boolean isSending = queueHead == null && (parser.isInHead() || parser.isInBody());
        pace.await(!ended && (isReading || isSending));
    }

    /**
     * Ends the connection if it has outlived its time.
     *
     * @param isAnew whether to begin to measure the client's pace anew
     */
    synchronized void sweep(long nowMillis, boolean isAnew) {
        HttpOptions options = server.options();
        if (isAnew) {
            pace.forget(nowMillis);
            return;
        }
        pace.measure(nowMillis, options.dataRateMin());
        boolean isIdle = lastAccessTime < nowMillis - options.idleTimeout().toMillis() && !handling;
        boolean isStuckInHead =
                headBegunMillis != 0
                        && headBegunMillis < nowMillis - options.headTimeout().toMillis();
        boolean hasLingered =
                lingerBegunMillis != 0 && lingerBegunMillis < nowMillis - LINGER_MILLIS_MAX;
        if (isIdle || isStuckInHead || hasLingered) {
            close();
        } else if (pace.stalledMillis(nowMillis) > options.dataRateWindow().toMillis()) {
            endSlow();
        }
    }

    @GuardedBy("this")
    private void endSlow() {
        try {
            if (queueHead == null && parser.isInBody()) {
                refuse(server.tooSlow());
            } else {
                close();
            }
        } catch (IOException e) {
            handleException(e);
        }
    }

    /** For how long the connection has held memory without a move of its client. */
    synchronized long stalledMillis(long nowMillis) {
        return memory.heldBytes() == 0 ? 0 : pace.stalledMillis(nowMillis);
    }

    /** Ends the connection if that gives memory back, and says whether it did. */
    synchronized boolean endIfStalled(long nowMillis, long limitMillis) {
        boolean isDue = !ended && stalledMillis(nowMillis) >= limitMillis;
        if (isDue) {
            close();
        }
        return isDue;
    }

    @Override
    public void handleException(Throwable e) {
        close();
        if (e instanceof IOException) {
            LOG.debug("connection broke: {}", e.getMessage());
            return;
        }
        try {
            failures().responseTo(e); // For the log: nobody can be told any more.
        } catch (OutOfMemoryError _) {
            return; // Not even for that. The thread goes on with other connections.
        }
    }

    /**
     * Ends the connection. Its socket is closed by the selector thread, if by any: that thread does
     * not survive it if a key is cancelled while it looks at it.
     */
    @Override
    public synchronized void close() {
        end();
        if (Thread.currentThread() == selectorThread || !tryWakeSelector()) {
            closeSocket();
        }
    }

    /** Closes the socket when there are no selector threads any more. */
    synchronized void closeAtLast() {
        end();
        closeSocket();
    }

    @GuardedBy("this")
    private void end() {
        if (ended) {
            return;
        }
        ended = true;
        closing = true;
        try {
            QueueItem.releaseChain(queueHead);
        } finally {
            queueHead = null;
            dropInput();
            giveBackAnswer();
            if (!handling) {
                parser.release();
            }
        }
    }

    /** With an end of its input a socket is readable. */
    @GuardedBy("this")
    private boolean tryWakeSelector() {
        if (selector == null || !(socket instanceof SelectableJavaSocket javaSocket)) {
            return false;
        }
        try {
            ((SocketChannel) javaSocket.getSelectableChannel()).shutdownInput();
            listen(READABLE);
            return true;
        } catch (IOException _) {
            return false; // It is closed.
        }
    }

    @GuardedBy("this")
    private void closeSocket() {
        try {
            super.close();
        } finally {
            server.forget(this);
        }
    }

    private static long now() {
        return System.currentTimeMillis();
    }
}
