package dht.testkit.tiny;

import dht.testkit.concurrent.Deadline;
import dht.testkit.http.Target;
import dht.testkit.node.InProcess;
import dht.testkit.node.NodeSpec;
import dht.testkit.tiny.TinyRequest.Fault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A small replicated server that keeps every promise. A faulty server overrides single methods of
 * it. All nodes run in this JVM and call each other directly. So a test can pause nodes, cut them
 * off and slow them down.
 */
class TinyReplica extends TinyServer implements InProcess.Pausable, InProcess.Severable {
    private static final Map<URI, TinyReplica> RUNNING = new ConcurrentHashMap<>();

    /** The nodes whose clocks are an hour behind. A test adds a node before its start. */
    private static final Set<URI> HOUR_BEHIND = ConcurrentHashMap.newKeySet();

    private static final Duration FOREVER = Duration.ofHours(1);
    private static final Duration SLOW = Duration.ofMillis(20);
    private static final Duration BETWEEN_HINTS = Duration.ofMillis(50);

    record Quorum(int ack, int from) {}

    /** Thrown when a node cannot be reached. */
    static final class Down extends Exception {
        private static final long serialVersionUID = 1L;

        Down(URI node) {
            super(node + " is down");
        }
    }

    /** A request to one replica. */
    @FunctionalInterface
    interface Step<T> {
        T ask(TinyReplica replica) throws IOException;
    }

    /** A write that another node has missed, and that is kept for it. */
    private record Hint(URI node, String key, TinyVersion version) {}

    /** The hints of each node. They stay when the server stops, as if they were on disk. */
    private static final Map<URI, Queue<Hint>> HINTS = new ConcurrentHashMap<>();

    private final NodeSpec spec;
    private final TinyMemory memory;
    private final AtomicLong lastStamp = new AtomicLong();
    private volatile boolean paused;
    private volatile boolean cutOff;
    private volatile boolean slow;

    TinyReplica(NodeSpec spec) {
        super(spec);
        this.spec = spec;
        this.memory = new TinyMemory(spec.dataDir());
    }

    /** Sets the clock of a node back by an hour, until the node stops. */
    static void setBack(NodeSpec spec) {
        HOUR_BEHIND.add(spec.self());
    }

    @Override
    TinyServer start() throws IOException {
        super.start();
        RUNNING.put(spec.self(), this);
        RUNNING.values().forEach(peer -> peer.deliverHints(this));
        RUNNING.values().forEach(this::deliverHints);
        running(cluster()).forEach(TinyReplica::rebuildIfLost);
        Thread.startVirtualThread(this::deliverAll);
        return this;
    }

    @Override
    void stopListening() throws IOException {
        RUNNING.remove(spec.self(), this);
        HOUR_BEHIND.remove(spec.self());
        super.stopListening();
    }

    // Faults that a test can cause.

    @Override
    public void pause() {
        paused = true;
    }

    @Override
    public void resume() {
        paused = false;
    }

    @Override
    public void cutOff() {
        cutOff = true;
    }

    @Override
    public void slowDown() {
        slow = true;
    }

    @Override
    public void reconnect() {
        cutOff = false;
        slow = false;
    }

    /** Waits while this node is paused; returns whether it continued in time. */
    private boolean goesOn(Duration patience) {
        return Deadline.in(patience).reached(() -> !paused || isStopping());
    }

    private static void waitFor(Duration time) {
        LockSupport.parkNanos(time.toNanos());
    }

    // Requests.

    @Override
    TinyAnswer answer(TinyRequest request, byte[] body) throws Fault, IOException {
        if (request.path().equals(Target.INTERNAL_ENTITY) && request.method().equals("GET")) {
            return stored(load(key(request, "id")));
        }
        if (!request.path().equals("/v0/entity")
                || !allowed(request.path()).contains(request.method())) {
            return super.answer(request, body);
        }
        var key = key(request, "id");
        var quorum = quorum(request);
        var isAtomic = isAtomic(request);
        goesOn(FOREVER);
        if (request.method().equals("GET")) {
            return isAtomic ? readAtomic(key, quorum) : read(key, quorum);
        }
        if (isAtomic) {
            askStamps(key, quorum);
        }
        return request.method().equals("PUT")
                ? write(key, body, quorum, 201)
                : write(key, null, quorum, 202);
    }

    @Override
    TinyAnswer range(TinyRequest request) throws Fault {
        return switch (scope(request)) {
            case "node" -> super.range(request);
            case "cluster" -> clusterRange(request);
            default -> throw new Fault(400, "scope: must be node or cluster");
        };
    }

