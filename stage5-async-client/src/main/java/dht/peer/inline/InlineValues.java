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
 * Sends short values to another node in the request line. The JDK's client writes the head and the
 * body of a request separately, even if both are short. That takes two system calls and two
 * packets, and wakes the other node twice. So a short value is sent as the query parameter {@value
 * #PARAMETER}, in base64url, and the request has no body.
 *
 * <p>Such requests have their own path, {@value #PATH}. So a node that doesn't know inline values
 * rejects them; on the usual path, it would store an empty value. Stateless and thread-safe.
 */
public final class InlineValues {
    public static final String PATH = Peer.ENTITY_PATH + "/inline";
    static final String PARAMETER = "value";

    /** Longer values are sent in the body. */
    public static final int BYTES_MAX = 1024;

    private static final int KEY_BYTES_MAX = 1024;

    /** Percent-encoding writes a byte of a key as at most this many characters. */
    private static final int CHARACTERS_PER_KEY_BYTE = 3;

    /**
     * The limit for key and value together. A node accepts heads with the longest key, which takes
     * this many characters.
     */
    private static final int CHARACTERS_MAX = CHARACTERS_PER_KEY_BYTE * KEY_BYTES_MAX;

    private InlineValues() {}

    /**
     * Whether the value of a request is sent inline. Counts the longest possible encoding of the
     * key, because encoding the key would take more time.
     */
    public static boolean isInline(EntityRequest.Put put) {
        long bytes = put.value().byteSize();
        long keyCharacters = (long) CHARACTERS_PER_KEY_BYTE * put.key().length;
        return bytes <= BYTES_MAX && keyCharacters + base64Length(bytes) <= CHARACTERS_MAX;
    }

    /** The length of base64 without padding: three bytes become four characters. */
    private static long base64Length(long bytes) {
        return (4 * bytes + 2) / 3;
    }

    /** The value as a query parameter, to be appended to other parameters. */
    public static String parameter(EntityRequest.Put put) {
        byte[] value = put.body().toArray();
        return "&"
                + PARAMETER
                + "="
                + Base64.getUrlEncoder().withoutPadding().encodeToString(value);
    }

    /**
     * Adds routes for requests from other nodes: one for values in the body, one for inline values.
     */
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
