package dht.testkit.contract;

import dht.testkit.ClusterUnderTest;
import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.Deadline;
import dht.testkit.hostile.HostileClients;
import dht.testkit.hostile.HostileKind;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Needs;
import dht.testkit.junit.Verifies;
import dht.testkit.node.Ability;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Promise;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Thousands of connections that are all hostile in the same way. They do not harm other clients,
 * and the server's memory keeps its bounds. The servers must be processes on Linux, with a known
 * heap and with small memtables.
 */
public interface HostileCrowdContract extends ClusterContract {
    /** By default, a server accepts only a few more. */
    int CROWD_MAX = 8000;

    /** File descriptors for anything else, in the process of the test and in the server. */
    int OTHER_DESCRIPTORS = 500;

    /** A server uses at most this share of its file descriptors for connections. */
    double DESCRIPTOR_SHARE = 0.75;

    /** The largest value that a server copies for each reader. */
    int COPIED_BYTES = 60 << 10;

    /** On a busy machine, so many connections take long. */
    Duration CROWD_PATIENCE = Duration.ofMinutes(3);

    /** Longer than the server's time limits for slow clients. */
    Duration HELD = Duration.ofSeconds(15);

    /**
     * The latency that 99 of 100 requests of other clients may not exceed while the crowd is there.
     */
    long P99_MILLIS_MAX = 200;

    /**
     * On a machine that is busy with something else, requests exceed that without a crowd, too. So
     * they may be this many times as slow as before the crowd came. On a quiet machine, that is
     * less than {@value #P99_MILLIS_MAX} ms.
     */
    int SLOWER_MAX = 20;

    /** The machine may become busy meanwhile. A server that is harmed is slow in each period. */
    int PERIODS_MAX = 3;

    /** How many requests of other clients come before the crowd. The first half warms up. */
    int CALM_COUNT = 1000;

    /** So seldom that other clients are no load themselves, even where a machine is busy. */
    Duration PAUSE = Duration.ofMillis(40);

    /** How many sockets more than before may be open after an attack, to other nodes. */
    int SOCKETS_MORE_MAX = 16;

    /**
     * What a server with small memtables uses besides its heap: mapped logs and tables, compiled
     * code, stacks, and buffers of its threads. With 24 KiB for each connection, it would be more.
     */
    long OUTSIDE_HEAP_BYTES_MAX = 192 << 20;

    /** What a server prints when its memory has run out. */
    Pattern OUT_OF_MEMORY = Pattern.compile("out of memory|OutOfMemoryError");

    /** The limit for the memory of all connections together, in bytes. */
    long connectionMemoryBytes();

    @Test
    @Verifies(Promise.CLIENTS_ARE_APART)
    @Needs(Ability.EXIT_CODE)
    default void answers_thatNobodyReads_harmNobody() {
        expectUnharmed(HostileKind.UNREAD_ANSWERS);
    }

    @Test
    @Verifies(Promise.CLIENTS_ARE_APART)
    @Needs(Ability.EXIT_CODE)
    default void heads_thatDoNotEnd_harmNobody() {
        expectUnharmed(HostileKind.UNENDED_HEADS);
    }

    @Test
    @Verifies(Promise.CLIENTS_ARE_APART)
    @Needs(Ability.EXIT_CODE)
    default void bodies_ofAByteNowAndThen_harmNobody() {
        expectUnharmed(HostileKind.TRICKLED_BODIES);
    }

    @Test
    @Verifies(Promise.STOP_IS_ORDERLY)
    @Needs(Ability.EXIT_CODE)
    default void stop_whileNobodyReads_endsInTime() {
        expectStop(HostileKind.UNREAD_ANSWERS);
    }

    @Test
    @Verifies(Promise.STOP_IS_ORDERLY)
    @Needs(Ability.EXIT_CODE)
    default void stop_whileHeadsDoNotEnd_endsInTime() {
        expectStop(HostileKind.UNENDED_HEADS);
    }

    @Test
    @Verifies(Promise.STOP_IS_ORDERLY)
    @Needs(Ability.EXIT_CODE)
    default void stop_whileBodiesTrickle_endsInTime() {
        expectStop(HostileKind.TRICKLED_BODIES);
    }

    private void expectUnharmed(HostileKind kind) {
        var server = server();
        cluster().nodes().forEach(Bystanders::areServed);
        var socketsBefore = sockets(server);
        try (var steady = SteadyClients.start(server, PAUSE)) {
            steady.awaitAnswered(CALM_COUNT);
            var calmMillis = steady.p99Millis(CALM_COUNT / 2);
            try (var crowd = crowd(kind, server)) {
                awaitCrowd(crowd);
                expectFast(kind, server, calmMillis, steady, crowd);
                cluster().nodes().forEach(Bystanders::areServed);
            }
            steady.expectServed();
        }
        cluster().nodes().forEach(HostileCrowdContract::expectMemoryKept);
        Deadline.in(server.longPatience())
                .await(
                        "the connections of clients that have left to be closed",
                        () -> sockets(server) <= socketsBefore + SOCKETS_MORE_MAX);
        cluster().nodes().forEach(Bystanders::areServed);
        expectMemoryFree(server);
    }

