package dht.http;

import dht.storage.Dao;
import dht.storage.ReadOutcome;
import dht.storage.TimestampClock;
import dht.storage.WriteListener;

/**
 * Serves requests from this node's storage. Answers on the calling thread, or, if a write waits for
 * its sync, on the thread that syncs. Thread-safe.
 */
public final class LocalEntityService implements EntityService {
    public static final Response CREATED = Response.of(Status.CREATED);
    public static final Response ACCEPTED = Response.of(Status.ACCEPTED);
    public static final Response NOT_FOUND = Response.of(Status.NOT_FOUND, "no entry has this id");

    private final Dao dao;
    private final TimestampClock clock;

    public LocalEntityService(Dao dao, TimestampClock clock) {
        this.dao = dao;
        this.clock = clock;
    }

    @Override
    public void serve(EntityRequest request, Responder responder) {
        switch (request) {
            case EntityRequest.Get get -> get(get.key(), responder);
            case EntityRequest.Put put -> {
                WriteListener created = responder.whenDurable(CREATED);
                dao.upsert(put.key(), put.value(), clock.nextMicros(), created);
            }
            case EntityRequest.Delete delete ->
                    dao.delete(delete.key(), clock.nextMicros(), responder.whenDurable(ACCEPTED));
        }
    }

    private void get(byte[] key, Responder responder) {
        ReadOutcome outcome = dao.get(key);
        responder.trace().stored();
        switch (outcome) {
            case ReadOutcome.Found found -> responder.respond(found);
            case ReadOutcome.Deleted _, ReadOutcome.Absent _ -> responder.respond(NOT_FOUND);
        }
    }
}
