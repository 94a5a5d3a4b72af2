package dht.testkit.tiny;

import static dht.testkit.tiny.Wrong.server;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Servers with faults in quorums: in how many replicas must answer. */
final class WrongQuorums {
    private static final String GOT_200 = "expected +status 404\\R +got +status 200 ";
    private static final String GOT_201 = "expected +status 504\\R +got +status 201 ";
    private static final String GOT_A_VALUE =
            "expected +\\d+ bytes \"value-.*\\R +got +\\d+ bytes \"value-";

    private WrongQuorums() {}

    static Stream<Wrong> all() {
        return Stream.of(
                server(
                                "an ack is counted twice",
                                node ->
                                        new TinyReplica(node) {
                                            @Override
                                            int acks(int stored) {
                                                return 2 * stored;
                                            }
                                        })
                        .caughtBy("request_withMoreAcksThanNodesUp_returns504", GOT_201)
                        .caughtBy("request_withoutParameters_needsAMajority", GOT_201)
                        .caughtBy("networkCut_underLoad_losesNothing", Wrong.VIOLATIONS),
                server(
                                "a hint counts as an ack",
                                node ->
                                        new TinyReplica(node) {
                                            @Override
                                            int acks(int stored) {
                                                return cluster().size();
                                            }
                                        })
                        .caughtBy("request_withMoreAcksThanNodesUp_returns504", GOT_201)
                        .caughtBy("request_withoutParameters_needsAMajority", GOT_201),
                server(
                                "a read trusts the first answer, and repairs nothing",
                                node ->
                                        new HintlessReplica(node) {
                                            @Override
                                            TinyVersion choose(List<TinyVersion> versions) {
                                                return versions.getFirst();
                                            }

                                            @Override
                                            void repair(
                                                    String key,
                                                    TinyVersion newest,
                                                    Quorum quorum) {}
                                        })
                        .caughtBy(
                                "get_afterNodeMissedAWrite_returnsTheNewestThroughIt", GOT_A_VALUE)
                        .caughtBy("get_afterNodeMissedADelete_returns404ThroughIt", GOT_200)
                        .caughtBy("get_ofWriteThatOneNodeHolds_returnsItWithAllAcks", GOT_A_VALUE)
                        .caughtBy("kill_underLoad_losesNothing", Wrong.VIOLATIONS)
                        .caughtBy("restart_underLoad_losesNothing", Wrong.VIOLATIONS)
                        .caughtBy("networkCut_underLoad_losesNothing", Wrong.VIOLATIONS),
                server(
                        "too few replicas are a 404",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    TinyAnswer tooFew(List<String> failures) {
                                        return error(404, String.join("; ", failures));
                                    }
                                },
                        "request_withMoreAcksThanNodesUp_returns504",
                        "request_ofOneCopy_dependsOnItsHolderAlone",
                        "request_withoutParameters_needsAMajority"),
                server(
                        "the 504 for too few replicas names no node",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    TinyAnswer tooFew(List<String> failures) {
                                        return error(504, "Not Enough Replicas");
                                    }
                                },
                        "request_withMoreAcksThanNodesUp_returns504"),
                server(
                        "a key that no replica has is a 504",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    TinyAnswer read(String key, Quorum quorum) throws IOException {
                                        var answer = super.read(key, quorum);
                                        return answer.status() == 404
                                                ? tooFew(List.of("it is not there"))
                                                : answer;
                                    }
                                },
                        "replicas_wellFormed_areServedInBothStyles",
                        "get_withAcksThatMeet_seesTheWriteAtOnce"),
                server(
                        "another node stands in for a replica that is down",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    List<URI> preferenceList(String key, int from) {
                                        var up = new ArrayList<URI>();
                                        for (var other :
                                                super.preferenceList(key, cluster().size())) {
                                            if (isUp(other)) {
                                                up.add(other);
                                            }
                                        }
                                        return up.subList(0, Math.min(from, up.size()));
                                    }

                                    private boolean isUp(URI other) {
                                        try {
                                            return peer(other) != null;
                                        } catch (Down _) {
                                            return false;
                                        }
                                    }
                                },
                        "request_ofOneCopy_dependsOnItsHolderAlone"),
                server(
                        "by default, one ack is enough",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    Quorum usualQuorum() {
                                        return new Quorum(1, cluster().size());
                                    }
                                },
                        "request_withoutParameters_needsAMajority"),
                server(
                        "all replicas must answer unless fewer are asked for",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    Quorum usualQuorum() {
                                        return new Quorum(cluster().size(), cluster().size());
                                    }
                                },
                        "request_withoutParameters_needsAMajority"));
    }
}
