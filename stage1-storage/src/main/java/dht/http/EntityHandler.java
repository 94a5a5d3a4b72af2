package dht.http;

import dht.storage.Dao;
import java.util.Map;

/**
 * {@code /v0/entity}: checks the request, and has the service answer it where the executor says.
 * Thread-safe.
 */
final class EntityHandler {
    private final EntityService service;
    private final RequestExecutor executor;
    private final Failures failures;

    EntityHandler(EntityService service, RequestExecutor executor, Failures failures) {
        this.service = service;
        this.executor = executor;
        this.failures = failures;
    }

    Map<Method, Router.Handler> handlers() {
        return Map.of(
                Method.GET,
                (http, responder) ->
                        execute(new EntityRequest.Get(key("id", http), http), responder),
                Method.PUT,
                (http, responder) ->
                        execute(
                                new EntityRequest.Put(key("id", http), http.body(), http),
                                responder),
                Method.DELETE,
                (http, responder) ->
                        execute(new EntityRequest.Delete(key("id", http), http), responder));
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

    private void execute(EntityRequest request, Responder responder) {
        executor.execute(new ServeTask(request, responder));
    }

    private final class ServeTask implements RequestExecutor.Task {
        private final EntityRequest request;
        private final Responder responder;

        ServeTask(EntityRequest request, Responder responder) {
            this.request = request;
            this.responder = responder;
        }

        @Override
        public void run() {
            try {
                service.serve(request, responder);
            } catch (Throwable e) {
                failures.answer(e, responder);
            }
        }

        @Override
        public void refuse(Response answer) {
            responder.respond(answer);
        }
    }
}
