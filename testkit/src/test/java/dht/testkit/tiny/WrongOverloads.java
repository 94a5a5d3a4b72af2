package dht.testkit.tiny;

import static dht.testkit.tiny.Wrong.server;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Servers with faults under overload: when more requests arrive than they can serve. */
final class WrongOverloads {
    private WrongOverloads() {}

    static Stream<Wrong> all() {
        return Stream.of(refusals(), places()).flatMap(List::stream);
    }

    private static List<Wrong> refusals() {
        return List.of(
                server(
                        "a rejected request is answered by closing the connection",
                        node ->
                                new BoundedTinyServer(node) {
                                    @Override
                                    void send(
                                            OutputStream out,
                                            TinyRequest request,
                                            TinyAnswer answer)
                                            throws IOException {
                                        if (answer.status() == 503) {
                                            throw new IOException("busy");
                                        }
                                        super.send(out, request, answer);
                                    }
                                },
                        "overload_ofWritesAndReads_answersOrRefusesEach"),
                server(
                        "a 503 has no Retry-After",
                        node ->
                                new BoundedTinyServer(node) {
                                    @Override
                                    TinyAnswer refusal() {
                                        return error(503, "too many requests");
                                    }
                                },
                        "overload_ofWritesAndReads_answersOrRefusesEach"),
                server(
                        "a server that has rejected one request rejects all later ones",
                        node ->
                                new BoundedTinyServer(node) {
                                    private volatile boolean rejected;

                                    @Override
                                    boolean tryEnter() {
                                        rejected |= !super.tryEnter();
                                        return !rejected;
                                    }
                                },
                        "overload_over_servesEverybodyAgain"),
                server(
                        "every other write is acknowledged and lost",
                        node ->
                                new BoundedTinyServer(node) {
                                    private final AtomicInteger writes = new AtomicInteger();

                                    @Override
                                    TinyAnswer put(String key, byte[] value) throws IOException {
                                        return writes.incrementAndGet() % 2 == 0
                                                ? TinyAnswer.of(201, new byte[0])
                                                : super.put(key, value);
                                    }
                                },
                        "overload_ofWritesAndReads_answersOrRefusesEach"));
    }

    private static List<Wrong> places() {
        return List.of(
                server(
                        "the number of waiting requests has no limit",
                        TinyServer::new,
                        "overload_ofALimitedServer_refusesSome"),
                server(
                        "requests for the status count against the limit",
                        node ->
                                new BoundedTinyServer(node) {
                                    @Override
                                    boolean isBounded(TinyRequest request) {
                                        return true;
                                    }
                                },
                        "status_whileOverloaded_returns200"),
                server(
                        "an answer counts against the limit until the client has read it",
                        node ->
                                new BoundedTinyServer(node) {
                                    @Override
                                    void leaveAfterWork() {}

                                    @Override
                                    void send(
                                            OutputStream out,
                                            TinyRequest request,
                                            TinyAnswer answer)
                                            throws IOException {
                                        super.send(out, request, answer);
                                        if (isBounded(request) && answer.status() != 503) {
                                            leave();
                                        }
                                    }
                                },
                        "clients_thatStall_takeNobodysPlace"));
    }
}
