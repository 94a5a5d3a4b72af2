package dht.benchmarks.floor;

import dht.command.ResourceStack;
import dht.http.JavaSockets;
import dht.http.ListenAddress;
import java.io.IOException;
import one.nio.http.HttpServer;
import one.nio.http.HttpServerConfig;
import one.nio.http.HttpSession;
import one.nio.http.Request;
import one.nio.http.Response;
import one.nio.net.Socket;
import one.nio.server.AcceptorConfig;

/**
 * one-nio's server, the library of all stages. A thread accepts connections; selectors share them,
 * and answer on the spot. The selectors are Java's, as in the stages. Thread-safe.
 */
final class OneNioServer extends HttpServer {
    private final Answers answers;

    private OneNioServer(HttpServerConfig config, Answers answers) throws IOException {
        super(config);
        this.answers = answers;
    }

    /** Starts one. */
    static void start(
            ResourceStack resources, ListenAddress address, int selectors, Answers answers)
            throws IOException {
        start(resources, () -> new OneNioServer(config(address, selectors), answers));
    }

    /** Starts a server of one-nio. It uses Java's selector. */
    static void start(ResourceStack resources, ResourceStack.Opener<HttpServer> server)
            throws IOException {
        JavaSockets.choose();
        resources.open(server, HttpServer::stop).start();
    }

    /** Of a server without anything that it could do without. It sets TCP_NODELAY by itself. */
    static HttpServerConfig config(ListenAddress address, int selectors) {
        AcceptorConfig acceptor = new AcceptorConfig();
        acceptor.address = address.host();
        acceptor.port = address.port();
        acceptor.backlog = HttpLibrary.BACKLOG;
        acceptor.reusePort = true;
        HttpServerConfig config = new HttpServerConfig();
        config.acceptors = new AcceptorConfig[] {acceptor};
        config.selectors = selectors;
        config.closeSessions = true;
        return config;
    }

    /** Its body was read before. */
    @Override
    public void handleRequest(Request request, HttpSession session) throws IOException {
        Answers.Answer answer = answers.to(request.getMethodName(), request.getPath());
        session.sendResponse(new Response(statusLine(answer.status()), answer.body()));
    }

    @Override
    public HttpSession createSession(Socket socket) {
        return new Session(socket, this);
    }

    private static String statusLine(int status) {
        return switch (status) {
            case 201 -> Response.CREATED;
            case 202 -> Response.ACCEPTED;
            default -> Response.OK;
        };
    }

    /** Takes bodies of more than 64 KiB, too. */
    private static final class Session extends HttpSession {
        Session(Socket socket, HttpServer server) {
            super(socket, server);
        }

        @Override
        protected int getMaxRequestBodyLength() {
            return HttpLibrary.BODY_BYTES_MAX;
        }
    }
}
