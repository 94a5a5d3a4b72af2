package dht.testkit.tiny;

import static dht.testkit.tiny.Wrong.server;

import dht.testkit.node.NodeSpec;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Servers with faults in starts, stops and crashes. */
final class WrongLives {
    private WrongLives() {}

    static Stream<Wrong> all() {
        return Stream.of(starts(), stops(), crashes()).flatMap(List::stream);
    }

    private static List<Wrong> starts() {
        return List.of(
                server(
                        "a restart loses all entries",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyStore openStore(Path directory) throws IOException {
                                        Files.deleteIfExists(directory.resolve("log"));
                                        return super.openStore(directory);
                                    }
                                },
                        "restart_onSameDirectory_keepsAll",
                        "stop_askedTwice_isHarmless",
                        "kill_rightAfterTheLargestValue_keepsIt",
                        "kill_againAndAgain_changesNothing"),
                server(
                        "data is kept in another directory",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyStore openStore(Path directory) throws IOException {
                                        return super.openStore(
                                                directory.resolveSibling("elsewhere"));
                                    }
                                },
                        "start_onEmptiedDirectory_isEmpty"),
                server(
                        "two servers may share a directory",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyStore openStore(Path directory) throws IOException {
                                        return new TinyStore(directory) {
                                            @Override
                                            void claim(FileChannel lock, Path claimed) {}
                                        };
                                    }
                                },
                        "start_onDirectoryInUse_isRefused"));
    }

    private static List<Wrong> stops() {
        return List.of(
                server(
                        "the second stop fails",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    public void close() throws IOException {
                                        if (isStopping()) {
                                            throw new IOException("stopped already");
                                        }
                                        super.close();
                                    }
                                },
                        "stop_askedTwice_isHarmless"),
                server(
                        "a stopped server continues to serve",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    public void close() {}
                                },
                        "stop_thenAnyRequest_isNotAnswered"),
                server(
                        "a stopped server keeps its connections open",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    public void close() throws IOException {
                                        stopListening();
                                        store().close();
                                    }
                                },
                        "stop_thenAnyRequest_isNotAnswered",
                        "stop_whileClientsStall_endsInTime"),
                server(
                        "503 comes without Retry-After",
                        node ->
                                new TinyServer(node) {
                                    private final AtomicInteger writes = new AtomicInteger();

                                    @Override
                                    TinyAnswer put(String key, byte[] value) throws IOException {
                                        return writes.incrementAndGet() % 50 == 0
                                                ? error(503, "busy")
                                                : super.put(key, value);
                                    }
                                },
                        "stop_whileManyWrite_keepsWhatWasAcknowledged"),
                server(
                        "a thread outlives its server",
                        ThreadLeaker::new,
                        "stop_always_leavesNothingBehind"),
                server(
                        "a stop interrupts answers",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    public void close() throws IOException {
                                        closeConnections();
                                        super.close();
                                    }
                                },
                        "stop_whileAnswersAreSent_finishesThem"));
    }

    /** Its thread waits for an event that never happens. */
    private static final class ThreadLeaker extends TinyServer {
        private static final CountDownLatch NEVER = new CountDownLatch(1);

        ThreadLeaker(NodeSpec node) {
            super(node);
        }

        @Override
        TinyServer start() throws IOException {
            var worker = new Thread(ThreadLeaker::sleepForever, "forgotten worker");
            worker.setDaemon(true);
            worker.start();
            return super.start();
        }

        private static void sleepForever() {
            try {
                NEVER.await();
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static List<Wrong> crashes() {
        return List.of(
                server(
                        "writes are acknowledged before they are stored",
                        LazyServer::new,
                        "kill_rightAfterAnAcknowledgement_keepsTheWrite",
                        "kill_whileManyWrite_losesNothingAcknowledged",
                        "kill_rightAfterTheLargestValue_keepsIt"),
                server(
                        "a stop loses writes that are not stored yet",
                        ForgetfulServer::new,
                        "stop_whileManyWrite_keepsWhatWasAcknowledged"),
                server(
                        "deletions are not logged",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyStore openStore(Path directory) throws IOException {
                                        return new TinyStore(directory) {
                                            @Override
                                            void delete(String key) throws IOException {
                                                super.delete(key, false);
                                            }
                                        };
                                    }
                                },
                        "kill_rightAfterAnAcknowledgement_keepsTheWrite",
                        "kill_againAndAgain_changesNothing",
                        "restart_onSameDirectory_keepsAll"));
    }

    /** Stores writes only when it stops. */
    private static class LazyServer extends TinyServer {
        LazyServer(NodeSpec node) {
            super(node);
        }

        @Override
        TinyStore openStore(Path directory) throws IOException {
            return new LazyStore(directory);
        }
    }

    /** Doesn't store writes even when it stops. */
    private static final class ForgetfulServer extends LazyServer {
        ForgetfulServer(NodeSpec node) {
            super(node);
        }

        @Override
        TinyStore openStore(Path directory) throws IOException {
            return new LazyStore(directory) {
                @Override
                synchronized void close() throws IOException {
                    kill();
                }
            };
        }
    }

    private static class LazyStore extends TinyStore {
        private final List<byte[]> waiting = new ArrayList<>(); // Guarded by this.

        LazyStore(Path directory) throws IOException {
            super(directory);
        }

        @Override
        synchronized void append(byte[] record) {
            waiting.add(record);
        }

        private void storeAll() throws IOException {
            for (var record : waiting) {
                super.append(record);
            }
            waiting.clear();
        }

        @Override
        synchronized void close() throws IOException {
            storeAll();
            super.close();
        }

        @Override
        synchronized void kill() throws IOException {
            waiting.clear();
            super.close();
        }
    }
}
