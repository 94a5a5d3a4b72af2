package dht.peer.inline;

import dht.http.EntityRequest;
import dht.http.EntityService;
import dht.http.Method;
import dht.http.OwnedBytes;
import dht.http.RequestException;
import dht.http.Router;
import dht.http.Router.Handler;
import dht.peer.Peer;
import java.util.Base64;
import java.util.Map;

/**
 * Sends short values to another node within the request line. The JDK's client writes the head and
 * the body of a request separately, even if both are short. That takes two system calls and two
 * packets, and the other node wakes up twice. So a short value is sent as the parameter {@value
 * #PARAMETER} of the request line, in base64url, and the request has no body.
 *
 * <p>Such requests have their own path, {@value #PATH}, so that a node that doesn't know inline
 * values rejects them. On the usual path it would store an empty value. Stateless and thread-safe.
 */
public final class InlineValues {
    public static final String PATH = Peer.ENTITY_PATH + "/inline";
    static final String PARAMETER = "value";

    public static final int BYTES_MAX = 1024;

    /**
     * As many characters as the longest key takes when it is encoded. A head has room for such a
     * key, so it has room for key and value together up to this limit.
     */
    private static final int CHARACTERS_MAX = 3 * 1024;

    private InlineValues() {}

    /** Whether the value of a request is sent inline. */
    public static boolean isInline(EntityRequest.Put put) {
        long bytes = put.value().byteSize();
        long characters = 3L * put.key().length + (4 * bytes + 2) / 3;
        return bytes <= BYTES_MAX && characters <= CHARACTERS_MAX;
    }

    /** The value as a query parameter, to be appended to other parameters. */
    public static String parameter(EntityRequest.Put put) {
        byte[] value = put.body().toArray();
        return "&"
                + PARAMETER
                + "="
                + Base64.getUrlEncoder().withoutPadding().encodeToString(value);
    }

    /** Adds the routes for requests from other nodes, with values in the body or inline. */
    public static void route(EntityService service, Router router) {
        router.route(Peer.ENTITY_PATH, Router.entityHandlers(service));
        Handler put = Router.entityHandlers(decoding(service)).get(Method.PUT);
        router.route(PATH, Map.of(Method.PUT, put));
    }

    private static EntityService decoding(EntityService service) {
        return (request, responder) -> {
            EntityRequest whole;
            try {
                whole = new EntityRequest.Put(request.key(), value(request), request.http());
            } catch (RequestException e) {
                responder.respond(e.response());
                return;
            }
            service.serve(whole, responder);
        };
    }

    private static OwnedBytes value(EntityRequest request) throws RequestException {
        byte[] text = request.http().parameter(PARAMETER);
        if (text == null) {
            throw RequestException.badRequest(PARAMETER + ": is missing");
        }
        try {
            return OwnedBytes.takeOver(Base64.getUrlDecoder().decode(text));
        } catch (IllegalArgumentException e) {
            throw RequestException.badRequest(PARAMETER + ": must be base64url: " + e.getMessage());
        }
    }
}
