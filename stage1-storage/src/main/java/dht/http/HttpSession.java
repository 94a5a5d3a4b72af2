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
 * One connection. Reads requests and answers them in order, one at a time. While a request is being
 * answered, at most one more read happens. Its bytes are kept, like those that were read together
 * with the request. Further requests wait in the client's send buffer.
 *
 * <p>Before the connection allocates memory, it takes the bytes from the budget that all
 * connections share. The bytes of an answer are taken later: when it has to wait for the client. If
 * the budget is used up, the connection ends without an answer, except in three cases, in which the
 * client gets 503. Without memory for a body, the body is read and discarded. Without memory for a
 * range, the range is not opened. Without memory for a head, the connection ends after the answer.
 *
 * <p>Answers may come from any thread. The thread that answers writes what the socket takes at
 * once. The selector thread reads, and writes the rest. The sweeper ends connections that take too
 * long. All of them hold the session's monitor.
 *
 * <p>Invariants, which hold whenever the monitor is free:
 *
 * <ol>
 *   <li>The bytes taken from {@code memory} are {@code inputTakenBytes} for {@code leftover},
 *       {@code answerTakenBytes} for the queue, what {@code parser} has taken, and the buffer of a
 *       {@link RangeStream}; nothing else.
 *   <li>A session that has ended holds no memory, except that of a request that is still being
 *       handled, and the buffer of a range while it is being filled. The memory of the request is
 *       given back when the request is answered or abandoned.
 * </ol>
 */
final class HttpSession extends Session {
    private static final Logger LOG = LoggerFactory.getLogger(HttpSession.class);
    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(ISO_8859_1);
    private static final byte[] NONE = {};

    /**
     * The largest read while memory is scarce. It is small, because each byte that is read takes
     * memory until its request is answered.
     */
    private static final int SCARCE_READ_BYTES = ConnectionMemory.LITTLE_BYTES_MAX / 2;

    /**
     * After the last answer, at most this many bytes are read and discarded before the connection
     * is closed. Without this, the client might not receive the answer.
     */
    private static final long LINGER_BYTES_MAX = 64 << 20;

    private static final long LINGER_MILLIS_MAX = 2000;

    private final HttpServer server;

    // Used only by the selector thread.
    private Responder ready; // The responder of a complete request that is not dispatched yet.
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

    /** Input that was read too early, beginning at {@code leftoverStart}. */
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

    /**
     * If true, the connection has ended: nothing is read or written any more, and memory is held
     * only as invariant 2 says. The selector thread may not have closed the socket yet.
     */
    @GuardedBy("this")
    private boolean ended;

    /** Whether the server no longer counts this connection. */
    @GuardedBy("this")
    private boolean forgotten;

    /** The trace of the last request. */
    @GuardedBy("this")
    private RequestTrace trace = RequestTrace.OFF;

    /** When the first byte of an incomplete head arrived; 0 if no head is incomplete. */
    @GuardedBy("this")
    private long headBegunMillis;

    /**
     * When {@link #linger} was called, after the last answer was written; 0 if it was not called.
     */
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
     * Makes one read, and one write for each waiting item until the socket takes no more. Then
     * dispatches a complete request, without holding the monitor, for two reasons. A handler may
     * take the monitor of another connection, so two threads could wait for each other. Also, a
     * thread that answers this request at once would have to wait.
     */
    @Override
    public void process(byte[] buffer) throws Exception {
        if (!hasSelectorThread) {
            hasSelectorThread = true;
            belongTo(Thread.currentThread());
        }
        try {
            super.process(buffer);
        } catch (Throwable e) {
            if (ready != null) { // Nothing else would give its memory back.
                takeReady().giveUp();
            }
            throw e;
        }
        if (ready != null) {
            Responder responder = takeReady();
            server.router().dispatch(responder.request(), responder);
        }
    }

