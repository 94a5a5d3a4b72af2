package dht.testkit.tiny;

import static dht.testkit.tiny.Wrong.server;

import java.io.IOException;
import java.net.URI;
import java.util.stream.Stream;

/** Servers with faults in comparisons of nodes. */
final class WrongComparisons {
    private static final String MISSED =
            "nodes_ofWhichOneMissedWritesAndDeletions_holdTheSameAfterItsReturn";
    private static final String BOTH_MISSED =
            "nodes_thatMissedDifferentWrites_bringThemToEachOther";
    private static final String PLACED =
            "keysOfSomeNodes_thatOneOfThemMissed_getAsManyCopiesAsTheyShould";

    private WrongComparisons() {}

    static Stream<Wrong> all() {
        return Stream.of(
                server("nodes never compare themselves", HintlessReplica::new, MISSED, PLACED),
                server(
                        "a comparison ignores tombstones",
                        node ->
                                new ComparingReplica(node) {
                                    @Override
                                    void bring(
                                            String key, TinyVersion version, ComparingReplica other)
                                            throws IOException {
                                        if (!version.isTombstone()) {
                                            super.bring(key, version, other);
                                        }
                                    }
                                },
                        MISSED),
                server(
                        "a comparison brings deleted values back",
                        node ->
                                new ComparingReplica(node) {
                                    @Override
                                    void bring(
                                            String key, TinyVersion version, ComparingReplica other)
                                            throws IOException {
                                        if (version.isTombstone()) {
                                            return;
                                        }
                                        var found = other.load(key);
                                        if (found.isTombstone() && found.stamp() > 0) {
                                            var late = found.stamp() + 1;
                                            super.bring(
                                                    key,
                                                    new TinyVersion(late, version.value()),
                                                    other);
                                        } else {
                                            super.bring(key, version, other);
                                        }
                                    }
                                },
                        BOTH_MISSED),
                server(
                        "a comparison gives versions a new stamp",
                        node ->
                                new ComparingReplica(node) {
                                    @Override
                                    void bring(
                                            String key, TinyVersion version, ComparingReplica other)
                                            throws IOException {
                                        if (other.load(key).stamp() < version.stamp()) {
                                            var late = other.stamp(key);
                                            super.bring(
                                                    key,
                                                    new TinyVersion(late, version.value()),
                                                    other);
                                        }
                                    }
                                },
                        MISSED),
                server(
                        "a comparison brings every key to every node",
                        node ->
                                new ComparingReplica(node) {
                                    @Override
                                    boolean isShared(String key, TinyVersion version, URI other) {
                                        return true;
                                    }
                                },
                        PLACED));
    }
}
