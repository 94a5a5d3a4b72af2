package dht.testkit.tiny;

import static dht.testkit.tiny.Wrong.server;

import dht.testkit.tiny.TinyRequest.Fault;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Servers with faults in replication: in parameters, in the places of copies, and in reads. */
final class WrongReplicas {
    private WrongReplicas() {}

    static Stream<Wrong> all() {
        return Stream.of(parameters(), copies(), stamps(), values(), repairs())
                .flatMap(List::stream);
    }

    private static List<Wrong> parameters() {
        return List.of(
                server(
                        "replicas that are not numbers are answered 500",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    int number(String digits) throws Fault {
                                        try {
                                            return Integer.parseInt(digits);
                                        } catch (NumberFormatException wrong) {
                                            throw new Fault(500, wrong.toString());
                                        }
                                    }
                                },
                        "replicas_malformed_returns400",
                        "replicas_notNumbers_returns400"),
                server(
                        "replicas out of bounds are changed to the nearest bound",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    Quorum bounded(Quorum quorum) {
                                        var from = Math.clamp(quorum.from(), 1, cluster().size());
                                        return new Quorum(Math.clamp(quorum.ack(), 1, from), from);
                                    }
                                },
                        "replicas_outOfBounds_returns400"),
                server(
                        "of two replicas parameters, the first one is used",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    Optional<String> once(TinyRequest request, String name) {
                                        return request.parameter(name);
                                    }
                                },
                        "replicas_givenTwice_returns400"),
                server(
                        "ack and from are ignored",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    Quorum quorum(TinyRequest request) throws Fault {
                                        if (request.parameter("ack").isPresent()) {
                                            throw new Fault(400, "ack: not known");
                                        }
                                        return super.quorum(request);
                                    }
                                },
                        "replicas_wellFormed_areServedInBothStyles"));
    }

    private static List<Wrong> copies() {
        return List.of(
                server(
                        "no copies are made beyond ack",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    TinyAnswer write(
                                            String key, byte[] value, Quorum quorum, int status)
                                            throws IOException {
                                        var fewer = new Quorum(quorum.ack(), quorum.ack());
                                        return super.write(key, value, fewer, status);
                                    }
                                },
                        "put_withFewerAcks_hasAllItsCopiesSoon"),
                server(
                        "copies are made on all nodes",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    List<URI> preferenceList(String key, int from) {
                                        return super.preferenceList(key, cluster().size());
                                    }
                                },
                        "put_withAllAcks_hasCopiesAtOnce",
                        "put_withFewerAcks_hasAllItsCopiesSoon"),
                server(
                        "the order of nodes depends on the number of replicas",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    List<URI> preferenceList(String key, int from) {
                                        return super.preferenceList(key + from, from);
                                    }
                                },
                        "put_withMoreCopies_keepsThoseThereWere"),
                server(
                        "the coordinator always has the first copy",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    List<URI> preferenceList(String key, int from) {
                                        var others =
                                                super.preferenceList(key, cluster().size()).stream()
                                                        .filter(other -> !other.equals(self()));
                                        return Stream.concat(Stream.of(self()), others)
                                                .limit(from)
                                                .toList();
                                    }
                                },
                        "put_throughAnyNode_hasTheSameHolders",
                        "put_withOneCopy_isReadThroughEveryNode"),
                server(
                        "all keys have the same first replica",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    long score(URI other, String key) {
                                        return other.getPort();
                                    }
                                },
                        "put_ofManyKeysWithOneCopy_usesEveryNode"),
                server(
                        "a delete is sent to only one replica",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    TinyAnswer write(
                                            String key, byte[] value, Quorum quorum, int status)
                                            throws IOException {
                                        var told = value == null ? new Quorum(1, 1) : quorum;
                                        return super.write(key, value, told, status);
                                    }
                                },
                        "delete_ofKey_takesItFromEveryHolder",
                        "delete_withFewerAcks_takesItFromEveryHolderSoon"),
                server(
                        "one copy too many is made after the answer",
                        node ->
                                new TinyReplica(node) {
                                    private String last;

                                    @Override
                                    TinyAnswer write(
                                            String key, byte[] value, Quorum quorum, int status)
                                            throws IOException {
                                        var answer = super.write(key, value, quorum, status);
                                        makeCopies(key);
                                        return answer;
                                    }

                                    /** The values that were written before, on all nodes. */
                                    private synchronized void makeCopies(String next)
                                            throws IOException {
                                        if (last != null) {
                                            var value = load(last).value();
                                            super.write(last, value, usualQuorum(), 201);
                                        }
                                        last = next;
                                    }
                                },
                        "put_withAllAcks_hasCopiesAtOnce",
                        "put_withFewerAcks_hasAllItsCopiesSoon"));
    }

    private static List<Wrong> stamps() {
        return List.of(
                server(
                        "stamps count seconds",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    long stamp(String key) {
                                        return System.currentTimeMillis() / 1000;
                                    }
                                },
                        "put_throughOtherNodesWithoutPause_replacesTheValue",
                        "delete_throughOtherNodesWithoutPause_wins"),
                server(
                                "each replica stamps what it stores",
                                node ->
                                        new TinyReplica(node) {
                                            @Override
                                            boolean store(String key, TinyVersion version)
                                                    throws IOException {
                                                LockSupport.parkNanos(50_000);
                                                return super.store(
                                                        key,
                                                        new TinyVersion(
                                                                stamp(key), version.value()));
                                            }
                                        })
                        .caughtBy("history_ofManyClients_isExplainedByOneOrder", Wrong.VIOLATIONS),
                server(
                        "a stamp is the newest stamp that the coordinator has for the key, plus one",
                        node ->
                                new HintlessReplica(node) {
                                    @Override
                                    long stamp(String key) {
                                        return Math.max(0, load(key).stamp()) + 1;
                                    }

                                    @Override
                                    boolean isOutdated(List<Boolean> stored) {
                                        return false;
                                    }
                                },
                        "put_afterNodeMissedADelete_isReadThroughEveryNode"),
                server(
                        "a deletion stores no stamp",
                        node ->
                                new HintlessReplica(node) {
                                    @Override
                                    boolean store(String key, TinyVersion version)
                                            throws IOException {
                                        var stored = super.store(key, version);
                                        if (version.isTombstone()) {
                                            store().delete(key);
                                        }
                                        return stored;
                                    }
                                },
                        "get_afterNodeMissedADelete_returns404ThroughIt"),
                server(
                        "deletions are forgotten by a restart",
                        node ->
                                new TinyReplica(node) {
                                    private final Map<String, TinyVersion> deletions =
                                            new ConcurrentHashMap<>();

                                    @Override
                                    TinyVersion load(String key) {
                                        var stored = super.load(key);
                                        var deletion =
                                                deletions.getOrDefault(key, TinyVersion.NONE);
                                        return deletion.compareTo(stored) > 0 ? deletion : stored;
                                    }

                                    @Override
                                    boolean store(String key, TinyVersion version)
                                            throws IOException {
                                        if (!version.isTombstone()) {
                                            return super.store(key, version);
                                        }
                                        deletions.put(key, version);
                                        return true;
                                    }
                                },
                        "restart_ofEveryNode_keepsValuesAndDeletions"));
    }

    private static List<Wrong> repairs() {
        return List.of(
                server(
                        "a read does not repair older versions",
                        node ->
                                new HintlessReplica(node) {
                                    @Override
                                    void repair(String key, TinyVersion newest, Quorum quorum) {}
                                },
                        "get_ofKeyThatAReplicaLost_bringsItBack",
                        "get_ofKeyWhoseOverwriteAReplicaMissed_overwritesItThere",
                        "get_ofKeyWhoseDeletionAReplicaMissed_deletesItThere"),
                server(
                        "no hints are kept for a node that is down",
                        HintlessReplica::new,
                        "node_thatMissedWritesAndDeletions_getsThemUnasked",
                        "get_ofMissedWritesAfterAnotherDiskWasEmptied_findsThem",
                        "get_ofMissedDeletionsAfterAnotherDiskWasEmptied_findsNothing",
                        "coordinator_stoppedBeforeItDelivers_deliversAfterItsStart",
                        "coordinator_stoppedWhileAReplicaIsSilent_deliversAfterItsStart"),
                server(
                        "hints are lost when the process ends",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    void stopListening() throws IOException {
                                        forgetHints();
                                        super.stopListening();
                                    }
                                },
                        "coordinator_stoppedBeforeItDelivers_deliversAfterItsStart",
                        "coordinator_stoppedWhileAReplicaIsSilent_deliversAfterItsStart"),
                server(
                        "a hint gets a new stamp",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    void keepHint(URI node, String key, TinyVersion version) {
                                        var newer = version.stamp() + 3_600_000_000L;
                                        super.keepHint(
                                                node, key, new TinyVersion(newer, version.value()));
                                    }
                                },
                        "missedWrite_overwrittenBeforeItArrives_staysOverwritten"),
                server(
                        "read repair gives versions a new stamp",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    void repair(String key, TinyVersion newest, Quorum quorum) {
                                        for (var replica : preferenceList(key, quorum.from())) {
                                            store(replica, key, newest.value());
                                        }
                                    }

                                    private void store(URI replica, String key, byte[] value) {
                                        try {
                                            var stamped = new TinyVersion(stamp(key), value);
                                            peer(replica).store(key, stamped);
                                        } catch (IOException | Down _) {
                                            // It keeps what it has.
                                        }
                                    }
                                },
                        "get_ofKeyThatAReplicaLost_bringsItBack",
                        "get_ofKeyWhoseOverwriteAReplicaMissed_overwritesItThere",
                        "get_ofKeyWhoseDeletionAReplicaMissed_deletesItThere"),
                server(
                        "read repair ignores tombstones, and brings deleted values back",
                        node ->
                                new HintlessReplica(node) {
                                    @Override
                                    void repair(String key, TinyVersion newest, Quorum quorum) {
                                        if (!newest.isTombstone()) {
                                            super.repair(key, newest, quorum);
                                            return;
                                        }
                                        var versions =
                                                ask(
                                                        key,
                                                        quorum,
                                                        quorum.from(),
                                                        new ArrayList<>(),
                                                        replica -> replica.load(key));
                                        versions.stream()
                                                .filter(version -> !version.isTombstone())
                                                .findFirst()
                                                .ifPresent(
                                                        value ->
                                                                bringBack(
                                                                        key,
                                                                        value.value(),
                                                                        quorum));
                                    }

                                    private void bringBack(
                                            String key, byte[] value, Quorum quorum) {
                                        var alive = new TinyVersion(stamp(key), value);
                                        super.repair(key, alive, quorum);
                                    }
                                },
                        "get_ofKeyWhoseDeletionAReplicaMissed_deletesItThere"));
    }

    private static List<Wrong> values() {
        return List.of(
                server(
                        "an empty value is a tombstone",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    TinyAnswer write(
                                            String key, byte[] value, Quorum quorum, int status)
                                            throws IOException {
                                        var isEmpty = value != null && value.length == 0;
                                        return super.write(
                                                key, isEmpty ? null : value, quorum, status);
                                    }
                                },
                        "put_ofAnyBytes_isReadThroughEveryNode"),
                server(
                        "replicas store at most a mebibyte of a value",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    boolean store(String key, TinyVersion version)
                                            throws IOException {
                                        var value = version.value();
                                        var isLarge = value != null && value.length > 1 << 20;
                                        return super.store(
                                                key,
                                                isLarge
                                                        ? new TinyVersion(
                                                                version.stamp(),
                                                                Arrays.copyOf(value, 1 << 20))
                                                        : version);
                                    }
                                },
                        "put_ofLargestValue_isReadThroughAnotherNode"),
                server(
                        "every eighth write is acknowledged but not stored",
                        node ->
                                new TinyReplica(node) {
                                    private final AtomicInteger writes = new AtomicInteger();

                                    @Override
                                    TinyAnswer write(
                                            String key, byte[] value, Quorum quorum, int status)
                                            throws IOException {
                                        return writes.incrementAndGet() % 8 == 0
                                                ? TinyAnswer.of(status, new byte[0])
                                                : super.write(key, value, quorum, status);
                                    }
                                },
                        "history_ofManyClients_isExplainedByOneOrder",
                        "history_whileNodesRestart_isExplainedByOneOrder"),
                server(
                                "every eighth write fails",
                                node ->
                                        new TinyReplica(node) {
                                            private final AtomicInteger writes =
                                                    new AtomicInteger();

                                            @Override
                                            TinyAnswer write(
                                                    String key,
                                                    byte[] value,
                                                    Quorum quorum,
                                                    int status)
                                                    throws IOException {
                                                return writes.incrementAndGet() % 8 == 0
                                                        ? tooFew(List.of("not now"))
                                                        : super.write(key, value, quorum, status);
                                            }
                                        })
                        .caughtBy("history_ofManyClients_isExplainedByOneOrder", Wrong.FAILURES)
                        .caughtBy(
                                "history_whileNodesRestart_isExplainedByOneOrder", Wrong.FAILURES),
                server(
                        "a write is answered before it is stored",
                        node ->
                                new TinyReplica(node) {
                                    @Override
                                    boolean store(String key, TinyVersion version) {
                                        Thread.startVirtualThread(() -> storeLate(key, version));
                                        return true;
                                    }

                                    private void storeLate(String key, TinyVersion version) {
                                        LockSupport.parkNanos(20_000_000);
                                        try {
                                            super.store(key, version);
                                        } catch (IOException _) {
                                            // It stops.
                                        }
                                    }
                                },
                        "get_withAcksThatMeet_seesTheWriteAtOnce"),
                server(
                        "the version of most replicas counts as the newest",
                        node ->
                                new HintlessReplica(node) {
                                    @Override
                                    TinyVersion choose(List<TinyVersion> versions) {
                                        var counts =
                                                versions.stream()
                                                        .collect(
                                                                Collectors.groupingBy(
                                                                        TinyVersion::stamp,
                                                                        Collectors.counting()));
                                        var most = Collections.max(counts.values());
                                        return versions.stream()
                                                .filter(
                                                        version ->
                                                                counts.get(version.stamp())
                                                                        .equals(most))
                                                .findFirst()
                                                .orElseThrow();
                                    }
                                },
                        "get_ofWriteThatOneNodeHolds_returnsItWithAllAcks"));
    }
}
