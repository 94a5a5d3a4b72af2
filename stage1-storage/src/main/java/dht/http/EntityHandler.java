package dht.http;

import dht.storage.Dao;
import java.util.Map;

/** {@code /v0/entity}: checks the request, and has the service answer it. Thread-safe. */
final class EntityHandler {
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

    /** A key that must be there. */
    static byte[] key(String parameter, HttpRequest http) throws RequestException {
        byte[] key = optionalKey(parameter, http);
        if (key == null) {
            throw RequestException.badRequest(parameter + ": missing");
        }
        return key;
    }

    /** A key, or null if the parameter is not there. */
    static byte[] optionalKey(String parameter, HttpRequest http) throws RequestException {
        byte[] key = http.parameter(parameter);
        if (key != null && key.length == 0) {
            throw RequestException.badRequest(parameter + ": must not be empty");
        }
        if (key != null && key.length > Dao.MAX_KEY_BYTES) {
            throw RequestException.badRequest(
                    parameter + ": must not be longer than " + Dao.MAX_KEY_BYTES + " bytes");
        }
        return key;
    }
}
