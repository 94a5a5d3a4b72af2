package dht.benchmarks.load;

import dht.command.ResourceStack;
import dht.command.ServerProcess;
import dht.command.StageCommand;
import dht.http.ListenAddress;
import java.io.IOException;
import java.util.concurrent.Callable;
import one.nio.http.HttpServer;
import one.nio.http.HttpServerConfig;
import one.nio.http.HttpSession;
import one.nio.http.Request;
import one.nio.http.Response;
import one.nio.server.AcceptorConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The floor: one-nio's HTTP server, which stores nothing and looks nothing up. What it takes to
 * answer is what any server of this kind takes at least. It answers bodies as long as a stage
 * would. Described in docs/reference/load.md.
 */
@Command(
        name = "bare-server",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description = "Answers everything, and stores nothing.",
        footer = "VALUE_BYTES and RANGE_LENGTH are taken from the environment.")
public final class BareServer implements Callable<Integer> {
    private static final int BACKLOG = 1024;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "8080",
            description = "Port to listen on; 0 for any.")
    private int port;

    @Option(
            names = "--host",
            paramLabel = "HOST",
            defaultValue = "127.0.0.1",
            description = "Address to listen on.")
    private String host;

    @Option(
            names = "--selectors",
            paramLabel = "N",
            defaultValue = "0",
            description = "Threads that read and write the sockets; 0 for one a processor.")
    private int selectors;

    public static void main(String[] args) {
        StageCommand.main(new BareServer(), args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        WorkloadSettings settings = WorkloadSettings.of(System.getenv(), 1);
        return ServerProcess.run(
                resources -> start(resources, ListenAddress.free(host, port), selectors, settings));
    }

    /** Starts a server whose answers are as long as these settings say; returns its URL. */
    static String start(
            ResourceStack resources,
            ListenAddress address,
            int selectors,
            WorkloadSettings settings)
            throws IOException {
        return run(resources, address, () -> new Answers(config(address, selectors), settings));
    }

    /** Of a server without anything that it could do without. */
    static HttpServerConfig config(ListenAddress address, int selectors) {
        AcceptorConfig acceptor = new AcceptorConfig();
        acceptor.address = address.host();
        acceptor.port = address.port();
        acceptor.backlog = BACKLOG;
        acceptor.reusePort = true;
        HttpServerConfig config = new HttpServerConfig();
        config.acceptors = new AcceptorConfig[] {acceptor};
        config.selectors = selectors;
        config.closeSessions = true;
        return config;
    }

    /** Starts a server, and returns its URL. */
    static String run(
            ResourceStack resources, ListenAddress address, ResourceStack.Opener<HttpServer> server)
            throws IOException {
        resources.open(server, HttpServer::stop).start();
        return address.url();
    }

    /** Thread-safe. */
    private static final class Answers extends HttpServer {
        private final byte[] value;
        private final byte[] range;

        Answers(HttpServerConfig config, WorkloadSettings settings) throws IOException {
            super(config);
            this.value = new byte[settings.valueBytes()];
            int entryBytes = KeySpace.PREFIX.length() + KeySpace.DIGITS + 1 + settings.valueBytes();
            this.range =
                    new byte
                            [Math.toIntExact(
                                    Math.multiplyExact(settings.rangeLength(), entryBytes))];
        }

        @Override
        public void handleRequest(Request request, HttpSession session) throws IOException {
            session.sendResponse(answer(request));
        }

        /** A new one each time, since sending it adds headers to it. */
        private Response answer(Request request) {
            String path = request.getPath();
            return switch (request.getMethod()) {
                case Request.METHOD_PUT -> new Response(Response.CREATED, Response.EMPTY);
                case Request.METHOD_DELETE -> new Response(Response.ACCEPTED, Response.EMPTY);
                default ->
                        path.equals("/v0/entity")
                                ? Response.ok(value)
                                : path.equals("/v0/entities")
                                        ? Response.ok(range)
                                        : Response.ok(Response.EMPTY);
            };
        }
    }
}
