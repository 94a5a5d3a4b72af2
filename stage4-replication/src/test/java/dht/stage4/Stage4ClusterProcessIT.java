package dht.stage4;

import dht.testkit.contract.EntityContract;
import dht.testkit.contract.QuorumContract;
import dht.testkit.node.NodeFactory;

/** Three processes, which can be killed and paused. */
class Stage4ClusterProcessIT implements EntityContract, QuorumContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.processes();
    }
}
