package dht.replication.batch;

import static java.nio.charset.StandardCharsets.UTF_8;

import dht.http.EntityRequest;
import dht.http.HttpRequest;
import dht.http.Method;
import dht.http.RequestException;
import dht.http.RequestExecutor;
import dht.http.Responder;
import dht.http.Response;
import dht.http.Router;
import dht.http.Status;
import dht.peer.batch.Batch;
import dht.peer.batch.Batch.Asked;
import dht.peer.inline.InlineValues;
import dht.replication.LocalReplica;
import dht.replication.ReplicaService;
import dht.replication.StampAheadException;
import dht.storage.ReadOutcome;
import dht.storage.StorageException;
import dht.storage.WriteListener;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Answers messages with several questions, each question as {@link ReplicaService} answers a single
 * request. All questions of a message are one task of the pool, which answers them one after the
 * other. If one question fails, the others can still succeed. The writes among them wait for the
 * same sync. If that sync fails, the whole message fails, because the outcome of the writes is
 * unknown.
 *
 * <p>Thread-safe.
 */
public final class BatchService {
    private static final String CONTENT_TYPE = "application/octet-stream";
    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    private final LocalReplica replica;
    private final RequestExecutor executor;

    private BatchService(LocalReplica replica, RequestExecutor executor) {
        this.replica = replica;
        this.executor = executor;
    }

    /** Adds the routes for requests from other coordinators, single and in batches. */
    public static void route(LocalReplica replica, RequestExecutor executor, Router router) {
        InlineValues.route(new ReplicaService(replica).on(executor), router);
        BatchService service = new BatchService(replica, executor);
        router.route(Batch.PATH, Map.of(Method.PUT, service::handle));
    }

    private void handle(HttpRequest http, Responder responder) throws RequestException {
        responder.trace().queued();
        executor.execute(new Task(Batch.questions(http.body(), http), responder));
    }

    /** Responds when all questions are answered and all writes among them are durable. */
    private final class Task implements RequestExecutor.Task, WriteListener {
        private final List<Asked> questions;
        private final Responder responder;

        /**
         * The number of writes that are not durable yet, plus one while questions are still being
         * processed.
         */
        private final AtomicInteger pending = new AtomicInteger(1);

        private volatile StorageException failure; // Null if no sync has failed.
        private Batch.Answers answers; // Complete when pending is 0.

        Task(List<Asked> questions, Responder responder) {
            this.questions = questions;
            this.responder = responder;
        }

        @Override
        public void run() {
            responder.trace().begun();
            try {
                answers = new Batch.Answers(questions.size());
                for (Asked asked : questions) {
                    answer(asked);
                }
            } catch (Throwable e) {
                responder.fail(e);
                return; // pending stays above 0, because the response was already sent.
            }
            done();
            responder.trace().left();
        }

        @Override
        public void durable() {
            done();
        }

        @Override
        public void failed(StorageException reason) {
            failure = reason;
            done();
        }

        private void done() {
            if (pending.decrementAndGet() > 0) {
                return;
            }
            try {
                responder.trace().stored();
                StorageException failed = failure;
                if (failed != null) {
                    // The outcome of a write is unknown, so the whole batch fails.
                    throw failed;
                }
                responder.respond(Response.text(CONTENT_TYPE, answers.toBytes()));
            } catch (Throwable e) {
                responder.fail(e);
            }
        }

        private void answer(Asked asked) {
            try {
                if (asked.request() instanceof EntityRequest.Get get) {
                    read(get, asked.timestampMicros());
                } else {
                    write(asked);
                }
            } catch (StampAheadException e) {
                fail(Status.BAD_REQUEST, e.getMessage(), answers);
            } catch (StorageException e) {
                Response response = responder.verdict(e);
                fail(response.status(), e.getMessage(), answers);
            }
        }

        private void read(EntityRequest.Get get, long timestampMicros) {
            if (timestampMicros == 0) {
                BatchService.this.read(get, answers);
            } else { // Only the stamp is asked for.
                long newestMicros = replica.newerMicros(get.key(), timestampMicros);
                answers.add(Status.NOT_FOUND.code(), newestMicros, NOTHING);
            }
        }

        private void write(Asked asked) throws StampAheadException {
            Status stored =
                    asked.request() instanceof EntityRequest.Put ? Status.CREATED : Status.ACCEPTED;
            long newestMicros = replica.observe(asked.request(), asked.timestampMicros());
            store(asked);
            answers.add(stored.code(), newestMicros, NOTHING);
        }

        private void store(Asked asked) {
            pending.incrementAndGet();
            try {
                replica.store(asked.request(), asked.timestampMicros(), this);
            } catch (Throwable e) { // If store throws, it does not notify this listener.
                pending.decrementAndGet();
                throw e;
            }
        }

        @Override
        public void refuse(Response answer) {
            responder.respond(answer);
        }
    }

    private void read(EntityRequest.Get request, Batch.Answers answers) {
        try (ReadOutcome outcome = replica.read(request.key())) {
            switch (outcome) {
                case ReadOutcome.Found found -> {
                    if (answers.hasRoomFor(found.value().byteSize())) {
                        answers.add(Status.OK.code(), found.timestampMicros(), found.value());
                    } else {
                        answers.alone();
                    }
                }
                case ReadOutcome.Deleted deleted ->
                        answers.add(Status.NOT_FOUND.code(), deleted.timestampMicros(), NOTHING);
                case ReadOutcome.Absent _ -> answers.add(Status.NOT_FOUND.code(), 0, NOTHING);
            }
        }
    }

    private static void fail(Status status, String line, Batch.Answers answers) {
        MemorySegment body = MemorySegment.ofArray(line.getBytes(UTF_8));
        boolean hasRoom = answers.hasRoomFor(body.byteSize());
        answers.add(status.code(), 0, hasRoom ? body : NOTHING);
    }
}
