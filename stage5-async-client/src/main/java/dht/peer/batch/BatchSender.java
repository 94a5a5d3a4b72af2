package dht.peer.batch;

import dht.http.RequestTrace;
import dht.http.Status;
import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.Unreachable;
import dht.peer.PeerCall;
import dht.peer.TimeoutQueue;
import dht.peer.async.AnswerFailures;
import dht.peer.async.AsyncClient;
import dht.peer.async.CallSender;
import dht.peer.async.PeerRequestFactory;
import dht.peer.async.PeerTransport;
import dht.peer.inline.InlineValues;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.Collections;
import java.util.List;

/**
 * Sends calls to a node. A call with a value of more than 1 KiB is sent alone. Each other call is
 * short. A short call is sent at once if no message with short calls is under way, or if all of
 * these are slow. Otherwise it waits, and shares the next message with other short calls. Each call
 * gets its own answer.
 *
 * <p>Thread-safe; doesn't block the caller.
 */
public final class BatchSender implements CallSender {
    /** The largest number of request numbers in the head of a message. */
    private static final int NUMBERS_MAX = 256;

    private final AsyncClient client;
    private final Batcher batcher;
    private volatile Target known; // Null before the first batch.

    /** The URI for batches; valid while the node has this URL. */
    private record Target(String url, URI batches) {}

    /**
     * @param sizeMax the largest number of calls in a message, 1 to {@link Batch#SIZE_MAX}
     * @param transport the transport of the client
     */
    public BatchSender(int sizeMax, AsyncClient client, PeerTransport transport) {
        this(sizeMax, client, transport.timeoutQueue(Batcher.PATIENCE_NANOS));
    }

    /**
     * @param slow the timeout queue for messages that take too long
     */
    public BatchSender(int sizeMax, AsyncClient client, TimeoutQueue slow) {
        this.client = client;
        this.batcher = new Batcher(sizeMax, slow, this::sendTogether);
    }

    @Override
    public void send(PeerCall call) {
        if (call.request().valueBytes() <= InlineValues.BYTES_MAX) {
            batcher.add(call);
        } else {
            client.send(call);
        }
    }

    @Override
    public int waitingCount() {
        return batcher.waitingCount();
    }

    private void sendTogether(List<PeerCall> calls, Runnable ended) {
        try {
            if (calls.size() == 1) {
                client.sendAlone(calls.getFirst(), ended);
            } else {
                sendBatch(calls, ended);
            }
        } catch (RuntimeException | Error e) {
            failAll(calls, e);
            ended.run();
        }
    }

    private void sendBatch(List<PeerCall> calls, Runnable ended) {
        long sentNanos = System.nanoTime();
        client.exchange(
                factory -> message(calls, factory),
                0,
                sentNanos,
                answer -> {
                    try {
                        try { // First: the next message does not wait for the receivers.
                            ended.run();
                        } finally {
                            endAll(answer, calls, sentNanos);
                        }
                    } catch (RuntimeException | Error e) {
                        // For example, no memory for the answers.
                        failAll(calls, e);
                    }
                });
    }

    private HttpRequest message(List<PeerCall> calls, PeerRequestFactory factory) {
        URI batches = batches(factory.url());
        String numbers = numbers(calls);
        return factory.put(
                numbers.isEmpty() ? batches : URI.create(batches + numbers),
                Batch.ofQuestions(calls));
    }

    /**
     * The URI for batches to a node with this URL. Returns the same object until the URL changes.
     */
    URI batches(String url) {
        Target target = known;
        if (target == null || !target.url().equals(url)) {
            target = new Target(url, URI.create(url + Batch.PATH));
            known = target;
        }
        return target.batches();
    }

    /**
     * A parameter with the numbers of the requests that made these calls; empty if none of these
     * requests is recorded.
     */
    private static String numbers(List<PeerCall> calls) {
        StringBuilder numbers = null;
        for (PeerCall call : calls.subList(0, Math.min(calls.size(), NUMBERS_MAX))) {
            long number = RequestTrace.of(call.request()).number();
            if (number > 0) {
                if (numbers == null) {
                    numbers = new StringBuilder("?" + RequestTrace.NUMBERS_PARAMETER + "=");
                } else {
                    numbers.append(',');
                }
                numbers.append(number);
            }
        }
        return numbers == null ? "" : numbers.toString();
    }

    private void endAll(PeerAnswer message, List<PeerCall> calls, long sentNanos) {
        try {
            List<? extends PeerAnswer> answers = answers(message, calls.size());
            // Updated once per message: one message shows only once whether the node answers.
            client.health().updateBreaker(answers.getFirst(), sentNanos);
            for (int i = 0; i < calls.size(); i++) {
                if (answers.get(i) instanceof Answered(int status, _, _, _)
                        && status == Batch.ALONE) {
                    client.send(calls.get(i));
                } else {
                    calls.get(i).end(answers.get(i));
                }
            }
        } finally {
            message.release(); // The message has one hold; the answers in it have none.
        }
    }

    private static List<? extends PeerAnswer> answers(PeerAnswer message, int count) {
        if (!(message instanceof Answered answered)) {
            return Collections.nCopies(count, message);
        }
        List<Answered> answers =
                refusesAll(answered)
                        ? Collections.nCopies(count, withoutHold(answered))
                        : Batch.answers(answered, count);
        return answers != null
                ? answers
                : Collections.nCopies(count, new Unreachable("its answer to a batch is malformed"));
    }

    private static Answered withoutHold(Answered answered) {
        return new Answered(
                answered.status(), answered.timestampMicros(), answered.body(), () -> {});
    }

    /**
     * Whether the node refused the whole batch; its status is then the answer to every call. A 404
     * is not such an answer: taken for every call, it would say that no key exists.
     */
    private static boolean refusesAll(Answered answered) {
        return answered.status() != Status.OK.code()
                && answered.status() != Status.NOT_FOUND.code();
    }

    /**
     * Ends the calls that have not ended, because of a failure of this node. The other node may be
     * healthy. Needs no memory.
     */
    private void failAll(List<PeerCall> calls, Throwable reason) {
        PeerAnswer answer = AnswerFailures.ownFailure(reason, client.address());
        for (int i = 0; i < calls.size(); i++) { // An iterator would need memory.
            calls.get(i).end(answer);
        }
    }
}
