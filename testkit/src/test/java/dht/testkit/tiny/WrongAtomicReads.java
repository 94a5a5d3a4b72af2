package dht.testkit.tiny;

import static dht.testkit.tiny.Wrong.server;

import dht.testkit.tiny.TinyRequest.Fault;
import java.util.List;
import java.util.stream.Stream;

/** Servers with faults in atomic reads. */
final class WrongAtomicReads {
    private static final String OLDER = "get_atomicAfterAnother_returnsNoOlderValue";
    private static final String FOUND_AGAIN = "get_atomicAfterOneThatFoundNothing_findsNothing";

    private WrongAtomicReads() {}

    static Stream<Wrong> all() {
        return Stream.of(
                server(
                        "the value of reads= is not checked",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    boolean isAtomic(TinyRequest request) throws Fault {
                                        return once(request, "reads")
                                                .filter("atomic"::equals)
                                                .isPresent();
                                    }
                                },
                        "reads_neitherRegularNorAtomic_returns400"),
                server(
                        "reads= is for reads only",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    boolean isAtomic(TinyRequest request) throws Fault {
                                        if (!request.method().equals("GET")
                                                && once(request, "reads").isPresent()) {
                                            throw new Fault(400, "reads: not for this method");
                                        }
                                        return super.isAtomic(request);
                                    }
                                },
                        "reads_wellFormed_isServedByEachRequest"),
                server(
                        "nothing is written back",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    int writeBack(
                                            String key,
                                            TinyVersion version,
                                            Quorum quorum,
                                            List<String> failures) {
                                        return quorum.ack();
                                    }
                                },
                        OLDER,
                        FOUND_AGAIN),
                server(
                        "an atomic read does not write tombstones back",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    int writeBack(
                                            String key,
                                            TinyVersion version,
                                            Quorum quorum,
                                            List<String> failures) {
                                        return version.isTombstone()
                                                ? quorum.ack()
                                                : super.writeBack(key, version, quorum, failures);
                                    }
                                },
                        FOUND_AGAIN),
                server(
                        "a version is written back with a new stamp",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    int writeBack(
                                            String key,
                                            TinyVersion version,
                                            Quorum quorum,
                                            List<String> failures) {
                                        var anew = new TinyVersion(stamp(key), version.value());
                                        return super.writeBack(key, anew, quorum, failures);
                                    }
                                },
                        "get_atomicOfOlderVersion_leavesTheNewestAsItIs"));
    }
}
