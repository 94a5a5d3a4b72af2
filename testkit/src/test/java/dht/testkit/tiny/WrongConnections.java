package dht.testkit.tiny;

import static dht.testkit.tiny.Wrong.server;

import dht.testkit.tiny.TinyRequest.Fault;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/** Servers with faults in connections: in closing them, and in which requests wait for others. */
final class WrongConnections {
    private WrongConnections() {}

    static Stream<Wrong> all() {
        return Stream.of(answers(), ends(), neighbours()).flatMap(List::stream);
    }

    private static List<Wrong> answers() {
        return List.of(
                server(
                        "every request is answered twice",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    void send(
                                            OutputStream out,
                                            TinyRequest request,
                                            TinyAnswer answer)
                                            throws IOException {
                                        super.send(out, request, answer);
                                        super.send(out, request, answer);
                                    }
                                },
                        "request_ofEachKind_getsExactlyOneResponse",
                        "status_askedOftenOnOneConnection_answersEach",
                        "put_ofNewKey_returns201AndIsRead"),
                server(
                        "a put is answered twice: before its body and after it",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    void sendContinue(OutputStream out) throws IOException {
                                        super.sendContinue(out);
                                        out.write(TinyAnswer.of(201, new byte[0]).head());
                                    }
                                },
                        "expect_withBodySentAtOnce_storesOnce",
                        "expect_withLargestBody_continuesThenStores"),
                server(
                        "answers to a pipeline are in a different order",
                        node ->
                                new TinyServer(node) {
                                    // Only one connection reads values here.
                                    private TinyAnswer held;

                                    @Override
                                    void send(
                                            OutputStream out,
                                            TinyRequest request,
                                            TinyAnswer answer)
                                            throws IOException {
                                        if (!request.method().equals("GET")
                                                || request.query().isEmpty()) {
                                            super.send(out, request, answer);
                                        } else if (held == null) {
                                            held = answer;
                                        } else {
                                            super.send(out, request, answer);
                                            super.send(out, request, held);
                                            held = null;
                                        }
                                    }
                                },
                        "pipeline_ofManyReads_isAnsweredInOrder"),
                server(
                        "bytes that arrive together with a request are dropped after it",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    void betweenRequests(InputStream in) throws IOException {
                                        in.skipNBytes(in.available());
                                    }
                                },
                        "pipeline_ofManyReads_isAnsweredInOrder",
                        "pipeline_ofWritesAndReads_takesEffectInOrder",
                        "pipeline_ofLargeAnswers_isAnsweredInOrder",
                        "range_pipelined_isAnsweredInOrder"));
    }

    private static List<Wrong> ends() {
        return List.of(
                server(
                        "a bad request ends the connection",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    boolean keepsAlive(TinyRequest request, TinyAnswer answer) {
                                        return answer.status() != 400
                                                && super.keepsAlive(request, answer);
                                    }
                                },
                        "connection_afterBadRequests_staysUsable",
                        "connection_afterBadRequestsWithBodies_staysUsable",
                        "id_missing_returns400",
                        "range_withBadStart_returns400"),
                server(
                        "every third answer ends its connection",
                        node ->
                                new TinyServer(node) {
                                    /** One per connection, because each connection has a thread. */
                                    private final ThreadLocal<AtomicInteger> answers =
                                            ThreadLocal.withInitial(AtomicInteger::new);

                                    @Override
                                    boolean keepsAlive(TinyRequest request, TinyAnswer answer) {
                                        return answers.get().incrementAndGet() % 3 != 0;
                                    }
                                },
                        "status_askedOftenOnOneConnection_answersEach",
                        "range_onKeptConnection_leavesItInStep"),
                server(
                        "connections never end",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    boolean keepsAlive(TinyRequest request, TinyAnswer answer) {
                                        return true;
                                    }
                                },
                        "connection_askedToClose_isClosedAfterTheAnswer",
                        "connection_ofHttp10_isClosedAfterTheAnswer"),
                server(
                        "a client that closes its sending side gets no answer",
                        ImpatientServer::new,
                        "client_thatEndsItsSide_getsItsAnswer",
                        "range_ofClientThatEndsItsSide_isComplete"));
    }

    /**
     * Reads the client's next request before it sends a large answer. If the client has closed its
     * side, it sends nothing.
     */
    private static final class ImpatientServer extends TinyServer {
        private static final int LONG_ENOUGH_MILLIS = 500;
        private static final ThreadLocal<Socket> CLIENT = new ThreadLocal<>();

        ImpatientServer(dht.testkit.node.NodeSpec node) {
            super(node);
        }

        @Override
        InputStream input(Socket socket) throws IOException {
            CLIENT.set(socket);
            return super.input(socket);
        }

        @Override
        void send(OutputStream out, TinyRequest request, TinyAnswer answer) throws IOException {
            if (answer.body().length > 1 << 20 || answer.entries().isPresent()) {
                waitForMore(CLIENT.get());
            }
            super.send(out, request, answer);
        }

        private static void waitForMore(Socket socket) throws IOException {
            socket.setSoTimeout(LONG_ENOUGH_MILLIS);
            try {
                if (socket.getInputStream().read() < 0) {
                    socket.close();
                }
            } catch (SocketTimeoutException _) {
                socket.setSoTimeout(0);
            }
        }
    }

    private static List<Wrong> neighbours() {
        return List.of(
                server(
                        "memory is allocated for the announced length of a body",
                        node ->
                                new TinyServer(node) {
                                    private final AtomicLong announcedBytes = new AtomicLong();

                                    @Override
                                    long bodyLength(TinyRequest request) throws Fault {
                                        var length = super.bodyLength(request);
                                        if (announcedBytes.addAndGet(length) > 1L << 30) {
                                            throw new Fault(503, "out of memory");
                                        }
                                        return length;
                                    }
                                },
                        "uploads_thatAreAnnouncedAndStall_takeNobodysMemory"),
                server(
                        "connections are served one by one",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    void run(Runnable connection) {
                                        connection.run();
                                    }
                                },
                        "status_askedByManyAtOnce_answersAll",
                        "status_whileManyConnectionsIdle_returns200",
                        "status_whileUploadsStall_returns200",
                        "uploads_thatStall_harmNobodyAndComplete"),
                server(
                        "answers are sent one by one",
                        node ->
                                new TinyServer(node) {
                                    private final ReentrantLock sending = new ReentrantLock();

                                    @Override
                                    void send(
                                            OutputStream out,
                                            TinyRequest request,
                                            TinyAnswer answer)
                                            throws IOException {
                                        sending.lock();
                                        try {
                                            super.send(out, request, answer);
                                        } finally {
                                            sending.unlock();
                                        }
                                    }
                                },
                        "status_whileReadersOfValuesStall_returns200",
                        "status_whileReadersOfRangesStall_returns200",
                        "readers_thatStall_harmNobodyAndGetAll",
                        "range_ofSlowReaders_harmsNobodyAndIsComplete"),
                server(
                        "a crash of a client crashes the server",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    void clientIsGone() {
                                        try {
                                            kill();
                                        } catch (IOException _) {
                                            // It is down, with or without the exception.
                                        }
                                    }
                                },
                        "clients_thatCrash_harmNobody",
                        "range_abandonedByItsReaders_harmsNobody"),
                server(
                        "there are at most three hundred connections",
                        node ->
                                new TinyServer(node) {
                                    private final AtomicInteger accepted = new AtomicInteger();

                                    @Override
                                    void serve(Socket socket) {
                                        if (accepted.incrementAndGet() <= 300) {
                                            super.serve(socket);
                                        }
                                    }
                                },
                        "connections_openedAndClosedByTheHundred_harmNobody"));
    }
}
