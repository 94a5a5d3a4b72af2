import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Makes a client for each request: its threads start, its connection is made, and both end. */
class PeerFlags {
    public Peers open(Topology topology, Credentials credentials, long answerBytesMax) {
        PeerOptions options = options(topology);
        MemoryBudget answerMemory = answerMemory(answerBytesMax);
        return new Peers(
                topology,
                credentials,
                node -> remoteNode(node, credentials, options, answerMemory));
    }

    private static RemoteNode remoteNode(
            NodeAddress node,
            Credentials credentials,
            PeerOptions options,
            MemoryBudget answerMemory) {
        PeerHealth health = new PeerHealth(node, options);
        Set<Peer> clients = ConcurrentHashMap.newKeySet();
        return new RemoteNode() {
            @Override
            public NodeAddress address() {
                return node;
            }

            @Override
            public void ask(
                    EntityRequest request, long timestampMicros, Consumer<PeerAnswer> receiver) {
                PeerConnections connections =
                        new PeerConnections(node, credentials, options, answerMemory);
                Peer client = new Peer(node, health, connections);
                clients.add(client);
                client.ask(
                        request,
                        timestampMicros,
                        answer -> {
                            Thread.startVirtualThread(() -> end(client));
                            receiver.accept(answer);
                        });
            }

            private void end(Peer client) {
                client.close();
                clients.remove(client);
            }

            @Override
            public PeerHealth health() {
                return health;
            }

            @Override
            public int queuedCount() {
                return clients.stream().mapToInt(Peer::queuedCount).sum();
            }

            @Override
            public boolean isBehind() {
                return false;
            }

            @Override
            public void close() {
                clients.forEach(Peer::close);
            }
        };
    }
}
