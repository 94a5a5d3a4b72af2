package dht.testkit.tiny;

import static dht.testkit.tiny.Wrong.server;

import dht.testkit.node.NodeSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** Servers with faults after the loss of data. */
final class WrongReplacements {
    private WrongReplacements() {}

    static Stream<Wrong> all() {
        return Stream.of(
                server(
                        "an empty node answers reads",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    boolean isComplete() {
                                        return true;
                                    }
                                },
                        "get_whileAnEmptiedNodeLacksTheWrite_isNot404",
                        "get_whileAnEmptiedNodeIsKilledAgainAndAgain_isNot404",
                        "nodes_emptiedOneAfterTheOther_haveAllEntriesAndDeletions",
                        "node_emptiedWhileClientsWriteAndRead_failsNoRequestAndGetsEverything"),
                server(
                        "an empty node receives no tombstones",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    Map<String, byte[]> versions() {
                                        var live = new LinkedHashMap<>(super.versions());
                                        live.values()
                                                .removeIf(
                                                        version ->
                                                                TinyVersion.decode(version)
                                                                        .isTombstone());
                                        return live;
                                    }
                                },
                        "nodes_emptiedOneAfterTheOther_haveAllEntriesAndDeletions"),
                server(
                        "a node asks the others at each start",
                        Forgetful::new,
                        "get_fromANodeThatRestartsAlone_findsItsCopies"));
    }

    /** Does not store that its data is complete. */
    private static final class Forgetful extends TinyReplica {
        Forgetful(NodeSpec node) {
            super(forgetting(node));
        }

        private static NodeSpec forgetting(NodeSpec node) {
            try {
                Files.deleteIfExists(node.dataDir().resolve("complete"));
            } catch (IOException _) {
                // It remembers no node yet.
            }
            return node;
        }
    }
}