    private Responder takeReady() {
        Responder responder = ready;
        ready = null;
        return responder;
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
        if (isOwingAnswer) {
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

    /** Keeps input that was read too early. */
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
        HttpRequest request = parser.request();
        RequestTrace begun = RequestTrace.begin(request, server.url());
        request.trace(begun);
        Responder responder = new Responder(this, request);
        handling = true; // From here on, the responder gives back the request's memory.
        headBegunMillis = 0;
        trace = begun;
        if (parser.isOverBudget()) {
            responder.respond(server.overBudget());
        } else {
            ready = responder;
        }
    }

    /**
     * Answers with an error and ends the connection, because it is unclear where the next request
     * begins.
     */
    @GuardedBy("this")
    private void refuse(Response response) throws IOException {
        byte[] bytes = response.encode(Persistence.CLOSE, true);
        parser.release();
        headBegunMillis = 0;
        write(bytes, 0, bytes.length);
        lingerAfterAnswer();
    }

    /** Takes no more requests, and calls {@link #linger} when the last answer is written. */
    @GuardedBy("this")
    private void lingerAfterAnswer() throws IOException {
        lingering = true;
        dropInput();
        // Restarts the measurement: time lost in sending the body must not count against reading
        // this answer.
        pace.await(false);
        measurePace();
        if (queueHead == null) {
            linger();
        }
    }

    /**
     * Closes the output, and reads on until the client has finished sending, or until a limit is
     * reached. Otherwise the client might not receive the last answer: if the socket is closed
     * while it has input that was not read, the operating system discards what it has not sent yet.
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

    /** What happens to the connection after the answer to this request. */
    Persistence persistence(HttpRequest request) {
        return server.isDraining() ? Persistence.CLOSE : request.persistence();
    }

    /** Writes the answer to the request that is being handled. */
    synchronized void answer(QueueItem items, Persistence persistence) {
        handling = false;
        parser.release();
        if (ended) { // The socket may still be open, but nothing would release what is queued now.
            QueueItem.releaseChain(items);
            return;
        }
        pace.beginAnswer();
        try {
            write(items);
            if (queueHead == null) {
                trace.written();
            } else if (!tryTakeForAnswer(items)) {
                close(); // The client doesn't read, and there is no memory to keep the answer.
                return;
            }
        } catch (Throwable e) { // Whichever thread this is: nothing else closes the connection.
            QueueItem.releaseChain(items);
            handleException(e);
            return;
        }
        if (persistence == Persistence.CLOSE && !inputEnded && (feeding || hasInput())) {
            tryLinger();
        } else if (persistence == Persistence.CLOSE || inputEnded && !hasInput()) {
            scheduleClose();
        } else if (!feeding && queueHead == null) {
            listen(hasInput() ? WRITEABLE : READABLE);
        }
        measurePace();
    }

    /** Whether input waits that was read too early. */
    @GuardedBy("this")
    private boolean hasInput() {
        return leftoverStart < leftover.length;
    }

    /** The client is sending further requests, which are not answered any more. */
    @GuardedBy("this")
    private void tryLinger() {
        try {
            lingerAfterAnswer();
        } catch (IOException e) {
            handleException(e);
        }
    }

    @GuardedBy("this")
    private boolean tryTakeForAnswer(QueueItem items) {
        long bytes = HeapItem.heapBytes(items);
        boolean isTaken = bytes == 0 || memory.tryTake(bytes); // A range has taken its buffer.
        answerTakenBytes += isTaken ? bytes : 0;
        return isTaken;
    }

    /**
     * Takes memory for the buffer of a range; returns false if too little is left, or if the
     * session has ended.
     */
    synchronized boolean tryTake(long bytes) {
        return !ended && memory.tryTake(bytes);
    }

    synchronized void giveBack(long bytes) {
        memory.giveBack(bytes);
    }

    @GuardedBy("this")
    private void giveBackAnswer() {
        memory.giveBack(answerTakenBytes);
        answerTakenBytes = 0;
    }

    /** Closes the connection without an answer to the current request. */
    synchronized void abandon() {
        handling = false;
        parser.release(); // close() does not do this if the session has already ended.
        close();
    }

    /** Runs {@code change}, and continues writing if writing has waited for the change. */
    synchronized void resume(Runnable change) {
        change.run();
        if (!ended && queueHead != null && eventsToListen == 0) {
            lastAccessTime = now(); // The client has had nothing to read until now.
            listen(WRITEABLE);
        }
        measurePace();
    }

    /** How fast the client reads its answer: see {@link ClientPace}. */
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
        trace.written();
        if (closing) {
            close();
        } else if (lingering) {
            linger();
        } else {
            resumeInput();
        }
    }

