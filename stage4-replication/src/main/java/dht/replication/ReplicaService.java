package dht.replication;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.http.EntityRequest;
import dht.http.EntityService;
import dht.http.LocalEntityService;
import dht.http.RequestException;
import dht.http.Responder;
import dht.http.Response;
import dht.http.Status;
import dht.peer.Peer;
import dht.storage.ReadOutcome;
import java.util.regex.Pattern;

/**
 * Serves requests from coordinators on other nodes: reads and writes this node's copies, with their
 * stamps. The requests come from a {@link PeerReplica}. Never asks other nodes.
 *
 * <p>Thread-safe.
 */
public final class ReplicaService implements EntityService {
    private static final Pattern TIMESTAMP = Pattern.compile("\\d{1,18}");
    private static final Pattern FROM = Pattern.compile("\\d{1,3}");

    private static final Response NOTHING_NEWER =
            Response.of(
                    Status.NOT_FOUND, "this node has no version with this stamp or a greater one");

    private final LocalReplica replica;

    public ReplicaService(LocalReplica replica) {
        this.replica = replica;
    }

    @Override
    public void serve(EntityRequest request, Responder responder) {
        try {
            switch (request) {
                case EntityRequest.Get get when isStampAsked(get) -> findNewer(get, responder);
                case EntityRequest.Get get -> get(get, responder);
                case EntityRequest.Put _ -> write(request, LocalEntityService.CREATED, responder);
                case EntityRequest.Delete _ ->
                        write(request, LocalEntityService.ACCEPTED, responder);
            }
        } catch (RequestException e) {
            responder.respond(e.response());
        }
    }

    private void get(EntityRequest.Get request, Responder responder) {
        ReadOutcome outcome = replica.read(request.key());
        responder.trace().stored();
        switch (outcome) {
            case ReadOutcome.Found found -> responder.respond(found, headerLine(found));
            case ReadOutcome.Deleted deleted ->
                    responder.respond(
                            Response.withHeader(
                                    Status.NOT_FOUND,
                                    header(deleted.timestampMicros()),
                                    "the entry was deleted"));
            case ReadOutcome.Absent _ -> responder.respond(LocalEntityService.NOT_FOUND);
        }
    }

    /** Closes the outcome if there is no memory for the line. */
    private static String headerLine(ReadOutcome.Found found) {
        try {
            return header(found.timestampMicros()) + "\r\n";
        } catch (OutOfMemoryError e) {
            found.close();
            throw e;
        }
    }

    private static boolean isStampAsked(EntityRequest.Get request) throws RequestException {
        return request.http().parameter(Peer.TIMESTAMP_PARAMETER) != null;
    }

    private void findNewer(EntityRequest.Get request, Responder responder) throws RequestException {
        long newestMicros = replica.newerMicros(request.key(), timestamp(request));
        responder.respond(
                newestMicros == 0
                        ? NOTHING_NEWER
                        : Response.withHeader(
                                Status.NOT_FOUND,
                                header(newestMicros),
                                "this node has a version at least as new"));
    }

    private void write(EntityRequest request, Response stored, Responder responder)
            throws RequestException {
        long timestampMicros = timestamp(request);
        EntityRequest placed = request.withFrom(from(request));
        long newestMicros = observe(request, timestampMicros);
        Response answer =
                newestMicros == 0
                        ? stored
                        : Response.withHeader(
                                stored.status(),
                                header(newestMicros),
                                "this node had a version at least as new");
        replica.store(placed, timestampMicros, responder.whenDurable(answer));
    }

    private long observe(EntityRequest request, long timestampMicros) throws RequestException {
        try {
            return replica.observe(request, timestampMicros);
        } catch (StampAheadException e) {
            throw RequestException.badRequest(e.getMessage());
        }
    }

    private static long timestamp(EntityRequest request) throws RequestException {
        byte[] value = request.http().parameter(Peer.TIMESTAMP_PARAMETER);
        String text = value == null ? "" : new String(value, ISO_8859_1);
        if (!TIMESTAMP.matcher(text).matches() || Long.parseLong(text) == 0) {
            throw RequestException.badRequest(
                    "timestamp: must be microseconds since 1970, as the coordinator's clock gives them");
        }
        return Long.parseLong(text);
    }

    /** How many nodes hold the version; 0 if the coordinator does not say it. */
    private static int from(EntityRequest request) throws RequestException {
        byte[] value = request.http().parameter(Peer.FROM_PARAMETER);
        if (value == null) {
            return 0;
        }
        String text = new String(value, ISO_8859_1);
        int from = FROM.matcher(text).matches() ? Integer.parseInt(text) : 0;
        if (from < 1 || from > PlacementRecord.FROM_MAX) {
            throw RequestException.badRequest(
                    "from: must be 1 to " + PlacementRecord.FROM_MAX + " nodes");
        }
        return from;
    }

    private static String header(long timestampMicros) {
        return PeerReplica.TIMESTAMP_HEADER + timestampMicros;
    }
}
