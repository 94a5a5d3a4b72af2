package dht.stage5;

import dht.testkit.contract.InternalPortContract;
import dht.testkit.contract.QuorumReadContract;
import dht.testkit.contract.ReplicaPlacementContract;
import dht.testkit.node.InternalPorts;
import dht.testkit.node.NodeFactory;

/** Nodes that serve each other on a port of their own. */
class InternalPortTest
        implements InternalPortContract, QuorumReadContract, ReplicaPlacementContract {
    private static final InternalPorts PORTS = new InternalPorts();

    @Override
    public NodeFactory servers() {
        return Stage5Nodes.inProcess(PORTS);
    }

    @Override
    public InternalPorts internalPorts() {
        return PORTS;
    }
}
