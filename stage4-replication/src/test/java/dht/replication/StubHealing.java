package dht.replication;

import static java.nio.charset.StandardCharsets.UTF_8;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records the notifications of a coordinator about replicas that lack a version. Thread-safe. */
public final class StubHealing implements Healing {
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final Set<NodeAddress> incomplete = ConcurrentHashMap.newKeySet();

    @Override
    public void missed(NodeAddress node, EntityRequest write, long timestampMicros) {
        told.add("missed " + node.host());
    }

    @Override
    public void divided(byte[] key, int from) {
        told.add("divided " + new String(key, UTF_8) + " of " + from);
    }

    @Override
    public boolean isIncomplete(NodeAddress node) {
        return incomplete.contains(node);
    }

    /** Lets a node say that its data may be incomplete. */
    void incomplete(NodeAddress node) {
        incomplete.add(node);
    }

    /** In the order in which it was told. */
    public List<String> told() {
        return List.copyOf(told);
    }
}
