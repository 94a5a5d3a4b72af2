package dht.benchmarks.floor;

import dht.command.ResourceStack;
import dht.http.ListenAddress;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;

/**
 * Helidon SE's server: a virtual thread for each connection, which reads, answers and writes with
 * calls that block. The JDK runs as many virtual threads at a time as there are processors.
 * Thread-safe.
 */
final class HelidonServer {
    private final Answers answers;

    private HelidonServer(Answers answers) {
        this.answers = answers;
    }

    /** Starts one. */
    static void start(ResourceStack resources, ListenAddress address, Answers answers)
            throws IOException {
        HelidonServer server = new HelidonServer(answers);
        resources
                .open(
                        () ->
                                WebServer.builder()
                                        .host(address.host())
                                        .port(address.port())
                                        .backlog(HttpLibrary.BACKLOG)
                                        .connectionOptions(socket -> socket.tcpNoDelay(true))
                                        .shutdownHook(false)
                                        .routing(routing -> routing.any(server::answer))
                                        .build(),
                        WebServer::stop)
                .start();
    }

    private void answer(ServerRequest request, ServerResponse response) {
        if (request.content().hasEntity()) {
            request.content().as(byte[].class);
        }
        Answers.Answer answer =
                answers.to(request.prologue().method().text(), request.path().rawPath());
        response.status(Status.create(answer.status())).send(answer.body());
    }
}
