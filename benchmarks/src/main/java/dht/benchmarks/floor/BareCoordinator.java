package dht.benchmarks.floor;

import dht.command.ResourceStack;
import dht.command.ServerProcess;
import dht.command.StageCommand;
import dht.http.ListenAddress;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import one.nio.http.HttpServer;
import one.nio.http.HttpServerConfig;
import one.nio.http.HttpSession;
import one.nio.http.Request;
import one.nio.http.Response;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The floor of a coordinator: a {@link BareServer} that asks others, as bare, and answers when all
 * of them have. What that takes is what a replicated server takes at least, with the same client.
 * Described in docs/reference/load.md.
 */
@Command(
        name = "bare-coordinator",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description = "Asks others, answers when all have answered, and stores nothing.")
public final class BareCoordinator implements Callable<Integer> {
    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "8080",
            description = "Port to listen on; 0 for any.")
    private int port;

    @Option(
            names = "--selectors",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Threads that read and write the clients' sockets; 0 for one per processor.")
    private int selectors;

    @Option(
            names = "--others",
            paramLabel = "URL,...",
            split = ",",
            required = true,
            description = "The servers to ask.")
    private List<URI> others;

    @Option(
            names = "--client",
            paramLabel = "KIND",
            defaultValue = "JDK_DIRECT",
            description =
                    "Who asks them. JDK_DEFAULT, JDK_POOL, JDK_DIRECT: the JDK's client with the executor that it makes"
                            + " itself, with a thread per processor, with none. ONE_NIO: one-nio's, one after the other, in"
                            + " sixteen threads.")
    private OthersKind client;

    public static void main(String[] args) {
        StageCommand.main(new BareCoordinator(), args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        ListenAddress address = ListenAddress.free("127.0.0.1", port);
        return ServerProcess.run(
                resources -> start(resources, address, selectors, () -> client.open(others)));
    }

    /** Starts a server that asks {@code others}; returns its URL. */
    static String start(
            ResourceStack resources,
            ListenAddress address,
            int selectors,
            ResourceStack.Opener<Others> others)
            throws IOException {
        Others asked = resources.open(others);
        OneNioServer.start(
                resources, () -> new Coordinator(OneNioServer.config(address, selectors), asked));
        return address.url();
    }

    /** Thread-safe. */
    private static final class Coordinator extends HttpServer {
        private final Others others;
        private final AtomicBoolean hasFailed = new AtomicBoolean();

        Coordinator(HttpServerConfig config, Others others) throws IOException {
            super(config);
            this.others = others;
        }

        @Override
        public void handleRequest(Request request, HttpSession session) {
            boolean isWrite = request.getMethod() == Request.METHOD_PUT;
            others.ask(
                    request.getURI(),
                    isWrite ? request.getBody() : null,
                    (answer, failure) -> answer(session, isWrite, answer, failure));
        }

        private void answer(
                HttpSession session, boolean isWrite, byte[] answer, Throwable failure) {
            if (failure != null && hasFailed.compareAndSet(false, true)) {
                System.err.println("the first answer that could not be had: " + failure);
            }
            try {
                session.sendResponse(
                        failure != null
                                ? new Response(Response.BAD_GATEWAY, Response.EMPTY)
                                : isWrite
                                        ? new Response(Response.CREATED, Response.EMPTY)
                                        : Response.ok(answer));
            } catch (IOException e) {
                session.close();
            }
        }
    }
}
