package dht.testkit.container;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.model.ContainerNetwork;
import com.github.dockerjava.api.model.Network.Ipam;
import dht.testkit.node.NodeSpec;
import dht.testkit.node.Ports;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.stream.IntStream;

/**
 * The Docker network between the nodes of all clusters of this JVM. Only nodes use it. Clients
 * reach the nodes over another network, also while a node is cut off from this one.
 *
 * <p>A node's address is computed from its port, which is unique: {@code 198.18.64.16} plus half
 * the distance of the port from the first port. Threads may share this class.
 */
final class ClusterNetwork {
    /** 198.18.0.0/15 is reserved for network tests (RFC 2544). Each JVM takes an eighth of it. */
    private static final int FIRST_SUBNET = (198 << 24) + (18 << 16);

    private static final int SUBNETS = 8;
    private static final int SUBNET_BITS = 14;

    /** Docker uses the lowest addresses itself. */
    private static final int FIRST_NODE = 16;

    private static final class Made {
        static final Made NETWORK = make();

        final String id;
        final int subnet;

        Made(String id, int subnet) {
            this.id = id;
            this.subnet = subnet;
        }

        /**
         * Creates the network with a subnet that is not in use. Subnets are tried in random order.
         */
        private static Made make() {
            var subnets = new ArrayList<>(IntStream.range(0, SUBNETS).boxed().toList());
            Collections.shuffle(subnets);
            for (var index : subnets.subList(1, SUBNETS)) {
                try {
                    return make(FIRST_SUBNET + (index << SUBNET_BITS));
                } catch (DockerException _) {
                    // This subnet is in use. If the reason is another one, the last attempt below
                    // reports it.
                }
            }
            return make(FIRST_SUBNET + (subnets.getFirst() << SUBNET_BITS));
        }

        private static Made make(int subnet) {
            var range = new Ipam.Config().withSubnet(text(subnet) + "/" + (32 - SUBNET_BITS));
            var made =
                    Docker.client()
                            .createNetworkCmd()
                            .withName(Docker.name("cluster"))
                            .withInternal(true)
                            .withLabels(Docker.LABEL)
                            .withIpam(new Ipam().withConfig(range))
                            .exec();
            return new Made(made.getId(), subnet);
        }
    }

    private ClusterNetwork() {}

    /**
     * The address at which other nodes reach a node. Clients reach that node at the given port of
     * this machine.
     */
    static String address(int port) {
        return text(Made.NETWORK.subnet + FIRST_NODE + (port - Ports.FIRST) / 2);
    }

    /**
     * The URL at which other nodes reach a node.
     *
     * @param node the URL for clients; its port says which node is meant
     */
    static URI url(URI node) {
        return URI.create("http://%s:%d".formatted(address(node.getPort()), node.getPort()));
    }

    static void join(String container, NodeSpec node) {
        var address = new ContainerNetwork.Ipam().withIpv4Address(address(node.port()));
        Docker.client()
                .connectToNetworkCmd()
                .withNetworkId(Made.NETWORK.id)
                .withContainerId(container)
                .withContainerNetwork(new ContainerNetwork().withIpamConfig(address))
                .exec();
    }

    static void leave(String container) {
        Docker.client()
                .disconnectFromNetworkCmd()
                .withNetworkId(Made.NETWORK.id)
                .withContainerId(container)
                .withForce(true)
                .exec();
    }

    static boolean isJoined(InspectContainerResponse container) {
        return container.getNetworkSettings().getNetworks().values().stream()
                .anyMatch(network -> Made.NETWORK.id.equals(network.getNetworkID()));
    }

    private static String text(int address) {
        return "%d.%d.%d.%d"
                .formatted(
                        address >>> 24,
                        address >>> 16 & 0xFF,
                        address >>> 8 & 0xFF,
                        address & 0xFF);
    }
}
