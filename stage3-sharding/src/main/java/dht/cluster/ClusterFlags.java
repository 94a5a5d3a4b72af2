package dht.cluster;

import dht.command.Range;
import dht.http.ListenAddress;
import dht.sharding.Placement;
import dht.sharding.PlacementKind;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Option;

/**
 * Command-line options: the members of the cluster, and how it places keys. Set once by the command
 * line, then read only.
 */
public final class ClusterFlags {
    @Option(
            names = "--self",
            paramLabel = "URL",
            description =
                    "This node's URL in --cluster. Without these two options: a cluster of one node.")
    private String self;

    @Option(
            names = "--cluster",
            paramLabel = "URL,URL,...",
            split = ",",
            description =
                    "The URLs of all nodes, including this one. Give all nodes the same URLs, in any order. A"
                            + " URL identifies a node: a node that starts with another URL owns other keys.")
    private List<String> cluster;

    @Option(
            names = "--cluster-secret",
            paramLabel = "SECRET",
            description =
                    "Secret that nodes send to each other; a request under /internal/ without it gets 403. "
                            + "Required if nodes listen beyond loopback. Put it into the --config file: other users "
                            + "can read a command line.")
    private String secret;

    @Option(
            names = "--insecure-internal",
            description =
                    "Allow a cluster to listen beyond loopback without --cluster-secret. Everybody who can "
                            + "reach the port can then act as a node.")
    private boolean insecureInternal;

    @Option(
            names = "--internal-port",
            paramLabel = "PORT|+N",
            description =
                    "Port of --host for requests under /internal/, and for no other requests. --port then"
                            + " rejects requests under /internal/. +N: this node listens on --port + N, and asks"
                            + " other nodes on the port of their URL + N. Give all nodes the same value. Default:"
                            + " clients and nodes share --port.")
    private String internalPort;

    @Option(
            names = "--placement",
            paramLabel = "rendezvous|consistent",
            defaultValue = "rendezvous",
            description =
                    "How keys are divided among the nodes. Give all nodes the same value, and never change it:"
                            + " with another placement, nodes do not find the data that they stored before.")
    private PlacementKind placement;

    @Range(from = "1", to = "1000000")
    @Option(
            names = "--virtual-nodes",
            paramLabel = "N",
            defaultValue = "" + PlacementKind.VIRTUAL_NODE_COUNT_DEFAULT,
            description =
                    "Virtual nodes for each node, with --placement consistent. More: keys are divided more "
                            + "evenly. Each virtual node takes 12 to 16 bytes of memory.")
    private int virtualNodes;

    /**
     * Creates the topology that the options describe.
     *
     * @param address where this node listens; without {@code --self} this is also the node's
     *     address
     * @throws IllegalArgumentException with one line that says what is wrong
     */
    public Topology topology(ListenAddress address) {
        if ((self == null) != (cluster == null)) {
            throw new IllegalArgumentException(
                    "--self and --cluster go together: give both, or neither");
        }
        Topology topology =
                self == null
                        ? Topology.single(NodeAddress.parse(address.url()))
                        : Topology.of(self, cluster);
        if (topology.nodes().size() > 1) {
            requireSecretBeyondLoopback(address);
        }
        return internalPort == null ? topology : topology.with(InternalPort.parse(internalPort));
    }

    /**
     * The listen address, with the internal port added if {@code --internal-port} is given.
     *
     * @throws IOException if another server listens on that port, or if the host is not an address
     *     of this machine
     * @throws IllegalArgumentException if the option's value is malformed, or if its port is the
     *     clients' port or greater than 65535
     */
    public ListenAddress withInternalPort(ListenAddress address) throws IOException {
        return internalPort == null
                ? address
                : address.withGuardedPort(InternalPort.parse(internalPort).beside(address.port()));
    }

    private void requireSecretBeyondLoopback(ListenAddress address) {
        if (secret == null && !insecureInternal && !address.isLoopback()) {
            throw new IllegalArgumentException(
                    "--host=%s: everybody who can reach it could act as a node: give all nodes the same --cluster-secret, or --insecure-internal"
                            .formatted(address.host()));
        }
    }

    public Placement placement(Topology topology) {
        return placement.of(topology.names(), virtualNodes);
    }

    public Fingerprint fingerprint(Topology topology) {
        String kind = placement.name().toLowerCase(Locale.ROOT);
        boolean hasVirtualNodes = placement == PlacementKind.CONSISTENT;
        return Fingerprint.of(topology, hasVirtualNodes ? kind + "/" + virtualNodes : kind);
    }

    public Optional<String> secret() {
        return Optional.ofNullable(secret);
    }
}