    private void expectFast(
            HostileKind kind,
            ServerUnderTest server,
            long calmMillis,
            SteadyClients steady,
            HostileClients crowd) {
        var most = Math.max(P99_MILLIS_MAX, SLOWER_MAX * calmMillis);
        var heldMillis = Long.MAX_VALUE;
        for (var period = 0; period < PERIODS_MAX && heldMillis >= most; period++) {
            var heldAt = steady.answeredCount();
            Deadline.in(HELD).reached(() -> !server.node().isRunning());
            heldMillis = steady.p99Millis(heldAt);
            var latencies =
                    "99 of 100 took at most %,d ms (before: %,d ms)"
                            .formatted(heldMillis, calmMillis);
            print(kind, steady.answeredCount() - heldAt, latencies, crowd);
        }
        if (heldMillis >= most) {
            throw new Mismatch(
                    "99 of 100 requests of other clients to take less than %,d ms".formatted(most),
                    "%,d ms; before the crowd came: %,d ms".formatted(heldMillis, calmMillis));
        }
    }

    private void expectStop(HostileKind kind) {
        var cluster = freshCluster();
        var server = cluster.node(0);
        awaitServing(cluster);
        try (var crowd = crowd(kind, server)) {
            awaitCrowd(crowd);
            server.stop();
        }
        var exitCode = server.node().exitCode();
        if (!exitCode.equals(OptionalInt.of(0))) {
            throw new Mismatch("exit code 0 after SIGTERM", "exit code " + exitCode.orElse(-1));
        }
    }

    /** A cluster of one serves as soon as it has started. */
    private static void awaitServing(ClusterUnderTest cluster) {
        if (cluster.size() > 1) {
            Replicas.awaitServing(cluster);
        }
    }

    private static HostileClients crowd(HostileKind kind, ServerUnderTest server) {
        var key = Keys.unique();
        server.put(key, Values.ofSize(COPIED_BYTES)).expectStatus(201);
        return HostileClients.start(kind, server.node().spec().self(), key, crowdCount());
    }

    /** Fewer than {@value #CROWD_MAX} where the limit of open files is low. */
    private static int crowdCount() {
        var system = ManagementFactory.getOperatingSystemMXBean();
        return system instanceof com.sun.management.UnixOperatingSystemMXBean unix
                ? (int)
                        Math.min(
                                CROWD_MAX,
                                unix.getMaxFileDescriptorCount() * DESCRIPTOR_SHARE
                                        - OTHER_DESCRIPTORS)
                : CROWD_MAX;
    }

    /**
     * Waits until the whole crowd has been connected. The server may end some of the connections
     * before the last one is there.
     */
    private static void awaitCrowd(HostileClients crowd) {
        Deadline.in(CROWD_PATIENCE)
                .await(
                        "%,d connections".formatted(crowdCount()),
                        () -> crowd.openCount() + crowd.endedCount() >= crowdCount());
    }

    private static long sockets(ServerUnderTest server) {
        return server.node().socketCount().orElseThrow();
    }

    /** A server that counts what its connections hold never runs out of memory for them. */
    private static void expectMemoryKept(ServerUnderTest server) {
        var log = server.node().logTail();
        if (OUT_OF_MEMORY.matcher(log).find()) {
            throw new Mismatch(server.name() + " not to run out of memory", log);
        }
        var peak = server.node().residentBytesPeak().orElseThrow();
        var most = server.node().memoryBytesMax().orElseThrow() + OUTSIDE_HEAP_BYTES_MAX;
        if (peak > most) {
            throw new Mismatch(
                    "%s to use at most %,d bytes of memory".formatted(server.name(), most),
                    "%,d bytes".formatted(peak));
        }
    }

    /**
     * Almost all memory of connections that is not reserved can be taken by a few bodies. They are
     * received as a whole, and then refused for lack of a key.
     */
    private void expectMemoryFree(ServerUnderTest server) {
        var freeBytes = connectionMemoryBytes() * 3 / 4 * 49 / 50;
        var bodyCount = (int) Math.ceilDiv(freeBytes, (long) Values.BYTES_MAX);
        var put = Request.put(Target.ENTITY, new byte[(int) (freeBytes / bodyCount)]);
        var uploads = Stream.generate(server::connect).limit(bodyCount).toList();
        uploads.forEach(upload -> upload.sendPrefix(put, upload.lengthOf(put) - 1));
        uploads.forEach(upload -> upload.sendBody(new byte[1]));
        uploads.forEach(upload -> upload.receive().expectStatus(400));
    }

    private void print(HostileKind kind, long held, String latencies, HostileClients crowd) {
        System.out.printf(
                "%,d clients %s: %,d are open, and %,d have ended; %,d requests of others in %s, %s; at most %s MiB%n",
                crowdCount(),
                kind.description(),
                crowd.openCount(),
                crowd.endedCount(),
                held,
                Deadline.words(HELD),
                latencies,
                mebibytes());
    }

    private List<Long> mebibytes() {
        return cluster().nodes().stream()
                .map(node -> node.node().residentBytesPeak().orElse(0) >> 20)
                .toList();
    }
}
