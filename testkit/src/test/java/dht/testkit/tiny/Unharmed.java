package dht.testkit.tiny;

import static dht.testkit.tiny.Wrong.server;

import dht.testkit.node.NodeSpec;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Servers on which a fault has no effect. A fault run must fail if its fault did not happen. */
final class Unharmed {
    private static final String NO_EFFECT = "got +no effect of the fault on \\S+-\\d";

    private Unharmed() {}

    static Stream<Wrong> all() {
        return Stream.of(
                server("a server that isn't killed", Deathless::new)
                        .caughtBy("kill_underLoad_losesNothing", NO_EFFECT),
                server(
                                "a server that isn't paused",
                                node ->
                                        new TinyReplica(node) {
                                            @Override
                                            public void pause() {}
                                        })
                        .caughtBy("pause_underLoad_losesNothing", NO_EFFECT),
                server(
                                "a server that isn't cut off",
                                node ->
                                        new TinyReplica(node) {
                                            @Override
                                            public void cutOff() {}
                                        })
                        .caughtBy("networkCut_underLoad_losesNothing", NO_EFFECT),
                server(
                                "a server that isn't slowed down",
                                node ->
                                        new TinyReplica(node) {
                                            @Override
                                            public void slowDown() {}
                                        })
                        .caughtBy("slowNetwork_underLoad_losesNothing", NO_EFFECT),
                server(
                                "a server whose data is on a disk that is not full",
                                node ->
                                        new TinyReplica(node) {
                                            @Override
                                            TinyStore openStore(Path directory) throws IOException {
                                                return super.openStore(node.logDir());
                                            }
                                        })
                        .caughtBy("fullDisk_underLoad_losesNothing", NO_EFFECT),
                server(
                                "a server whose clock isn't set back",
                                node ->
                                        new TinyReplica(node) {
                                            @Override
                                            long timeMicros() {
                                                return ChronoUnit.MICROS.between(
                                                        Instant.EPOCH, Instant.now());
                                            }
                                        })
                        .caughtBy("clockBehind_underLoad_losesNothing", NO_EFFECT));
    }

    /** Continues to run when it is killed, until it is started again. */
    private static final class Deathless extends TinyReplica {
        private static final Map<URI, Deathless> LIVING = new ConcurrentHashMap<>();

        Deathless(NodeSpec node) {
            super(node);
        }

        @Override
        TinyServer start() throws IOException {
            var before = LIVING.put(self(), this);
            if (before != null) {
                before.close();
            }
            return super.start();
        }

        @Override
        public void kill() {}

        @Override
        public void close() throws IOException {
            LIVING.remove(self(), this);
            super.close();
        }
    }
}
