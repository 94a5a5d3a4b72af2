package dht.testkit.tiny;

import static dht.testkit.tiny.Wrong.server;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Servers that are wrong about more requests than they can take. */
final class WrongOverloads {
    private WrongOverloads() {}

    static Stream<Wrong> all() {
        return Stream.of(refusals(), places()).flatMap(List::stream);
    }

    private static List<Wrong> refusals() {
        return List.of(
                server(
                        "a refusal is a close",
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
                        "a refusal doesn't say when to come again",
                        node ->
                                new BoundedTinyServer(node) {
                                    @Override
                                    TinyAnswer refusal() {
                                        return error(503, "too many requests");
                                    }
                                },
                        "overload_ofWritesAndReads_answersOrRefusesEach"),
                server(
                        "who has refused once refuses always",
                        node ->
                                new BoundedTinyServer(node) {
                                    private volatile boolean tired;

                                    @Override
                                    boolean tryEnter() {
                                        tired |= !super.tryEnter();
                                        return !tired;
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
                        "any number of requests waits",
                        TinyServer::new,
                        "overload_ofALimitedServer_refusesSome"),
                server(
                        "the status takes its turn",
                        node ->
                                new BoundedTinyServer(node) {
                                    @Override
                                    boolean isBounded(TinyRequest request) {
                                        return true;
                                    }
                                },
                        "status_whileOverloaded_returns200"),
                server(
                        "an answer keeps its place until it is read",
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
