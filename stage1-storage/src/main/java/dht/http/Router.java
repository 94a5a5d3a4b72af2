package dht.http;

import dht.storage.Dao;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Finds the handler of each request, by path and method.
 *
 * <p>One thread adds all routes, before the first request. After that, any number of threads may
 * dispatch requests.
 */
public final class Router {
    /** The path of ranges. */
    public static final String ENTITIES_PATH = "/v0/entities";

    /** The line of the answer to a request for a path that this server does not know. */
    public static final String UNKNOWN_PATH_LINE = "unknown path";

    private static final Response UNKNOWN_PATH = Response.of(Status.BAD_REQUEST, UNKNOWN_PATH_LINE);

    private static final Response OTHER_PORT =
            Response.of(
                    Status.FORBIDDEN,
                    "not served on this port: clients and other nodes have different ports");

    /**
     * Answers requests of one path and method. Called on the selector thread, so it must not block.
     */
    @FunctionalInterface
    public interface Handler {
        /**
         * @throws RequestException instead of an answer
         */
        void handle(HttpRequest request, Responder responder) throws RequestException;
    }

    /** Creates a handler from another handler. */
    @FunctionalInterface
    public interface Wrapper {
        Handler around(String path, Method method, Handler handler);
    }

    /** Checks requests before they are passed to a handler. Called on the selector thread. */
    @FunctionalInterface
    public interface Gate {
        /** The answer that rejects the request, or null if the request is allowed. */
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
     * @param service called on the selector thread, so it must not block
     * @param executor reads ranges
     */
    public static Router forNode(
            Dao dao, EntityService service, RequestExecutor executor, HttpOptions options) {
        Response ok = Response.of(Status.OK);
        Failures failures = new Failures(System::nanoTime);
        RangeHandler range = new RangeHandler(dao, executor, failures, options.rangeCountMax());
        return new Router(failures)
                .route("/v0/status", Map.of(Method.GET, (_, responder) -> responder.respond(ok)))
                .route("/v0/entity", entityHandlers(service))
                .route(ENTITIES_PATH, range.handlers());
    }

    /** The handlers for requests for one entity, which call a service. */
    public static Map<Method, Handler> entityHandlers(EntityService service) {
        return new EntityHandler(service).handlers();
    }

    /** Adds a path, with a handler for each method that it supports. */
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

    /** Replaces each handler that was added until now by the wrapper's result. */
    public Router wrap(Wrapper wrapper) {
        routes.forEach(
                (path, route) ->
                        route.handlers.replaceAll(
                                (method, handler) -> wrapper.around(path, method, handler)));
        return this;
    }

    /** Sets a gate for all paths with this prefix, including paths without a handler. */
    public Router guard(String prefix, Gate guarding) {
        guardedPrefix = prefix;
        gate = guarding;
        return this;
    }

    Failures failures() {
        return failures;
    }

    /** Answers the request, or passes it to its handler. Throws nothing. */
    void dispatch(HttpRequest request, Responder responder) {
        try {
            route(request, responder);
        } catch (RequestException e) {
            responder.respond(e.response());
        } catch (Throwable e) {
            failures.answer(e, responder);
        }
    }

    private void route(HttpRequest request, Responder responder) throws RequestException {
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
        handler.handle(request, responder);
    }
}
