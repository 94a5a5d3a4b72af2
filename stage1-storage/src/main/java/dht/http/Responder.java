package dht.http;

import dht.storage.ReadOutcome;
import dht.storage.StorageException;
import dht.storage.WriteListener;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import one.nio.net.Session.QueueItem;

/**
 * Answers one request, exactly once, from any thread. An answer to a client that has gone is
 * dropped.
 *
 * <p>Thread-safe. A second answer is a bug of the caller, and throws {@link IllegalStateException}.
 */
public final class Responder implements WriteListener {
    private final HttpSession session;
    private final HttpRequest request;
    private final AtomicBoolean answered = new AtomicBoolean();
    private Consumer<Status> listener = _ -> {};
    private Response whenDurable; // Set before the write that it answers.

    Responder(HttpSession session, HttpRequest request) {
        this.session = session;
        this.request = request;
    }

    /**
     * Has somebody told of the answer when it has been handed to the connection. For whoever has
     * the request first, before others can answer it.
     */
    public void onAnswer(Consumer<Status> told) {
        listener = told;
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
     * Answers with {@code response} when the write is durable that this listener is handed in with,
     * or else with what its failure means. The listener is the responder itself, so that a write
     * allocates nothing for it.
     */
    public WriteListener whenDurable(Response response) {
        whenDurable = response;
        return this;
    }

    @Override
    public void durable() {
        try {
            respond(whenDurable);
        } catch (Throwable e) { // In a thread of the storage: nobody else would tell the client.
            fail(e);
        }
    }

    @Override
    public void failed(StorageException failure) {
        fail(failure);
    }

    /** Answers 200 with the value, which is taken over. */
    public void respond(ReadOutcome.Found found) {
        respond(found, "");
    }

    /**
     * Answers 200 with the value, which is taken over.
     *
     * @param header a whole line with its end, or empty
     */
    public void respond(ReadOutcome.Found found, String header) {
        Persistence persistence = session.persistence(request);
        send(ValueResponse.encode(found, header, persistence, session), persistence, Status.OK);
    }

    /** Answers 200 with entries as the client reads them; the stream is taken over. */
    void respond(RangeStream stream) {
        Persistence persistence =
                request.isHttp11() ? session.persistence(request) : Persistence.CLOSE;
        send(stream.withHead(persistence), persistence, Status.OK);
    }

    /** Last of all: as long as this is not reached, the client can still be told of a failure. */
    private void send(QueueItem items, Persistence persistence, Status status) {
        if (!answered.compareAndSet(false, true)) {
            QueueItem.releaseChain(items);
            throw new IllegalStateException("answered twice: " + request);
        }
        session.answer(items, persistence);
        listener.accept(status);
    }

    /** Tells the client what a failure means to it, if nobody has answered yet. */
    public void fail(Throwable failure) {
        session.failures().answer(failure, this);
    }

    /** Ends the connection instead of answering: there is no memory even to say so. */
    void giveUp() {
        if (answered.compareAndSet(false, true)) {
            session.abandon();
        }
    }

    /** What a failure means to the client, for an answer of which it is a part. Tells the log. */
    public Response verdict(Throwable failure) {
        return session.failures().responseTo(failure);
    }

    HttpRequest request() {
        return request;
    }

    HttpSession session() {
        return session;
    }
}
