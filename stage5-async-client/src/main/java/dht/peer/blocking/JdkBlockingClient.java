package dht.peer.blocking;

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
import dht.peer.async.PeerRequests;
import dht.peer.async.PeerTransport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;

/**
 * Asks another node with the JDK's client, the calling thread waiting: to tell what the client
 * costs from what not waiting saves.
 *
 * <p>Thread-safe: it has as many connections as threads ask.
 */
final class JdkBlockingClient {
    private final PeerRequests requests;
    private final PeerTransport transport;
    private final TimeoutQueue timeouts;
    private final MemoryBudget answerMemory;

    /**
     * @param transport must outlive this
     * @param answerMemory of large values
     */
    JdkBlockingClient(
            NodeAddress node,
            Credentials credentials,
            PeerOptions options,
            PeerTransport transport,
            MemoryBudget answerMemory) {
        this.requests = new PeerRequests(node, credentials, options);
        this.transport = transport;
        this.timeouts = transport.timeoutQueue(options.requestTimeout().toNanos());
        this.answerMemory = answerMemory;
    }

    /**
     * Asks the node itself, which asks nobody else.
     *
     * @param timestampMicros the stamp of the version to be written, or 0: then the node stamps it
     */
    PeerAnswer ask(EntityRequest request, long timestampMicros) {
        try {
            HttpRequest sent = requests.request(request, timestampMicros, true);
            return transport.client().send(sent, this::body).body();
        } catch (IOException | UncheckedIOException e) {
            transport.replaceEndedClient();
            return AnswerFailures.answer(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Unreachable("interrupted");
        }
    }

    /** The client's own timeout ends with the head. */
    private HttpResponse.BodySubscriber<PeerAnswer> body(HttpResponse.ResponseInfo info) {
        AnswerBody body = new AnswerBody(info, answerMemory, _ -> {});
        long timeoutNanos = requests.timeoutFor(AnswerBody.bodyBytes(info)).toNanos();
        timeouts.add(new BodyTimeout(body), timeoutNanos);
        return body;
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
            body.cancel(new HttpTimeoutException("no whole answer in time"));
        }
    }
}
