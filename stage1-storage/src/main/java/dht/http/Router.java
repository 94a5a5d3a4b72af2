package dht.http;

import dht.storage.Dao;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Hands each request to what answers it, by path and method.
 *
 * <p>Routes are added by one thread, before the first request; then any number of threads dispatch.
 */
public final class Router {
    private static final Response UNKNOWN_PATH = Response.of(Status.BAD_REQUEST, "unknown path");

    private static final Response OTHER_PORT =
            Response.of(
                    Status.FORBIDDEN,
                    "not served on this port: one is for clients, another one for other nodes");

    /** Answers requests of one path and method, on the selector thread: it must not block it. */
    @FunctionalInterface
    public interface Handler {
        /**
         * @throws RequestException instead of answering
         */
        void handle(HttpRequest request, Responder responder) throws RequestException;
    }

    /** Makes a handler of a handler. */
    @FunctionalInterface
    public interface Wrapper {
        Handler around(String path, Method method, Handler handler);
    }

    /** Has a look at requests before they are handed on. Called on the selector thread. */
    @FunctionalInterface
    public interface Gate {
        /** What the request is answered with instead; null where it is let in. */
        Response refusal(HttpRequest request);
    }

    private record Route(Map<Method, Handler> handlers, Response methodNotAllowed) {}

    private final Map<String, Route> routes = new HashMap<>();
    private final Failures failures;
    private String guardedPrefix = "";
    private Gate gate = _ -> null;

    private Router(Failures failures) {
        this.failures = failures;
    }

    /**
     * The routes that every stage has.
     *
     * @param service called on the selector thread: it must not block it
     * @param executor of ranges
     */
    public static Router forNode(
            Dao dao, EntityService service, RequestExecutor executor, HttpOptions options) {
        Response ok = Response.of(Status.OK);
        Failures failures = new Failures(System::nanoTime);
        RangeHandler range = new RangeHandler(dao, executor, failures, options.rangeCountMax());
        return new Router(failures)
                .route("/v0/status", Map.of(Method.GET, (_, responder) -> responder.respond(ok)))
                .route("/v0/entity", entityHandlers(service))
                .route("/v0/entities", range.handlers());
    }

    /** What answers requests for one entity by a service. */
    public static Map<Method, Handler> entityHandlers(EntityService service) {
        return new EntityHandler(service).handlers();
    }

    /** Adds a path, with what answers each method that it knows. */
    public Router route(String path, Map<Method, Handler> handlers) {
        String allowed =
                handlers.keySet().stream()
                        .sorted()
                        .map(Method::name)
                        .collect(Collectors.joining(", "));
        Response methodNotAllowed =
                Response.withHeader(
                        Status.METHOD_NOT_ALLOWED,
                        "Allow: " + allowed,
                        path + " knows " + allowed + " only");
        routes.put(path, new Route(new EnumMap<>(handlers), methodNotAllowed));
        return this;
    }

    /** Puts something around all that answers by now: given its path, its method and itself. */
    public Router wrap(Wrapper wrapper) {
        routes.forEach(
                (path, route) ->
                        route.handlers.replaceAll(
                                (method, handler) -> wrapper.around(path, method, handler)));
        return this;
    }

    /** Puts a gate before all paths that begin like this, whether anything answers there or not. */
    public Router guard(String prefix, Gate guarding) {
        guardedPrefix = prefix;
        gate = guarding;
        return this;
    }

    Failures failures() {
        return failures;
    }

    void dispatch(HttpRequest request, Responder responder) {
        String path = request.path();
        boolean isGuarded = path.startsWith(guardedPrefix);
        if (!responder.session().servedPaths().include(isGuarded)) {
            responder.respond(OTHER_PORT);
            return;
        }
        Response refusal = isGuarded ? gate.refusal(request) : null;
        if (refusal != null) {
            responder.respond(refusal);
            return;
        }
        Route route = routes.get(path);
        if (route == null) {
            responder.respond(UNKNOWN_PATH);
            return;
        }
        Handler handler = route.handlers.get(request.method());
        if (handler == null) {
            responder.respond(route.methodNotAllowed);
            return;
        }
        try {
            handler.handle(request, responder);
        } catch (RequestException e) {
            responder.respond(e.response());
        } catch (Throwable e) {
            failures.answer(e, responder);
        }
    }
}
