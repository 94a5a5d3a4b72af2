package dht.stage5;

import dht.testkit.contract.EntityContract;
import dht.testkit.contract.QuorumContract;
import dht.testkit.node.NodeFactory;

/** Three processes, which can be killed and paused. */
class Stage5ClusterProcessIT implements EntityContract, QuorumContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.processes();
    }
}
