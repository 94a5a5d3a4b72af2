package dht.peer.inline;

import dht.http.EntityRequest;
import dht.http.EntityService;
import dht.http.Method;
import dht.http.OwnedBytes;
import dht.http.RequestException;
import dht.http.Router;
import dht.http.Router.Handler;
import dht.peer.Peer;
import dht.storage.Dao;
import java.util.Base64;
import java.util.Map;

/**
 * Short values on their way to another node. The JDK's client writes head and body of a request one
 * after the other, however short they are: two system calls here, and two packets, for each of
 * which the other node is woken. So a short value is a parameter of the request line, {@value
 * #PARAMETER}, in base64url, and the request has no body.
 *
 * <p>It has a path of its own, {@value #PATH}: a node that doesn't know of this must refuse it, not
 * store an empty value.
 */
public final class InlineValues {
    public static final String PATH = Peer.ENTITY_PATH + "/inline";
    static final String PARAMETER = "value";

    public static final int BYTES_MAX = 1024;

    /** What a key of greatest length takes: where that fits into a head, this does. */
    private static final int CHARACTERS_MAX = 3 * Dao.MAX_KEY_BYTES;

    private InlineValues() {}

    /** Whether a request's value is to go along with its head. */
    public static boolean isInline(EntityRequest.Put put) {
        long bytes = put.value().byteSize();
        long characters = 3L * put.key().length + (4 * bytes + 2) / 3;
        return bytes <= BYTES_MAX && characters <= CHARACTERS_MAX;
    }

    /** What says the value, behind other parameters. */
    public static String parameter(EntityRequest.Put put) {
        byte[] value = put.body().toArray();
        return "&"
                + PARAMETER
                + "="
                + Base64.getUrlEncoder().withoutPadding().encodeToString(value);
    }

    /** Has what other nodes ask answered, wherever their values are. */
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
