package dht.http;

import dht.storage.EntryCursor;
import dht.storage.ReadOutcome;
import dht.storage.StorageException;
import dht.storage.WriteListener;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import one.nio.net.Session.QueueItem;

/**
 * Answers one request, exactly once, from any thread. If the client has disconnected, the answer is
 * dropped.
 *
 * <p>Thread-safe. A second answer is a bug of the caller, and throws {@link IllegalStateException}.
 */
public final class Responder implements WriteListener {
    private static final Response NO_MEMORY_FOR_RANGE =
            Response.unavailable("connections hold too much memory for another range");

    private final HttpSession session;
    private final HttpRequest request;
    private final AtomicBoolean answered = new AtomicBoolean();
    private Consumer<Status> listener = _ -> {};
    private Response whenDurable; // Set before the write begins.

    Responder(HttpSession session, HttpRequest request) {
        this.session = session;
        this.request = request;
    }

    /**
     * Sets a listener, which is called with the status after the answer was passed to the
     * connection. If memory runs out, it may not be called. Must be called before the request is
     * passed to code that may answer it.
     */
    public void onAnswer(Consumer<Status> newListener) {
        listener = newListener;
    }

    public boolean isAnswered() {
        return answered.get();
    }

    public void respond(Response response) {
        Persistence persistence = session.persistence(request);
        QueueItem item;
        try {
            byte[] bytes = response.encode(persistence, request.method() != Method.HEAD);
            item = new HeapItem(bytes, bytes.length);
        } catch (OutOfMemoryError e) {
            giveUp();
            return;
        }
        send(item, persistence, response.status());
    }

    /**
     * Returns a listener for a write. When the write is durable, it answers with {@code response};
     * if the write fails, with an error. The listener is this responder itself, so nothing is
     * allocated per write.
     */
    public WriteListener whenDurable(Response response) {
        whenDurable = response;
        return this;
    }

    @Override
    public void durable() {
        trace().stored();
        try {
            respond(whenDurable);
        } catch (Throwable e) { // On a thread of the storage: nothing else would answer the client.
            fail(e);
        }
    }

    @Override
    public void failed(StorageException failure) {
        fail(failure);
    }

    /** Answers 200 with the value, and closes it afterwards. */
    public void respond(ReadOutcome.Found found) {
        respond(found, "");
    }

    /**
     * Answers 200 with the value, and closes it afterwards.
     *
     * @param header a complete header line with its line end, or empty
     */
    public void respond(ReadOutcome.Found found, String header) {
        Persistence persistence = session.persistence(request);
        send(ValueResponse.encode(found, header, persistence, session), persistence, Status.OK);
    }

    /**
     * Answers 200 with the entries of a cursor, as fast as the client reads them; or 503, without
     * opening the cursor, if connections hold too much memory or the client has disconnected.
     *
     * @param opening opens the cursor; if it throws, this method throws the same
     * @param executor reads from the cursor
     * @param onRelease called once, after the cursor was closed, or if there is none; also if this
     *     throws
     */
    public void respond(
            Supplier<EntryCursor> opening, RequestExecutor executor, Runnable onRelease) {
        if (session.tryTake(RangeStream.BUFFER_BYTES)) {
            respond(stream(opening, executor, onRelease));
        } else {
            onRelease.run();
            respond(NO_MEMORY_FOR_RANGE);
        }
    }

    private RangeStream stream(
            Supplier<EntryCursor> opening, RequestExecutor executor, Runnable onRelease) {
        EntryCursor cursor = null;
        try {
            cursor = opening.get();
            return new RangeStream(cursor, executor, session.failures(), this, onRelease);
        } catch (Throwable e) {
            RangeStream.free(cursor, session, onRelease);
            throw e;
        }
    }

    /** Answers 200 with a stream of entries. The stream is closed at the end. */
    void respond(RangeStream stream) {
        Persistence persistence =
                request.isHttp11() ? session.persistence(request) : Persistence.CLOSE;
        send(stream.withHead(persistence), persistence, Status.OK);
    }

    /** Called last: until here, a failure can still be answered with an error. */
    private void send(QueueItem items, Persistence persistence, Status status) {
        if (!answered.compareAndSet(false, true)) {
            QueueItem.releaseChain(items);
            throw new IllegalStateException("answered twice: " + request);
        }
        trace().answered(status);
        session.answer(items, persistence);
        try {
            listener.accept(status);
        } catch (OutOfMemoryError _) { // The client has its answer: only the listener misses it.
        }
    }

    /** Answers with the error for a failure, if the request is not answered yet. */
    public void fail(Throwable failure) {
        session.failures().answer(failure, this);
    }

    /** Closes the connection without an answer, because there is no memory for an answer. */
    void giveUp() {
        if (answered.compareAndSet(false, true)) {
            session.abandon();
        }
    }

    /**
     * Logs a failure and returns the error for it. Used for a failure that is only a part of an
     * answer.
     */
    public Response verdict(Throwable failure) {
        return session.failures().responseTo(failure);
    }

    /** The record of when the request passed each point on its way through the server. */
    public RequestTrace trace() {
        return request.trace();
    }

    HttpRequest request() {
        return request;
    }

    HttpSession session() {
        return session;
    }
}