    /** Whether the server is still reading what this item must write. */
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

    /** Closes the connection if no request is in flight, and no input waits. */
    synchronized void drain() {
        boolean isWorking = handling || queueHead != null || hasInput();
        if (!isWorking && !lingering && parser.isBetweenRequests()) {
            close();
        }
    }

    /** Tells {@code pace} whether the server now waits for the client. */
    @GuardedBy("this")
    private void measurePace() {
        boolean isReading = queueHead != null && !isWaiting(queueHead);
        boolean isNext = queueHead == null && !handling && !lingering;
        boolean isSending = isNext && (parser.isInHead() || parser.isInBody());
        boolean isBlocking = isNext && hasInput(); // Its requests wait until it reads an answer.
        pace.await(!ended && (isReading || isSending || isBlocking));
    }

    /**
     * Ends the connection if it has exceeded a time limit.
     *
     * @param isAnew whether to restart the measurement of the client's pace, and check nothing this
     *     time
     */
    synchronized void sweep(long nowMillis, boolean isAnew) {
        HttpOptions options = server.options();
        if (isAnew) {
            pace.forget(nowMillis);
            return;
        }
        pace.measure(nowMillis, options.dataRateMin());
        boolean isWorking = handling || isWaiting(queueHead);
        boolean isIdle =
                lastAccessTime < nowMillis - options.idleTimeout().toMillis() && !isWorking;
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
        } catch (IOException | RuntimeException | Error e) {
            // The parser may be ahead of the input, so no more input may be read.
            handleException(e);
        }
    }

    /**
     * For how long the client has been too slow, in milliseconds; 0 if the connection holds no
     * memory.
     */
    synchronized long stalledMillis(long nowMillis) {
        return memory.heldBytes() == 0 ? 0 : pace.stalledMillis(nowMillis);
    }

    /**
     * Ends the connection if it holds memory and has stalled for long enough; returns whether it
     * was ended.
     */
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
        try { // Only logs the failure: the client can't be answered any more.
            if (e instanceof IOException) {
                LOG.debug("connection broke: {}", e.getMessage());
            } else {
                failures().responseTo(e);
            }
        } catch (OutOfMemoryError _) { // No memory even for the log: the thread goes on.
        }
    }

    /**
     * Ends the connection. If there is a selector thread, only that thread closes the socket. If
     * another thread cancels a key that the selector thread is using, the selector thread fails.
     */
    @Override
    public synchronized void close() {
        try {
            end();
        } finally {
            if (Thread.currentThread() == selectorThread || !tryWakeSelector()) {
                closeSocket();
            }
        }
    }

    /** Ends the connection and closes the socket, after the selector threads have ended. */
    synchronized void closeAtLast() {
        try {
            end();
        } finally {
            closeSocket();
        }
    }

    /** Releases all that the connection holds. If that fails, the socket must still be closed. */
    @GuardedBy("this")
    private void end() {
        if (ended) {
            return;
        }
        ended = true;
        closing = true;
        try {
            QueueItem.releaseChain(queueHead);
        } catch (RuntimeException e) { // An Error ends the thread, and with it the process.
            failures().log(e);
        } finally {
            queueHead = null;
            dropInput();
            giveBackAnswer();
            if (!handling) {
                parser.release();
            }
        }
    }

    /** Wakes the selector thread by closing the socket's input, which makes the socket readable. */
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
            return false; // The socket is already closed.
        }
    }

    @GuardedBy("this")
    private void closeSocket() {
        try {
            super.close();
        } finally {
            if (!forgotten) {
                forgotten = true;
                server.forget(this);
            }
        }
    }

    private static long now() {
        return System.currentTimeMillis();
    }
}
