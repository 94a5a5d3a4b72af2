package dht.testkit.tiny;

import dht.testkit.node.NodeSpec;
import dht.testkit.tiny.TinyRequest.Fault;
import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A small replicated server that keeps every promise, made of methods that can be replaced one by
 * one. Its network is this JVM: nodes call each other.
 */
class TinyReplica extends TinyServer {
    private static final Map<URI, TinyReplica> RUNNING = new ConcurrentHashMap<>();

    record Quorum(int ack, int from) {}

    /** A node that can't be asked. */
    static final class Down extends Exception {
        private static final long serialVersionUID = 1L;

        Down(URI node) {
            super(node + " is down");
        }
    }

    /** Asks one replica. */
    @FunctionalInterface
    interface Step<T> {
        T ask(TinyReplica replica) throws IOException;
    }

    private final NodeSpec spec;
    private final AtomicLong lastStamp = new AtomicLong();

    TinyReplica(NodeSpec spec) {
        super(spec);
        this.spec = spec;
    }

    @Override
    TinyServer start() throws IOException {
        super.start();
        RUNNING.put(spec.self(), this);
        return this;
    }

    @Override
    void stopListening() throws IOException {
        RUNNING.remove(spec.self(), this);
        super.stopListening();
    }

    // Requests.

    @Override
    TinyAnswer answer(TinyRequest request, byte[] body) throws Fault, IOException {
        if (!request.path().equals("/v0/entity")
                || !allowed(request.path()).contains(request.method())) {
            return super.answer(request, body);
        }
        var key = key(request, "id");
        var quorum = quorum(request);
        return switch (request.method()) {
            case "GET" -> read(key, quorum);
            case "PUT" -> write(key, body, quorum, 201);
            default -> write(key, null, quorum, 202);
        };
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
        if (peer == null || isStopping()) {
            throw new Down(node);
        }
        return peer;
    }

    TinyAnswer read(String key, Quorum quorum) throws IOException {
        var failures = new ArrayList<String>();
        var versions = ask(key, quorum, quorum.ack, failures, replica -> replica.load(key));
        if (versions.size() < acksWanted(quorum)) {
            return tooFew(failures);
        }
        var newest = choose(versions);
        return newest.isTombstone()
                ? error(404, "no such key")
                : TinyAnswer.of(200, newest.value());
    }

    /** Until there are so many answers; this node first, which costs the least. */
    <T> List<T> ask(String key, Quorum quorum, int answersMax, List<String> failures, Step<T> step)
            throws IOException {
        var answers = new ArrayList<T>();
        var replicas = new ArrayList<>(preferenceList(key, quorum.from));
        replicas.sort(Comparator.comparing(replica -> !replica.equals(self())));
        for (var replica : replicas) {
            try {
                if (answers.size() < answersMax) {
                    answers.add(step.ask(peer(replica)));
                }
            } catch (Down down) {
                failures.add(down.getMessage());
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
        var version = new TinyVersion(stamp(key), value);
        var failures = new ArrayList<String>();
        var stored =
                ask(
                        key,
                        quorum,
                        cluster().size(),
                        failures,
                        replica -> replica.store(key, version));
        return acks(stored.size()) < acksWanted(quorum)
                ? tooFew(failures)
                : TinyAnswer.of(status, new byte[0]);
    }

    int acks(int stored) {
        return stored;
    }

    TinyAnswer tooFew(List<String> failures) {
        return error(504, String.join("; ", failures));
    }

    long stamp(String key) {
        return lastStamp.accumulateAndGet(
                ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()),
                (last, now) -> Math.max(last + 1, now));
    }

    // What this replica has.

    TinyVersion load(String key) {
        return store().get(key).map(TinyVersion::decode).orElse(TinyVersion.NONE);
    }

    synchronized boolean store(String key, TinyVersion version) throws IOException {
        lastStamp.accumulateAndGet(version.stamp(), Math::max);
        if (version.compareTo(load(key)) > 0) {
            store().put(key, version.encode());
        }
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