    String scope(TinyRequest request) throws Fault {
        return once(request, "scope").orElse("node");
    }

    private TinyAnswer clusterRange(TinyRequest request) throws Fault {
        var start = key(request, "start");
        var end = key(request, "end");
        var quorum = quorum(request);
        var failures = new ArrayList<String>();
        var found = new TreeMap<String, List<TinyVersion>>(TinyStore.BY_BYTES);
        var answers = 0;
        for (var node : rangeNodes()) {
            try {
                peer(node).vote();
                peer(node)
                        .versions(start, Optional.of(end))
                        .forEach(
                                (key, stored) ->
                                        found.computeIfAbsent(key, _ -> new ArrayList<>())
                                                .add(TinyVersion.decode(stored)));
                answers++;
            } catch (Down | IOException failed) {
                failures.add(node + ": " + failed.getMessage());
            }
        }
        var live = new LinkedHashMap<String, byte[]>();
        found.forEach((key, versions) -> live.put(key, choose(versions).value()));
        live.values().removeIf(Objects::isNull); // Tombstones.
        return answers < cluster().size() - quorum.from + acksWanted(quorum)
                ? tooFew(failures)
                : rangeOf(live, request);
    }

    /** All nodes, because each may lack something. */
    List<URI> rangeNodes() {
        return cluster();
    }

    boolean isAtomic(TinyRequest request) throws Fault {
        return switch (once(request, "reads").orElse("regular")) {
            case "regular" -> false;
            case "atomic" -> true;
            default -> throw new Fault(400, "reads: must be regular or atomic");
        };
    }

    /** The version that this node has in its own storage, with its stamp. */
    private TinyAnswer stored(TinyVersion version) {
        var answer =
                version.isTombstone()
                        ? error(404, "no such key")
                        : TinyAnswer.of(200, version.value());
        return answer.header("Timestamp-Micros: " + version.stamp());
    }

    Quorum quorum(TinyRequest request) throws Fault {
        var replicas = once(request, "replicas");
        var ack = once(request, "ack");
        var from = once(request, "from");
        if (replicas.isEmpty() && ack.isEmpty() && from.isEmpty()) {
            return usualQuorum();
        }
        if (replicas.isPresent() && (ack.isPresent() || from.isPresent())) {
            throw new Fault(400, "replicas: give either this, or ack and from");
        }
        if (replicas.isEmpty()) {
            return quorum(ack.orElse(""), from.orElse(""));
        }
        var parts = decode(replicas.get()).split("/", -1);
        if (parts.length != 2) {
            throw new Fault(400, "replicas: must be ack/from");
        }
        return quorum(parts[0], parts[1]);
    }

    Quorum usualQuorum() {
        return new Quorum(spec.cluster().size() / 2 + 1, spec.cluster().size());
    }

    Optional<String> once(TinyRequest request, String name) throws Fault {
        var given =
                List.of(request.query().split("&", -1)).stream()
                        .filter(pair -> pair.equals(name) || pair.startsWith(name + "="))
                        .toList();
        if (given.size() > 1) {
            throw new Fault(400, name + ": given twice");
        }
        return given.stream()
                .map(pair -> pair.substring(Math.min(pair.length(), name.length() + 1)))
                .findFirst();
    }

    Quorum quorum(String ack, String from) throws Fault {
        return bounded(new Quorum(number(ack), number(from)));
    }

    int number(String digits) throws Fault {
        if (!digits.matches("[0-9]{1,9}")) {
            throw new Fault(400, "ack and from must be whole numbers");
        }
        return Integer.parseInt(digits);
    }

    Quorum bounded(Quorum quorum) throws Fault {
        if (quorum.ack < 1 || quorum.ack > quorum.from || quorum.from > spec.cluster().size()) {
            throw new Fault(400, "it must be 1 <= ack <= from <= nodes");
        }
        return quorum;
    }

    // Replicas.

    List<URI> preferenceList(String key, int from) {
        return spec.cluster().stream()
                .sorted(Comparator.comparingLong(node -> score(node, key)))
                .limit(from)
                .toList();
    }

    long score(URI node, String key) {
        return new SplittableRandom(31L * node.hashCode() + key.hashCode()).nextLong();
    }

    URI self() {
        return spec.self();
    }

    List<URI> cluster() {
        return spec.cluster();
    }

