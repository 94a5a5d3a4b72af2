package dht.http;

import java.util.Map;

/**
 * The handlers of {@code /v0/entity}: check the request and pass it to the service. Thread-safe.
 */
final class EntityHandler {
    /** The maximum length of a client's key, in bytes. */
    static final int KEY_BYTES_MAX = 1024;

    private final EntityService service;

    EntityHandler(EntityService service) {
        this.service = service;
    }

    Map<Method, Router.Handler> handlers() {
        return Map.of(
                Method.GET,
                (http, responder) ->
                        service.serve(new EntityRequest.Get(key("id", http), http), responder),
                Method.PUT,
                (http, responder) ->
                        service.serve(
                                new EntityRequest.Put(key("id", http), http.body(), http),
                                responder),
                Method.DELETE,
                (http, responder) ->
                        service.serve(new EntityRequest.Delete(key("id", http), http), responder));
    }

    /** Reads a required key. */
    static byte[] key(String parameter, HttpRequest http) throws RequestException {
        byte[] key = optionalKey(parameter, http);
        if (key == null) {
            throw RequestException.badRequest(parameter + ": missing");
        }
        return key;
    }

    /** Reads an optional key; returns null if the parameter is missing. */
    static byte[] optionalKey(String parameter, HttpRequest http) throws RequestException {
        byte[] key = http.parameter(parameter);
        if (key != null && key.length == 0) {
            throw RequestException.badRequest(parameter + ": must not be empty");
        }
        if (key != null && key.length > KEY_BYTES_MAX) {
            throw RequestException.badRequest(
                    parameter + ": must not be longer than " + KEY_BYTES_MAX + " bytes");
        }
        return key;
    }
}
