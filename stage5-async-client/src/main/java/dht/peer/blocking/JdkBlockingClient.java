package dht.peer.blocking;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import dht.peer.Credentials;
import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.Unreachable;
import dht.peer.PeerOptions;
import dht.peer.TimeoutQueue;
import dht.peer.async.AnswerBody;
import dht.peer.async.AnswerFailures;
import dht.peer.async.PeerRequestFactory;
import dht.peer.async.PeerTransport;
import dht.peer.async.RefusedBody;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.util.function.Consumer;

/**
 * Sends a request to another node with the JDK's client, and lets the calling thread wait for the
 * answer. It exists for two comparisons. A comparison with stage 3's client shows what the JDK's
 * client costs. A comparison with {@link dht.peer.async.AsyncClient} shows what is saved when no
 * thread waits.
 *
 * <p>Thread-safe: each thread that waits for an answer has its own connection.
 */
final class JdkBlockingClient {
    private final PeerRequestFactory requestFactory;
    private final PeerTransport transport;
    private final TimeoutQueue timeouts;
    private final MemoryBudget answerMemory;

    /**
     * @param transport must be closed after the last request
     * @param answerMemory the memory limit for large values
     */
    JdkBlockingClient(
            NodeAddress node,
            Credentials credentials,
            PeerOptions options,
            PeerTransport transport,
            MemoryBudget answerMemory) {
        this.requestFactory = new PeerRequestFactory(node, credentials, options);
        this.transport = transport;
        this.timeouts = transport.timeoutQueue(options.requestTimeout().toNanos());
        this.answerMemory = answerMemory;
    }

    /**
     * Sends a request that the node answers from its own storage, and waits for the answer.
     *
     * @param timestampMicros the stamp of the version to be written, or 0: then the node stamps it
     */
    PeerAnswer ask(EntityRequest request, long timestampMicros) {
        try (Receipt receipt = new Receipt()) {
            PeerAnswer answer = exchange(request, timestampMicros, receipt);
            requestFactory.answered(answer);
            receipt.handOver(answer);
            return answer;
        }
    }

    private PeerAnswer exchange(EntityRequest request, long timestampMicros, Receipt receipt) {
        try {
            HttpRequest sent = requestFactory.request(request, timestampMicros, true);
            return transport.client().send(sent, info -> body(info, receipt)).body();
        } catch (IOException | UncheckedIOException e) {
            transport.replaceEndedClient();
            return AnswerFailures.answer(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Unreachable("interrupted");
        }
    }

    /**
     * The body has its own timeout, because the client's timeout covers only the head of the
     * answer.
     */
    private HttpResponse.BodySubscriber<PeerAnswer> body(
            HttpResponse.ResponseInfo info, Receipt receipt) {
        AnswerBody body = null;
        try {
            body = new AnswerBody(info, answerMemory, receipt);
            long timeoutNanos = requestFactory.timeoutFor(AnswerBody.bodyBytes(info)).toNanos();
            timeouts.add(new BodyTimeout(body), timeoutNanos);
            return body;
        } catch (RuntimeException | Error e) {
            if (body != null) {
                body.cancel(e);
            }
            return RefusedBody.of(AnswerFailures.answer(e));
        }
    }

    /**
     * Holds the answer after its body is complete, until the waiting thread takes it. The client
     * may fail in between. Then no other code would release the memory of the body. Thread-safe.
     */
    private static final class Receipt implements Consumer<PeerAnswer>, AutoCloseable {
        @GuardedBy("this")
        private PeerAnswer held; // Null before the answer came, and after it was taken.

        @GuardedBy("this")
        private boolean isClosed;

        @Override
        public synchronized void accept(PeerAnswer answer) {
            if (isClosed) {
                answer.release();
            } else {
                held = answer;
            }
        }

        /**
         * The caller takes this answer, and must release it. If it is another one than the answer
         * that came, such as a failure after the body, the answer that came stays here.
         */
        synchronized void handOver(PeerAnswer answer) {
            if (held == answer) {
                held = null;
            }
        }

        /** Releases the answer that came, unless it was taken. */
        @Override
        public synchronized void close() {
            isClosed = true;
            if (held != null) {
                held.release();
            }
        }
    }

    private static final class BodyTimeout extends TimeoutQueue.Timeout {
        private final AnswerBody body;

        BodyTimeout(AnswerBody body) {
            this.body = body;
        }

        @Override
        protected boolean isOver() {
            return body.isOver();
        }

        @Override
        protected void expire() {
            body.cancel(new HttpTimeoutException("the answer was not complete in time"));
        }
    }
}