    TinyReplica peer(URI node) throws Down {
        var peer = RUNNING.get(node);
        if (peer == null || isStopping() || !isReached(peer)) {
            throw new Down(node);
        }
        return peer;
    }

    private boolean isReached(TinyReplica peer) {
        goesOn(FOREVER);
        if (peer == this) {
            return true;
        }
        if (slow || peer.slow) {
            waitFor(SLOW);
        }
        return !cutOff && !peer.cutOff && peer.goesOn(peerPatience());
    }

    /** How long a node waits for another node. */
    Duration peerPatience() {
        return Duration.ofMillis(50);
    }

    TinyAnswer read(String key, Quorum quorum) throws IOException {
        var failures = new ArrayList<String>();
        var versions = ask(key, quorum, quorum.ack, failures, replica -> replica.vote(key));
        if (versions.size() < acksWanted(quorum)) {
            return tooFew(failures);
        }
        var newest = choose(versions);
        repair(key, newest, quorum);
        return newest.isTombstone()
                ? error(404, "no such key")
                : TinyAnswer.of(200, newest.value());
    }

    /** Before it answers, the returned version is on as many replicas as must answer. */
    private TinyAnswer readAtomic(String key, Quorum quorum) throws IOException {
        var failures = new ArrayList<String>();
        var versions = ask(key, quorum, quorum.ack, failures, replica -> replica.load(key));
        var newest = choose(versions);
        return versions.size() < acksWanted(quorum)
                        || writeBack(key, newest, quorum, failures) < acksWanted(quorum)
                ? tooFew(failures)
                : newest.isTombstone()
                        ? error(404, "no such key")
                        : TinyAnswer.of(200, newest.value());
    }

    /** Writes a version to all replicas, and returns how many have it then. */
    int writeBack(String key, TinyVersion version, Quorum quorum, List<String> failures) {
        return ask(key, quorum, quorum.from, failures, replica -> replica.store(key, version))
                .size();
    }

    /**
     * Asks replicas for their stamps, so that the stamp of the next write is greater than all of
     * them.
     */
    private void askStamps(String key, Quorum quorum) {
        ask(key, quorum, quorum.ack, new ArrayList<>(), replica -> replica.load(key))
                .forEach(version -> observe(version.stamp()));
    }

    /** Writes the newest version to all replicas that this read has used. */
    void repair(String key, TinyVersion newest, Quorum quorum) {
        if (newest != TinyVersion.NONE) {
            ask(key, quorum, quorum.from, new ArrayList<>(), replica -> replica.store(key, newest));
        }
    }

    /** Asks replicas until there are enough answers; this node first, because that is cheapest. */
    <T> List<T> ask(
            String key, Quorum quorum, int answersMax, List<String> failures, Step<T> step) {
        var answers = new ArrayList<T>();
        var replicas = new ArrayList<>(preferenceList(key, quorum.from));
        replicas.sort(Comparator.comparing(replica -> !replica.equals(self())));
        for (var replica : replicas) {
            try {
                if (answers.size() < answersMax) {
                    answers.add(step.ask(peer(replica)));
                }
            } catch (Down | IOException failed) {
                failures.add(replica + ": " + failed.getMessage());
            }
        }
        return answers;
    }

    TinyVersion choose(List<TinyVersion> versions) {
        return versions.stream().max(Comparator.naturalOrder()).orElse(TinyVersion.NONE);
    }

    int acksWanted(Quorum quorum) {
        return quorum.ack;
    }

    TinyAnswer write(String key, byte[] value, Quorum quorum, int status) throws IOException {
        var failures = new ArrayList<String>();
        var stored = write(key, new TinyVersion(stamp(key), value), quorum, failures);
        if (isOutdated(stored)) {
            failures.clear();
            stored = write(key, new TinyVersion(stamp(key), value), quorum, failures);
        }
        return acks(stored.size()) < acksWanted(quorum)
                ? tooFew(failures)
                : TinyAnswer.of(status, new byte[0]);
    }

    /** Whether a replica already had a newer version, because the clock of this node is behind. */
    boolean isOutdated(List<Boolean> stored) {
        return stored.contains(false);
    }

    /** Returns, for each replica that has answered, whether the version is now its newest. */
    private List<Boolean> write(
            String key, TinyVersion version, Quorum quorum, List<String> failures) {
        var missed = new ArrayList<>(preferenceList(key, quorum.from));
        var stored =
                ask(
                        key,
                        quorum,
                        copiesWanted(quorum),
                        failures,
                        replica -> {
                            var isNewest = replica.store(key, version);
                            observe(replica.load(key).stamp());
                            missed.remove(replica.self());
                            return isNewest;
                        });
        missed.forEach(node -> keepHint(node, key, version));
        return stored;
    }

