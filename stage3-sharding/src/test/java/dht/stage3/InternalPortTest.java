package dht.stage3;

import dht.testkit.contract.InternalPortContract;
import dht.testkit.node.InternalPorts;
import dht.testkit.node.NodeFactory;

/** Nodes that serve each other on a port of their own. */
class InternalPortTest implements InternalPortContract {
    private static final InternalPorts PORTS = new InternalPorts();

    @Override
    public NodeFactory servers() {
        return Stage3Nodes.inProcess(PORTS);
    }

    @Override
    public InternalPorts internalPorts() {
        return PORTS;
    }
}
