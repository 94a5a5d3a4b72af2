package dht.testkit.tiny;

import static dht.testkit.tiny.Wrong.server;

import dht.testkit.node.NodeSpec;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Servers with faults that only show when a node fails. */
final class WrongUnderFaults {
    private static final String OTHER_ENTRIES = "got +different ones from entry";

    private WrongUnderFaults() {}

    static Stream<Wrong> all() {
        return Stream.of(
                server(
                        "a replica that does not answer is waited for without a limit",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    Duration peerPatience() {
                                        return Duration.ofHours(1);
                                    }
                                },
                        "pause_ofOneNode_leavesTheOthersServing",
                        "pause_underLoad_losesNothing"),
                server(
                        "a node stands in for one that is slow",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    TinyReplica peer(URI node) throws Down {
                                        var startNanos = System.nanoTime();
                                        var peer = super.peer(node);
                                        var took = System.nanoTime() - startNanos;
                                        return took > 10_000_000 ? this : peer;
                                    }
                                },
                        "slowNetwork_underLoad_losesNothing"),
                server(
                        "a write is logged when the server stops",
                        Forgetful::new,
                        "kill_underLoad_losesNothing"),
                // On a slow machine no client may have read a lost key before the nodes are
                // compared.
                server("nothing brings back what was in an emptied directory", Sparing::new)
                        .caughtBy(
                                "directoryEmptied_underLoad_losesNothing",
                                Wrong.VIOLATIONS + "|" + OTHER_ENTRIES),
                server(
                                "a node that missed writes gets them when they are read",
                                HintlessReplica::new)
                        .caughtBy("pause_underLoad_losesNothing", OTHER_ENTRIES),
                server(
                        "a write is acknowledged whether or not the disk has room",
                        node ->
                                new Sparing(node) {
                                    @Override
                                    synchronized boolean store(String key, TinyVersion version) {
                                        try {
                                            return super.store(key, version);
                                        } catch (IOException _) {
                                            return true;
                                        }
                                    }
                                },
                        "fullDisk_underLoad_losesNothing"),
                server(
                        "no clock follows a stamp that is ahead of it",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    void observe(long stamp) {}
                                },
                        "clockBehind_underLoad_losesNothing"));
    }

    /**
     * Makes exactly as many copies as acks are required, and none later. So every copy is needed.
     */
    private static class Sparing extends HintlessReplica {
        Sparing(NodeSpec spec) {
            super(spec);
        }

        @Override
        void repair(String key, TinyVersion newest, Quorum quorum) {}

        @Override
        int copiesWanted(Quorum quorum) {
            return quorum.ack();
        }
    }

    private static final class Forgetful extends Sparing {
        Forgetful(NodeSpec spec) {
            super(spec);
        }

        @Override
        TinyStore openStore(Path directory) throws IOException {
            return new TinyStore(directory) {
                private final List<byte[]> unwritten = new ArrayList<>();

                @Override
                synchronized void append(byte[] record) {
                    unwritten.add(record);
                }

                @Override
                synchronized void close() throws IOException {
                    for (var record : unwritten) {
                        super.append(record);
                    }
                    super.close();
                }

                @Override
                synchronized void kill() throws IOException {
                    unwritten.clear();
                    super.kill();
                }
            };
        }
    }
}