    /** Keeps a hint for a node that did not take a write. */
    void keepHint(URI node, String key, TinyVersion version) {
        hints().add(new Hint(node, key, version));
    }

    /** Loses the hints, as if they had been only in memory. */
    void forgetHints() {
        hints().clear();
    }

    private Queue<Hint> hints() {
        return HINTS.computeIfAbsent(self(), _ -> new ConcurrentLinkedQueue<>());
    }

    private void deliverHints(TinyReplica node) {
        hints().removeIf(hint -> hint.node.equals(node.self()) && deliver(node, hint));
    }

    private static boolean deliver(TinyReplica node, Hint hint) {
        try {
            node.store(hint.key, hint.version);
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    /** Until this server stops, delivers hints to each node that it reaches. */
    private void deliverAll() {
        while (!isStopping()) {
            for (var node : cluster()) {
                try {
                    deliverHints(peer(node));
                } catch (Down _) {
                    // The next round tries again.
                }
            }
            waitFor(BETWEEN_HINTS);
        }
    }

    int copiesWanted(Quorum quorum) {
        return cluster().size(); // A copy for each node on its list.
    }

    int acks(int stored) {
        return stored;
    }

    TinyAnswer tooFew(List<String> failures) {
        return error(504, String.join("; ", failures));
    }

    long stamp(String key) {
        return lastStamp.accumulateAndGet(timeMicros(), (last, now) -> Math.max(last + 1, now));
    }

    long timeMicros() {
        var behind = HOUR_BEHIND.contains(self()) ? Duration.ofHours(1) : Duration.ZERO;
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now().minus(behind));
    }

    /** Makes all later stamps of this node greater than this one. */
    void observe(long stamp) {
        lastStamp.accumulateAndGet(stamp, Math::max);
    }

    // After the loss of its data.

    /** Whether this node has all its data. Otherwise it answers no reads. */
    boolean isComplete() {
        return memory.isComplete();
    }

    /**
     * Once all nodes run, asks them whether one remembers this node. If so, copies all their
     * versions.
     */
    private void rebuildIfLost() {
        var others = running(cluster());
        others.remove(this);
        if (isComplete() || others.size() < cluster().size() - 1) {
            return;
        }
        if (others.stream().anyMatch(other -> other.memory.remembers(self()))) {
            if (!others.stream().allMatch(TinyReplica::isComplete)) {
                return;
            }
            others.forEach(this::copyAll);
        }
        memory.noteComplete();
        others.forEach(this::introduce);
    }

    static List<TinyReplica> running(List<URI> cluster) {
        return new ArrayList<>(
                cluster.stream().filter(RUNNING::containsKey).map(RUNNING::get).toList());
    }

    private void introduce(TinyReplica other) {
        other.memory.remember(self());
        if (other.isComplete()) {
            memory.remember(other.self());
        }
    }

    private void copyAll(TinyReplica other) {
        other.versions().forEach((key, version) -> storeCopy(key, TinyVersion.decode(version)));
    }

    Map<String, byte[]> versions() {
        return versions("", Optional.empty());
    }

    private Map<String, byte[]> versions(String start, Optional<String> end) {
        return super.entries(start, end);
    }

    private void storeCopy(String key, TinyVersion version) {
        try {
            store(key, version);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // Versions of this replica.

    private TinyVersion vote(String key) throws IOException {
        vote();
        return load(key);
    }

    private void vote() throws IOException {
        if (!isComplete()) {
            throw new IOException("rebuilding");
        }
    }

    TinyVersion load(String key) {
        return store().get(key).map(TinyVersion::decode).orElse(TinyVersion.NONE);
    }

    synchronized boolean store(String key, TinyVersion version) throws IOException {
        observe(version.stamp());
        if (version.compareTo(load(key)) <= 0) {
            return false;
        }
        store().put(key, version.encode());
        return true;
    }

    @Override
    Map<String, byte[]> entries(String start, Optional<String> end) {
        var live = new LinkedHashMap<String, byte[]>();
        super.entries(start, end)
                .forEach(
                        (key, stored) -> {
                            var version = TinyVersion.decode(stored);
                            if (!version.isTombstone()) {
                                live.put(key, version.value());
                            }
                        });
        return live;
    }
}
